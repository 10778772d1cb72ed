extension JWSVerifier {
    /// Throws where the policy and the keys could accept no token: a mistake is reported when the verifier is made, and
    /// not with each token. Keys that may change are not examined, and none are needed where certificates in tokens are
    /// trusted.
    package func checkConfiguration() throws(JOSEError) {
        guard !policy.algorithms.isEmpty else { throw .configurationInvalid(.noAlgorithms) }
        // No certificate contains the key of a MAC.
        if certified != nil, policy.algorithms.contains(where: { $0.core.traits.key != .octets }) { return }
        guard let fixed = keys.fixed else { return }
        try fixed.set.checkFitting { key in
            policy.algorithms.map { KeySelection.unsuitability(of: key, for: $0, .verify) }
        }
    }
}

extension JWEDecrypter {
    /// Throws where the policy and the keys could accept no token. Keys that may change are not examined.
    package func checkConfiguration() throws(JOSEError) {
        try policy.checkAlgorithms()
        let external = shared.allKeys?.additional ?? []
        let fixed = if let all = shared.allKeys { all.fixed?.set } else { keys.fixed?.set }
        guard let set = fixed, !external.contains(where: { $0.fits != 0 }) else { return }
        guard let key = external.first, set.keys.isEmpty else {
            return try set.checkFitting(policy.unsuitabilities)
        }
        let reasons = policy.keyManagement.compactMap { key.unsuitability(for: $0) }
        throw .configurationInvalid(.noSuitableKey(reasons.first { $0 != .kind } ?? .kind))
    }
}

extension EncryptionPolicy {
    fileprivate func checkAlgorithms() throws(JOSEError) {
        guard !keyManagement.isEmpty, !contentEncryption.isEmpty else { throw .configurationInvalid(.noAlgorithms) }
    }

    /// Returns the reason why the key does not fit each algorithm, nil where it fits. A key for `dir` must fit a
    /// content encryption algorithm.
    fileprivate func unsuitabilities(of key: JWK) -> [KeyMismatch?] {
        keyManagement.flatMap { algorithm -> [KeyMismatch?] in
            guard algorithm == .dir else { return [KeySelection.unsuitability(of: key, for: algorithm, .decrypt)] }
            return contentEncryption.map {
                KeySelection.unsuitability(of: key, for: .dir, .decrypt, encryption: $0)
            }
        }
    }
}

extension KeySet {
    /// Throws where no key fits an algorithm. `reasons` are those of a key, one for each algorithm.
    fileprivate func checkFitting(_ reasons: (JWK) -> [KeyMismatch?]) throws(JOSEError) {
        var found: [KeyMismatch] = []
        for key in keys {
            let reasons = reasons(key)
            if reasons.contains(nil) { return }
            found += reasons.compactMap { $0 }
        }
        if keys.isEmpty {
            guard let first = unusable.first else { throw .configurationInvalid(.noKeys) }
            if case .keyUnsuitable(let reason) = first.reason { found.append(reason) }
        }
        // A key of another kind says less than one of the right kind that lacks something else.
        throw .configurationInvalid(.noSuitableKey(found.first { $0 != .kind } ?? .kind))
    }
}
