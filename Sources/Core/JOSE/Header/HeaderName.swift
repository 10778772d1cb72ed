internal import JOSESupport

/// The registered header members (RFC 7515, 4.1; RFC 7516, 4.1; RFC 7518, 4.6 to 4.8; RFC 7797, 3), and the claims that
/// may be copied into a JWE's header (RFC 7519, 5.3).
enum HeaderName: UInt8, CaseIterable, Sendable {
    case alg, enc, kid, typ, cty, crit, zip, epk, apu, apv, b64
    case jku, jwk, x5u, x5c, x5t, x5tS256, iv, tag, p2s, p2c
    case iss, sub, aud

    /// The names of the members, in the order of the cases.
    private static let names: [StaticString] = [
        "alg", "enc", "kid", "typ", "cty", "crit", "zip", "epk", "apu", "apv", "b64",
        "jku", "jwk", "x5u", "x5c", "x5t", "x5t#S256", "iv", "tag", "p2s", "p2c",
        "iss", "sub", "aud",
    ]

    var name: StaticString { Self.names[Int(rawValue)] }

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

    static let table = NameTable(names)

    init?(_ bytes: Span<UInt8>) {
        guard let row = Self.table.row(bytes, start: 0, end: bytes.count) else { return nil }
        self.init(rawValue: row)
    }
}
