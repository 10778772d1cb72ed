/// HTML. Text that is interpolated into a literal is escaped, and other markup is not: there is no other way to create
/// one.
package struct Markup: Sendable, ExpressibleByStringInterpolation {
    package let text: String

    package init(stringLiteral text: String) { self.text = text }
    package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }
        package mutating func appendLiteral(_ literal: String) { text += literal }
        package mutating func appendInterpolation(_ value: String) { text += Markup.escaped(value) }
        package mutating func appendInterpolation(_ value: Int) { text += String(value) }
        package mutating func appendInterpolation(_ markup: Markup) { text += markup.text }
        package mutating func appendInterpolation(_ markups: [Markup]) {
            text += markups.map(\.text).joined(separator: "\n")
        }
    }

    package static let nothing: Markup = ""

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
