extension JWSVerifier {
    /// Throws where the policy and the keys could accept no token: a mistake is reported when the verifier is made, and not with
    /// each token. Keys that may change are not examined, and none are needed where certificates in tokens are trusted.
    package func checkConfiguration() throws(JOSEError) {
        guard !policy.algorithms.isEmpty else { throw .configurationInvalid(.noAlgorithms) }
        guard certified == nil, let fixed = keys.fixed else { return }
        try fixed.keys.checkFitting(among: fixed.set) { key in
            policy.algorithms.map { KeySelection.unsuitability(of: key, for: $0, .verify) }
        }
    }
}

extension JWEDecrypter {
    /// Throws where the policy and the keys could accept no token. Keys that may change are not examined.
    package func checkConfiguration() throws(JOSEError) {
        guard !policy.keyManagement.isEmpty, !policy.contentEncryption.isEmpty else {
            throw .configurationInvalid(.noAlgorithms)
        }
        guard let fixed = keys.fixed else { return }
        try fixed.keys.checkFitting(among: fixed.set) { key in
            policy.keyManagement.map { KeySelection.unsuitability(of: key, for: $0, .decrypt) }
        }
    }
}

extension CandidateKeys {
    /// Throws where no key fits an algorithm. `reasons` are those of a key, one for each algorithm.
    fileprivate func checkFitting(among set: KeySet, _ reasons: (JWK) -> [KeyMismatch?]) throws(JOSEError) {
        guard !hasFitting else { return }
        guard let first = set.keys.first else {
            guard let unusable = set.unusable.first else { throw .configurationInvalid(.noKeys) }
            if case .keyUnsuitable(let reason) = unusable.reason { throw .configurationInvalid(.noSuitableKey(reason)) }
            throw .configurationInvalid(.noSuitableKey(.kind))
        }
        // A key of another kind says less than one of the right kind that lacks something else.
        let found = reasons(first).compactMap { $0 }
        throw .configurationInvalid(.noSuitableKey(found.first { $0 != .kind } ?? .kind))
    }
}
