import Foundation

/// A JSON value of test data, read by Foundation so that it does not depend on the parser under test.
package indirect enum JSON: Equatable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    package init(_ text: some Sequence<UInt8>) throws {
        self = try JSONDecoder().decode(JSON.self, from: Data(text))
    }

    package subscript(_ name: String) -> JSON? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    package var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// Compact text, members sorted by name.
    package var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else { preconditionFailure("JSON with a number that is not finite") }
        return String(decoding: data, as: UTF8.self)
    }
}

extension JSON: Codable {
    package init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let string = try? value.decode(String.self) {
            self = .string(string)
        } else if let array = try? value.decode([JSON].self) {
            self = .array(array)
        } else {
            self = .object(try value.decode([String: JSON].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .null: try value.encodeNil()
        case .bool(let bool): try value.encode(bool)
        case .number(let number): try value.encode(number)
        case .string(let string): try value.encode(string)
        case .array(let array): try value.encode(array)
        case .object(let object): try value.encode(object)
        }
    }
}
