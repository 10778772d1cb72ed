public import JOSE
internal import JOSESupport

/// An SD-JWT as its holder stores it: the issuer's JWT, and the disclosures that the holder may present (RFC 9901, 4).
///
/// Reading an SD-JWT verifies nothing. A holder verifies it on receipt, with an `SDJWTVerifier` and without key
/// binding.
public struct SDJWT: Sendable {
    /// The text over which `sd_hash` is computed: everything except the key binding JWT, the last `~` included (RFC
    /// 9901, 4.3.1).
    let unbound: [UInt8]
    /// The number of bytes of the issuer's JWT, with which `unbound` begins.
    private let jwtCount: Int
    /// The disclosures, in the order in which the serialization contains them. Whether they belong to the JWT has not
    /// been verified.
    public let disclosures: [Disclosure]
    /// The key binding JWT of a presentation.
    let binding: [UInt8]?
    let limits: ParsingLimits

    /// The other content of an SD-JWT that was read from JSON.
    let other: OtherJSON

    init(
        jwt: [UInt8], disclosures: [Disclosure], limits: ParsingLimits, other: OtherJSON = OtherJSON(),
        binding: [UInt8]? = nil
    ) {
        var text: [UInt8] = []
        text.reserveCapacity(disclosures.reduce(jwt.count + 1) { $0 + $1.text.count + 1 })
        text.append(contentsOf: jwt)
        text.append(UInt8(ascii: "~"))
        for disclosure in disclosures {
            text.append(contentsOf: disclosure.text)
            text.append(UInt8(ascii: "~"))
        }
        self.init(
            unbound: text, jwtCount: jwt.count, disclosures: disclosures, limits: limits, other: other, binding: binding
        )
    }

    private init(
        unbound: [UInt8], jwtCount: Int, disclosures: [Disclosure], limits: ParsingLimits, other: OtherJSON,
        binding: [UInt8]?
    ) {
        self.unbound = unbound
        self.jwtCount = jwtCount
        self.disclosures = disclosures
        self.limits = limits
        self.other = other
        self.binding = binding
    }

    /// Reads an SD-JWT from the compact serialization without verifying it: parts separated by `~`, of which the last
    /// is empty or a key binding JWT. No disclosure may be repeated (RFC 9901, 7.2).
    ///
    /// - Parameters:
    ///   - text: The compact serialization, as text or as ASCII bytes.
    ///   - limits: The bounds for parsing.
    /// - Throws: `disclosure` errors for text that is malformed, and `jose` errors for text that exceeds the limits.
    public init(_ text: borrowing some BorrowedBytes, limits: ParsingLimits = .standard) throws(TokenError) {
        self = try text.withBytes { text throws(TokenError) in try SDJWT(text, limits: limits) }
    }

    init(_ text: Span<UInt8>, limits: ParsingLimits) throws(TokenError) {
        guard text.count <= limits.tokenBytes else { throw .jose(.limitExceeded(.tokenBytes), layer: .signature) }
        var ends: [Int] = []
        for index in 0..<text.count where text[index] == UInt8(ascii: "~") { ends.append(index) }
        guard let jwtCount = ends.first, let last = ends.last, jwtCount > 0 else { throw .disclosure(.form) }
        var reader = try DisclosureReader(count: ends.count - 1, limits)
        for (end, next) in zip(ends, ends.dropFirst()) { try reader.read(text.extracting((end + 1)..<next).copy()) }
        let start = last + 1
        self.init(
            unbound: text.extracting(0..<start).copy(), jwtCount: jwtCount, disclosures: reader.disclosures,
            limits: limits, other: OtherJSON(),
            binding: start == text.count ? nil : text.extracting(start..<text.count).copy())
    }

    /// The issuer's JWT.
    var jwt: [UInt8] { Array(unbound[..<jwtCount]) }

    /// The range of the issuer's JWT in `unbound`.
    var jwtRange: Range<Int> { 0..<jwtCount }

    /// A Boolean value that indicates whether there is a key binding JWT. It is not verified here.
    public var isBound: Bool { binding != nil }

    /// The compact serialization.
    public var text: String { String(decoding: unbound + (binding ?? []), as: UTF8.self) }
}

/// A reader of the disclosures of one SD-JWT, of which none may be repeated.
struct DisclosureReader {
    private(set) var disclosures: [Disclosure] = []
    private var seen = DistinctTexts()
    private let limits: JSONLimits

    /// Creates a reader of `count` disclosures, each of which is a member of an object or an element of an array.
    init(count: Int, _ limits: ParsingLimits) throws(TokenError) {
        guard count <= limits.objectMembers else { throw .jose(.limitExceeded(.objectMembers), layer: .signature) }
        disclosures.reserveCapacity(count)
        self.limits = limits.json
    }

    mutating func read(_ text: [UInt8]) throws(TokenError) {
        guard seen.add(text.span) else { throw .disclosure(.repeatedDisclosure) }
        disclosures.append(try Disclosure(text: text, limits: limits))
    }
}

extension TokenError {
    /// Creates the error for a JSON fault of an SD-JWT: an exceeded limit is that, and every other fault is `reason`.
    init(_ fault: JSONFault, _ reason: DisclosureFault) {
        let error = JOSEError(fault, in: .token)
        self = if case .limitExceeded = error { .jose(error, layer: .signature) } else { .disclosure(reason) }
    }
}

extension SDJWT: Redacted {
    /// A description with the number of disclosures and none of their content.
    package var summary: String { "SDJWT(\(disclosures.count) disclosures)" }
}
