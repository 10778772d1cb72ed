import JOSE
import Testing

@Suite("The table of errors") struct ErrorTableTests {
    /// Counts how often texts are built.
    private final class Counter: @unchecked Sendable {  // It is used by one test, in one thread.
        var built = 0
        func text(_ text: String) -> String {
            built += 1
            return text
        }
    }

    private enum Cause: ErrorTable {
        case first(Counter)
        case later(Counter)
        indirect case wrapped(Cause)
        case detailed(Detail)

        func row(_ row: ErrorRow) -> ErrorRow.Cell {
            switch self {
            case .first(let counter): row("first", counter.text("a first"), remedy: counter.text("mend it"))
            case .later(let counter):
                row("later", counter.text("a later"), remedy: counter.text("wait"), retryable: true)
            case .wrapped(let cause): row("wrapped: ", of: cause)
            case .detailed(let detail): row("detailed", "detailed: ", detail)
            }
        }
    }

    private enum Detail: ErrorDetail {
        case only

        func row(_ row: ErrorRow) -> ErrorRow.Cell { row("the only one", remedy: "look at it") }
    }

    @Test("a member evaluates its own column of the row alone, so that a code builds no text")
    func columns() {
        let counter = Counter()
        #expect(Cause.first(counter).code == "first" && Cause.later(counter).code == "later")
        #expect(!Cause.first(counter).isRetryable && Cause.later(counter).isRetryable)
        #expect(Cause.wrapped(.later(counter)).code == "later" && counter.built == 0)
        #expect(Cause.first(counter).description == "a first" && counter.built == 1)
        #expect(Cause.first(counter).remedy == "mend it" && counter.built == 2)
    }

    @Test(
        "an error that wraps another has its code, its remedy and whether it may be retried, and a text before its own")
    func wrapped() {
        let cause = Cause.wrapped(.wrapped(.later(Counter())))
        #expect(cause.code == "later" && cause.remedy == "wait" && cause.isRetryable)
        #expect("\(cause)" == "wrapped: wrapped: a later")
        let detailed = Cause.detailed(.only)
        #expect(detailed.code == "detailed" && detailed.remedy == "look at it" && !detailed.isRetryable)
        #expect("\(detailed)" == "detailed: the only one")
    }

    @Test("an error is caught as a CodedError, with its code, text and remedy; another error is not")
    func caught() {
        func caught(_ error: any Error) -> String? {
            do { throw error } catch let error as any CodedError {
                return "\(error.code): \(error); \(error.remedy); \(error.isRetryable)"
            } catch {
                return nil
            }
        }
        #expect(
            caught(JOSEError.cancelled)
                == "task_cancelled: the task was cancelled while it waited; repeat the call; true")
        #expect(
            caught(JOSEError.certificateInvalid(.expired))
                == "certificate_invalid: the certificate is not trusted: it or a certificate of its path has expired; renew the certificate; false"
        )
        #expect(caught(CancellationError()) == nil)
    }
}
