/// A type whose cases are rows of a table with a code, a text, a remedy, and whether the operation may be retried. The
/// members of `CodedReason` and `CodedError` follow from the rows.
package protocol ErrorTable: ErrorDetail, CodedReason {}

/// A detail of an error, whose rows have a text and a remedy. The code is that of the error. The description of a
/// public detail is its text.
package protocol ErrorDetail {
    /// Returns what `row` selects of the row of this case.
    func row(_ row: ErrorRow) -> ErrorRow.Cell
}

/// One row of a table of errors. It is called with all columns, and evaluates only the one that it selects, so that
/// asking for a code builds no text.
package struct ErrorRow {
    /// The selected text, and whether the operation may be retried.
    package struct Cell {
        fileprivate let text: String
        fileprivate let isRetryable: Bool
    }
    fileprivate enum Column { case code, text, remedy }
    fileprivate let column: Column

    /// Evaluates a row with its own text and remedy.
    package func callAsFunction(
        _ code: String, _ text: @autoclosure () -> String, remedy: @autoclosure () -> String, retryable: Bool = false
    ) -> Cell {
        switch column {
        case .code: Cell(text: code, isRetryable: retryable)
        case .text: Cell(text: text(), isRetryable: retryable)
        case .remedy: Cell(text: remedy(), isRetryable: retryable)
        }
    }

    /// Evaluates a row with a code, and with the text of a detail, after `prefix`, and its remedy.
    package func callAsFunction(
        _ code: String, _ prefix: String, _ detail: some ErrorDetail, retryable: Bool = false
    ) -> Cell {
        self(code, prefix + detail.text, remedy: detail.remedy, retryable: retryable)
    }

    /// Evaluates the row of another reason, whose text follows `prefix`.
    package func callAsFunction(_ prefix: String = "", of reason: some ErrorTable) -> Cell {
        let cell = reason.row(self)
        return column == .text ? Cell(text: prefix + cell.text, isRetryable: cell.isRetryable) : cell
    }

    /// Evaluates the row of a detail.
    package func callAsFunction(_ text: @autoclosure () -> String, remedy: @autoclosure () -> String) -> Cell {
        self("", text(), remedy: remedy())
    }
}

extension ErrorDetail {
    /// The text of the row, of one line. It is safe to log.
    public var description: String { text }
    package var text: String { row(ErrorRow(column: .text)).text }
    package var remedy: String { row(ErrorRow(column: .remedy)).text }
}

extension ErrorTable {
    /// The code of the row.
    public var code: String { row(ErrorRow(column: .code)).text }
    /// The remedy of the row.
    public var remedy: String { row(ErrorRow(column: .remedy)).text }
    /// Whether the row may be retried.
    public var isRetryable: Bool { row(ErrorRow(column: .code)).isRetryable }
}
