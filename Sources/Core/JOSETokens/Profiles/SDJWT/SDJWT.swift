public import JOSE
internal import JOSEBytes

/// An SD-JWT as its holder keeps it: the issuer's JWT, and what the holder may show of it (RFC 9901, 4).
///
/// Reading one verifies nothing; a holder verifies it, as it came, with an `SDJWTVerifier` without key binding.
public struct SDJWT: Sendable {
    let jwt: [UInt8]
    /// In the order in which they stand; whether they belong to the JWT is not known yet.
    public let disclosures: [Disclosure]
    /// The key binding JWT of a presentation.
    let binding: [UInt8]?
    let limits: ParsingLimits

    /// Of one that came in JSON.
    let rest: JSONRest

    init(
        jwt: [UInt8], disclosures: [Disclosure], limits: ParsingLimits, rest: JSONRest = JSONRest(), binding: [UInt8]? = nil
    ) {
        self.jwt = jwt
        self.disclosures = disclosures
        self.limits = limits
        self.rest = rest
        self.binding = binding
    }

    /// The compact serialization: parts between `~`, the last of them empty or a key binding JWT. Each disclosure
    /// stands there once (RFC 9901, 7.2).
    public init(_ text: Span<UInt8>, limits: ParsingLimits = .standard) throws(TokenError) {
        guard text.count <= limits.tokenBytes else { throw .jose(.limitExceeded(.tokenBytes), layer: .signature) }
        var parts: [[UInt8]] = []
        var start = 0
        for index in 0..<text.count where text[index] == UInt8(ascii: "~") {
            parts.append(text.extracting(start..<index).copy())
            start = index + 1
        }
        guard let jwt = parts.first, !jwt.isEmpty, parts.count - 1 <= limits.objectMembers else {
            throw .disclosure(.form)
        }
        let binding = start == text.count ? nil : text.extracting(start..<text.count).copy()
        let disclosures = try Self.disclosures(Array(parts.dropFirst()), limits)
        self.init(jwt: jwt, disclosures: disclosures, limits: limits, binding: binding)
    }

    static func disclosures(_ texts: [[UInt8]], _ limits: ParsingLimits) throws(TokenError) -> [Disclosure] {
        var seen = Set<[UInt8]>(minimumCapacity: texts.count)
        var disclosures: [Disclosure] = []
        for text in texts {
            guard seen.insert(text).inserted else { throw .disclosure(.repeatedDisclosure) }
            disclosures.append(try Disclosure(text: text, limits: limits.disclosureJSON))
        }
        return disclosures
    }

    /// The same of a text.
    public init(_ text: String, limits: ParsingLimits = .standard) throws(TokenError) {
        try self.init(text.utf8.span, limits: limits)
    }

    /// What `sd_hash` is of: all but the key binding JWT, the last `~` included (RFC 9901, 4.3.1).
    var unbound: [UInt8] {
        var text = jwt
        text.append(UInt8(ascii: "~"))
        for disclosure in disclosures {
            text.append(contentsOf: disclosure.text)
            text.append(UInt8(ascii: "~"))
        }
        return text
    }

    /// Whether it has a key binding JWT; nothing of that is verified here.
    public var isBound: Bool { binding != nil }

    /// The compact serialization.
    public var text: String { String(decoding: unbound + (binding ?? []), as: UTF8.self) }
}

extension ParsingLimits {
    var disclosureJSON: JSONLimits { JSONLimits(depth: jsonDepth, members: objectMembers) }
}

extension SDJWT: CustomStringConvertible, CustomReflectable {
    /// Says nothing of what it holds.
    public var description: String { "SDJWT(\(disclosures.count) disclosures)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
