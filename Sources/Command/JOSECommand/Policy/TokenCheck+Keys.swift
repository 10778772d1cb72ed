import JOSE
import JOSESettings
import JOSESupport
import JOSETokens

extension TokenCheck {
    /// The largest number of unusable keys that an answer names.
    private static let maximumNamed = 10

    /// Returns the text of the error of a token, with the options of the command, and with the first unusable key that
    /// the token may have needed.
    func text(of error: TokenError, token: [UInt8]) -> String {
        let text = OptionNames.inText("\(error)")
        guard case .jose(let reason, _) = error, let key = unusableKeys(error, of: token.span).first else {
            return text
        }
        return text + " (" + (key.reason == reason ? key.name : key.description) + ")"
    }

    /// Returns the unusable keys of the set that a rejected token may have needed: those whose reason the error is;
    /// otherwise those with the `kid` of the token and those without one, or all of them if the token has none that can
    /// be read. There are none for an error that no key causes.
    func unusableKeys(_ error: TokenError, of token: Span<UInt8>) -> [UnusableKey] {
        guard case .jose(let reason, let layer) = error, let unusable = keySet(of: layer)?.unusable, !unusable.isEmpty
        else { return [] }
        let isReason = unusable.contains { $0.reason == reason }
        switch reason {
        case .keyUnsuitable(.ambiguous): return []
        case .keyNotFound, .keyUnsuitable: break
        default: guard isReason else { return [] }
        }
        let wanted = Self.keyID(of: token, in: layer)
        let named = unusable.filter { key in
            guard let wanted, let keyID = key.keyID else { return true }
            return bytesEqual(keyID, wanted)
        }
        let causes = named.filter { $0.reason == reason }
        return Array((causes.isEmpty ? named : causes).prefix(Self.maximumNamed))
    }

    /// Returns the `kid` of a layer's header; nil if it has none, or if the header is inside an encrypted token.
    private static func keyID(of token: Span<UInt8>, in layer: TokenLayer) -> String? {
        guard let end = (0..<token.count).first(where: { token[$0] == UInt8(ascii: ".") }),
            let header = try? JOSEHeader(segment: token.extracting(0..<end), limits: .standard),
            (header.string("enc") != nil) == (layer == .encryption)
        else { return nil }
        return header.keyID
    }

    /// Returns the keys of a layer at this moment, as far as they are known.
    private func keySet(of layer: TokenLayer) -> KeySet? {
        switch self {
        case .token(let verifier, _): return verifier.keySet(of: layer)
        case .layers(let decrypter, let verifier), .json(let decrypter, let verifier):
            return layer == .encryption ? decrypter?.keySet : verifier?.keySet
        case .profile: return nil
        case .fetched(let check, let source):
            if let set = check.keySet(of: layer) { return set }
            return layer == .signature ? source.currentSet : nil
        }
    }
}
