public import JOSE
internal import JOSEBytes

/// An SD-JWT as its holder stores it: the issuer's JWT, and the disclosures that the holder may present (RFC 9901, 4).
///
/// Reading an SD-JWT verifies nothing. A holder verifies it on receipt, with an `SDJWTVerifier` and without key binding.
public struct SDJWT: Sendable {
    let jwt: [UInt8]
    /// The disclosures, in the order in which the serialization contains them. Whether they belong to the JWT has not
    /// been verified.
    public let disclosures: [Disclosure]
    /// The key binding JWT of a presentation.
    let binding: [UInt8]?
    let limits: ParsingLimits

    /// The other content of an SD-JWT that was read from JSON.
    let rest: JSONRest

    init(
        jwt: [UInt8], disclosures: [Disclosure], limits: ParsingLimits, rest: JSONRest = JSONRest(),
        binding: [UInt8]? = nil
    ) {
        self.jwt = jwt
        self.disclosures = disclosures
        self.limits = limits
        self.rest = rest
        self.binding = binding
    }

    /// Reads an SD-JWT from the compact serialization, given as a span of ASCII bytes, without verifying it: parts separated by
    /// `~`, of which the last is empty or a key binding JWT. No disclosure may be repeated (RFC 9901, 7.2).
    ///
    /// - Parameters:
    ///   - text: The compact serialization, in ASCII.
    ///   - limits: The bounds for parsing.
    /// - Throws: `disclosure` errors for text that is malformed, and `jose` errors for text that exceeds the limits.
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

    /// Reads an SD-JWT from the compact serialization, without verifying it: parts separated by `~`, of which the last is empty
    /// or a key binding JWT. No disclosure may be repeated (RFC 9901, 7.2).
    ///
    /// - Parameters:
    ///   - text: The compact serialization.
    ///   - limits: The bounds for parsing.
    /// - Throws: `disclosure` errors for text that is malformed, and `jose` errors for text that exceeds the limits.
    public init(_ text: String, limits: ParsingLimits = .standard) throws(TokenError) {
        try self.init(text.utf8.span, limits: limits)
    }

    /// The text over which `sd_hash` is computed: everything except the key binding JWT, the last `~` included (RFC 9901, 4.3.1).
    var unbound: [UInt8] {
        var text = jwt
        text.append(UInt8(ascii: "~"))
        for disclosure in disclosures {
            text.append(contentsOf: disclosure.text)
            text.append(UInt8(ascii: "~"))
        }
        return text
    }

    /// A Boolean value that indicates whether there is a key binding JWT. It is not verified here.
    public var isBound: Bool { binding != nil }

    /// The compact serialization.
    public var text: String { String(decoding: unbound + (binding ?? []), as: UTF8.self) }
}

extension ParsingLimits {
    var disclosureJSON: JSONLimits { JSONLimits(depth: jsonDepth, members: objectMembers) }
}

extension SDJWT: CustomStringConvertible, CustomReflectable {
    /// A description with the number of disclosures and none of their content.
    public var description: String { "SDJWT(\(disclosures.count) disclosures)" }
    /// A mirror without children, so that no claim is printed.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
