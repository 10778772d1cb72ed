internal import JOSEBytes

/// The claims that a policy can check, each found in one pass over the members.
enum RegisteredClaim: UInt8, CaseIterable, Sendable {
    case iss, sub, aud, exp, nbf, iat, jti, nonce, azp, acr, authTime, atHash, cHash

    var name: StaticString {
        switch self {
        case .iss: "iss"
        case .sub: "sub"
        case .aud: "aud"
        case .exp: "exp"
        case .nbf: "nbf"
        case .iat: "iat"
        case .jti: "jti"
        case .nonce: "nonce"
        case .azp: "azp"
        case .acr: "acr"
        case .authTime: "auth_time"
        case .atHash: "at_hash"
        case .cHash: "c_hash"
        }
    }

    var claimName: ClaimName { ClaimName(name.description) }

    private static let packed: [PackedName] = allCases.map { PackedName($0.name) }

    init?(_ bytes: Span<UInt8>) {
        guard let name = PackedName(bytes), let row = Self.packed.firstIndex(of: name) else { return nil }
        self.init(rawValue: UInt8(row))
    }
}

/// Where the registered claims stand among the members.
struct ClaimPlaces {
    private var places = InlineArray<13, Int32>(repeating: -1)
    private let object: JSONObject

    init(_ object: JSONObject, in bytes: Span<UInt8>) {
        self.object = object
        for (index, member) in object.members.enumerated() {
            let found: RegisteredClaim?
            if member.nameEscaped {
                let name = member.name(in: bytes)
                found = RegisteredClaim(name.utf8.span)
            } else {
                found = RegisteredClaim(bytes.extracting(Int(member.nameStart)..<Int(member.nameEnd)))
            }
            if let found { places[Int(found.rawValue)] = Int32(truncatingIfNeeded: index) }
        }
    }

    subscript(_ claim: RegisteredClaim) -> JSONValue? {
        let place = places[Int(claim.rawValue)]
        return place < 0 ? nil : object.members[Int(place)].value
    }
}
