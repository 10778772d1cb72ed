import JOSE
import JOSEBytes
import JOSETokens

extension TokenCheck {
    /// Returns the text of the error of a token, with the options of the command, and with the name of the key if the token was rejected
    /// because its key cannot be used.
    func text(of error: TokenError, token: [UInt8]) -> String {
        let key = unusableKey(error, of: token).map { " (\($0.name))" } ?? ""
        return OptionNames.inText("\(error)") + key
    }

    /// Returns the key of the set for which the token was rejected because the key cannot be used; nil for any other error.
    private func unusableKey(_ error: TokenError, of token: [UInt8]) -> UnusableKey? {
        guard case .jose(let reason, let layer) = error else { return nil }
        let keys = keySet(of: layer)?.unusable.filter { $0.reason == reason } ?? []
        guard keys.count > 1, let keyID = (try? UnverifiedToken(token))?.header.keyID else { return keys.first }
        return keys.first { key in key.keyID.map { bytesEqual($0, keyID) } ?? false } ?? keys.first
    }

    /// Returns the keys of a layer at this moment, as far as they are known.
    private func keySet(of layer: TokenLayer) -> KeySet? {
        switch self {
        case .token(let verifier, _): verifier.keySet(of: layer)
        case .layers(let decrypter, let verifier), .json(let decrypter, let verifier):
            layer == .encryption ? decrypter?.keySet : verifier?.keySet
        case .profile: nil
        case .fetched(let check, _): check.keySet(of: layer)
        }
    }
}
