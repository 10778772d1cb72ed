/// A rule for which signatures of a token must be valid. RFC 7515, 5.2 leaves the decision to the application.
public enum SignatureRequirement: Sendable, Equatable {
    /// One valid signature suffices. The others may be invalid, by any key and with any algorithm.
    case any
    /// Every signature of the token must be valid.
    case all
    /// A valid signature by each of these keys is required. There may be further signatures.
    case keys([KeyName])

    /// An identifier of a key in the verifier's own key set. It never identifies a key that is contained in the token.
    public enum KeyName: Sendable, Hashable {
        /// The `kid` of the key in the set.
        case keyID(String)
        /// The SHA-256 thumbprint of the key (RFC 7638).
        case thumbprint([UInt8])

        func names(_ key: JWK) throws(JOSEError) -> Bool {
            switch self {
            case .keyID(let id): key.keyIDBytes == Array(id.utf8)
            case .thumbprint(let thumbprint): try key.thumbprint() == thumbprint
            }
        }
    }

    /// Returns whether `error` of one signature, and not `other` of an earlier one, is thrown where the requirement is
    /// not met.
    func prefers(_ error: JOSEError, to other: JOSEError?) -> Bool {
        guard let other else { return true }
        // One rejected signature settles the outcome of `all`; otherwise one that could not be verified leaves it open.
        if error.isRetryable != other.isRetryable { return error.isRetryable != (self == .all) }
        // An invalid signature is more informative than one by an unknown key.
        return error == .signatureInvalid
    }

    /// Throws unless the verified signatures meet the requirement. `failure` is the error of one that was not valid, if
    /// there is one.
    func check(_ verified: [VerifiedSignature], _ failure: JOSEError?) throws(JOSEError) {
        guard !verified.isEmpty else { throw failure ?? .signatureInvalid }
        switch self {
        case .any: return
        case .all: if let failure { throw failure }
        case .keys(let names):
            for name in names {
                var isThere = false
                for signature in verified where try name.names(signature.key) { isThere = true }
                guard isThere else { throw failure ?? .keyNotFound }
            }
        }
    }
}
