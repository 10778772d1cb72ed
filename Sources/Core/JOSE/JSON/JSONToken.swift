internal import JOSESupport

/// A form of the JSON serialization (RFC 7515, 7.2; RFC 7516, 7.2).
public enum JSONForm: Sendable {
    /// The general serialization, with any number of signatures or recipients in an array.
    case general
    /// The flattened serialization, with one signature or recipient, whose members are at the top level.
    case flattened
}

/// One object of a JSON serialization. Names are unique, and a member of another JSON type than its RFC specifies is
/// rejected, not ignored.
struct JSONToken {
    private let members: [JSONMember]

    /// Reads the whole text, which is rejected if it exceeds the limit.
    init(_ text: Span<UInt8>, limits: ParsingLimits) throws(JOSEError) {
        guard text.count <= limits.tokenBytes else { throw .limitExceeded(.tokenBytes) }
        do throws(JSONFault) {
            members = try JSONObject(parsing: text, limits: limits.json).members
        } catch {
            throw JOSEError(error, in: .token)
        }
    }

    /// Reads an element of `signatures` or `recipients`.
    init(_ element: JSONValue, in text: Span<UInt8>) throws(JOSEError) {
        guard let members = element.object(in: text) else { throw .malformed(ParseFailure(.token, .json)) }
        self.members = members
    }

    /// Returns the value of a string member, or nil where it is absent.
    func string(
        _ name: StaticString, _ part: ParseFailure.Part, in text: Span<UInt8>
    ) throws(JOSEError) -> [UInt8]? {
        guard let value = members.first(name, in: text) else { return nil }
        guard let bytes = value.stringBytes(in: text) else { throw .malformed(ParseFailure(part, .json)) }
        return bytes
    }

    /// Returns the decoded value of a base64url member, or nil where it is absent.
    func decoded(
        _ name: StaticString, _ part: ParseFailure.Part, in text: Span<UInt8>
    ) throws(JOSEError) -> [UInt8]? {
        guard let encoded = try string(name, part, in: text) else { return nil }
        guard let bytes = Base64URL.decode(encoded.span) else { throw .malformed(ParseFailure(part, .base64URL)) }
        return bytes
    }

    /// Returns the text of an object member, or nil where it is absent.
    func object(_ name: StaticString, in text: Span<UInt8>) throws(JOSEError) -> [UInt8]? {
        guard let value = members.first(name, in: text) else { return nil }
        guard value.kind == .object else { throw .malformed(ParseFailure(.header, .json)) }
        return value.slice(in: text)
    }

    /// Returns the elements of an array member, which must not be empty, or nil where it is absent.
    func list(
        _ name: StaticString, maximum: Int, _ limit: ParsingLimit, in text: Span<UInt8>
    ) throws(JOSEError) -> [JSONToken]? {
        guard let value = members.first(name, in: text) else { return nil }
        guard let elements = value.array(in: text), !elements.isEmpty else {
            throw .malformed(ParseFailure(.token, .json))
        }
        guard elements.count <= maximum else { throw .limitExceeded(limit) }
        var tokens: [JSONToken] = []
        for element in elements { tokens.append(try JSONToken(element, in: text)) }
        return tokens
    }

    /// Rejects members that belong to another form. Unknown names are ignored (RFC 7515, 7.2.1), but must not contain a
    /// dot, because another reader could take the text for a compact token (CVE-2022-39227).
    func check(known: [StaticString], foreign: [StaticString], in text: Span<UInt8>) throws(JOSEError) {
        for member in members {
            if known.contains(where: { member.nameEquals($0, in: text) }) { continue }
            if foreign.contains(where: { member.nameEquals($0, in: text) }) {
                throw .malformed(ParseFailure(.token, .parts))
            }
            for index in Int(member.nameStart)..<Int(member.value.end) where text[index] == UInt8(ascii: ".") {
                throw .malformed(ParseFailure(.token, .parts, at: index))
            }
        }
    }
}
