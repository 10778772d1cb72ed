/// Which of several signatures must hold (RFC 7515, 5.2 leaves it to the application).
public enum SignatureRequirement: Sendable, Equatable {
    /// One suffices; the others may be by anyone, under any algorithm.
    case any
    /// Each one that the token has.
    case all
    /// One by each of these keys; others may be there besides.
    case keys([KeyName])

    /// A key of the verifier's own set, never one that the token brings.
    public enum KeyName: Sendable, Hashable {
        /// The `kid` of the key in the set.
        case keyID(String)
        /// The SHA-256 thumbprint (RFC 7638).
        case thumbprint([UInt8])

        func names(_ key: JWK) throws(JOSEError) -> Bool {
            switch self {
            case .keyID(let id): key.keyIDBytes == Array(id.utf8)
            case .thumbprint(let thumbprint): try key.thumbprint() == thumbprint
            }
        }
    }

    /// Whether `error` of one signature, and not `other` of an earlier one, is thrown where the requirement is not met.
    func prefers(_ error: JOSEError, to other: JOSEError?) -> Bool {
        guard let other else { return true }
        // One rejected signature settles the outcome of `all`; otherwise one that could not be verified leaves it open.
        if error.isRetryable != other.isRetryable { return error.isRetryable != (self == .all) }
        // An invalid signature says more than one by an unknown key.
        return error == .signatureInvalid
    }

    /// Whether `verified` suffices. `failure`: what was wrong with those that did not hold, if any did not.
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
