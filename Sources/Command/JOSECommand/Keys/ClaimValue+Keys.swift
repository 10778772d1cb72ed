import JOSE
import JOSETokens

extension ClaimValue {
    /// Returns a list of unusable keys, each with its index, its `kid` and the reason.
    static func list(of keys: [UnusableKey]) -> ClaimValue {
        .array(
            keys.map { key in
                var members: ClaimsBuilder = ["index": .integer(Int64(key.index))]
                if let keyID = key.keyID { members["kid"] = .string(keyID) }
                members["reason"] = "\(key.reason)"
                return members.value
            })
    }
}

extension ClaimsBuilder {
    var value: ClaimValue { .object(object) }
}
