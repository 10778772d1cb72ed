internal import JOSEBytes

/// The registered header members (RFC 7515, 4.1; RFC 7516, 4.1; RFC 7518, 4.6 to 4.8; RFC 7797, 3), and the claims that
/// may be copied into a JWE's header (RFC 7519, 5.3).
enum HeaderName: UInt8, CaseIterable, Sendable {
    case alg, enc, kid, typ, cty, crit, zip, epk, apu, apv, b64
    case jku, jwk, x5u, x5c, x5t, x5tS256, iv, tag, p2s, p2c
    case iss, sub, aud

    var name: StaticString {
        switch self {
        case .alg: "alg"
        case .enc: "enc"
        case .kid: "kid"
        case .typ: "typ"
        case .cty: "cty"
        case .crit: "crit"
        case .zip: "zip"
        case .epk: "epk"
        case .apu: "apu"
        case .apv: "apv"
        case .b64: "b64"
        case .jku: "jku"
        case .jwk: "jwk"
        case .x5u: "x5u"
        case .x5c: "x5c"
        case .x5t: "x5t"
        case .x5tS256: "x5t#S256"
        case .iv: "iv"
        case .tag: "tag"
        case .p2s: "p2s"
        case .p2c: "p2c"
        case .iss: "iss"
        case .sub: "sub"
        case .aud: "aud"
        }
    }

    /// The JSON type that the RFC specifies for the member; nil where it is checked at its use.
    var kind: JSONKind? {
        switch self {
        case .alg, .enc, .kid, .typ, .cty, .zip, .apu, .apv, .jku, .x5u, .x5t, .x5tS256, .iv, .tag, .p2s: .string
        case .crit, .x5c: .array
        case .epk, .jwk: .object
        case .p2c: .number
        case .b64, .iss, .sub, .aud: nil
        }
    }

    /// Whether `crit` may name it: all but the members of JWS, JWE and JWA themselves (RFC 7515, 4.1.11).
    var mayBeCritical: Bool {
        switch self {
        case .b64, .iss, .sub, .aud: true
        default: false
        }
    }

    static let table = NameTable(allCases.map(\.name))

    init?(_ bytes: Span<UInt8>) {
        guard let row = Self.table.row(bytes, start: 0, end: bytes.count) else { return nil }
        self.init(rawValue: row)
    }
}
