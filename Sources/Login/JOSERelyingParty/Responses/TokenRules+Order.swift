internal import JOSE
internal import JOSEKeySets
internal import JOSESupport
internal import JOSETokens

extension TokenRules {
    /// Returns which error of a rejected token is reported. A token of three parts where five are required is not
    /// encrypted. Of several errors of the outermost header, which is read again, it is the first of `alg`, `enc`,
    /// `crit`, and `zip` or `typ`, in the order of the providers' specifications.
    func reason(for error: TokenError, of token: [UInt8]) -> RelyingPartyError.Reason {
        if case .jose(.malformed, layer: .encryption) = error {
            var dots = InlineArray<5, Int>(repeating: 0)
            let bytes = token.span
            if findDots(in: bytes, &dots) == 2 { return .notEncrypted }
        }
        let failure = RelyingPartyError.Reason(error, isNested: layers == .nested)
        let isOutermost: Bool
        switch error {
        case .jose(.criticalHeaderUnknown, let layer), .jose(.headerInvalid(.compression), let layer),
            .jose(.headerInvalid(.compressionNotBuilt), let layer), .jose(.headerInvalid(.type), let layer):
            isOutermost = layer == (layers == .signed ? .signature : .encryption)
        default: isOutermost = false
        }
        guard isOutermost, let header = try? UnverifiedToken(token).header else { return failure }
        let allowed = layers == .signed ? algorithms.map(\.name) : keyManagement.map(\.name)
        guard allowed.contains(where: { bytesEqual($0, header.algorithmName ?? "") }) else {
            return .algorithmNotAllowed
        }
        if layers != .signed,
            !contentEncryption.contains(where: { bytesEqual($0.name, header.contentEncryptionName ?? "") })
        {
            return .encryptionNotAllowed
        }
        // The type is compared after `crit`, whose names are then understood.
        if case .jose(.headerInvalid(.type), _) = error { return failure }
        return header.json("crit") == nil ? failure : .criticalNotUnderstood
    }
}
