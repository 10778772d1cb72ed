internal import JOSEBytes

/// A form of the JSON serialization (RFC 7515, 7.2; RFC 7516, 7.2).
public enum JSONForm: Sendable {
    /// Any number of signatures or recipients, in an array.
    case general
    /// One signature or recipient, its members among the others.
    case flattened
}

/// One object of a JSON serialization. There is one reading of it: names are unique, and a member of another kind than
/// its RFC gives it is refused, never passed over.
struct JSONToken {
    private let members: [JSONMember]

    /// The whole text, refused over the limit.
    init(_ text: Span<UInt8>, limits: ParsingLimits) throws(JOSEError) {
        guard text.count <= limits.tokenBytes else { throw .limitExceeded(.tokenBytes) }
        do throws(JSONFault) {
            members = try JSONObject(parsing: text, limits: limits.json).members
        } catch {
            throw JOSEError(error, in: .token)
        }
    }

    /// An element of `signatures` or `recipients`.
    init(_ element: JSONValue, in text: Span<UInt8>) throws(JOSEError) {
        guard let members = element.object(in: text) else { throw .malformed(ParseFailure(.token, .json)) }
        self.members = members
    }

    func has(_ name: StaticString, in text: Span<UInt8>) -> Bool { members.first(name, in: text) != nil }

    /// A string's value; nil where it is absent.
    func string(
        _ name: StaticString, _ part: ParseFailure.Part, in text: Span<UInt8>
    ) throws(JOSEError) -> [UInt8]? {
        guard let value = members.first(name, in: text) else { return nil }
        guard let bytes = value.stringBytes(in: text) else { throw .malformed(ParseFailure(part, .json)) }
        return bytes
    }

    /// Base64url, decoded; nil where it is absent.
    func decoded(
        _ name: StaticString, _ part: ParseFailure.Part, in text: Span<UInt8>
    ) throws(JOSEError) -> [UInt8]? {
        guard let encoded = try string(name, part, in: text) else { return nil }
        guard let bytes = Base64URL.decode(encoded.span) else { throw .malformed(ParseFailure(part, .base64URL)) }
        return bytes
    }

    /// An object's text; nil where it is absent.
    func object(_ name: StaticString, in text: Span<UInt8>) throws(JOSEError) -> [UInt8]? {
        guard let value = members.first(name, in: text) else { return nil }
        guard value.kind == .object else { throw .malformed(ParseFailure(.header, .json)) }
        return value.slice(in: text)
    }

    /// The elements of a list that is not empty; nil where it is absent.
    func list(
        _ name: StaticString, most: Int, _ limit: ParsingLimit, in text: Span<UInt8>
    ) throws(JOSEError) -> [JSONToken]? {
        guard let value = members.first(name, in: text) else { return nil }
        guard let elements = value.array(in: text), !elements.isEmpty else {
            throw .malformed(ParseFailure(.token, .json))
        }
        guard elements.count <= most else { throw .limitExceeded(limit) }
        var tokens: [JSONToken] = []
        for element in elements { tokens.append(try JSONToken(element, in: text)) }
        return tokens
    }

    /// Refuses members that belong to another form. Names that no form knows are passed over (RFC 7515, 7.2.1), but
    /// may not hold a dot: another reader could take the text for a compact token (CVE-2022-39227).
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
