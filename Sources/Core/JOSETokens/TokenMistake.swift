package import JOSE
internal import JOSESupport

/// A frequent mistake around the text of a token, for explanations.
package enum TextMistake: Sendable {
    /// The text begins or ends with a quotation mark.
    case quotes
    /// The text begins with the name of a scheme, as in a header field.
    case scheme
    /// A part ends with `=`.
    case padding
    /// A part contains `+` or `/`.
    case alphabet

    /// Finds the mistake of a text that is no token; nil if it is none of these.
    package init?(_ text: Span<UInt8>) {
        guard text.count > 0 else { return nil }
        let marks: [UInt8] = [UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`")]
        if marks.contains(text[0]) || marks.contains(text[text.count - 1]) {
            self = .quotes
        } else if ["bearer ", "dpop ", "authorization:"].contains(where: { Self.begins(text, with: $0) }) {
            self = .scheme
        } else if Self.hasPadding(text) {
            self = .padding
        } else if text.indices.contains(where: { [UInt8(ascii: "+"), UInt8(ascii: "/")].contains(text[$0]) }) {
            self = .alphabet
        } else {
            return nil
        }
    }

    /// Whether the text begins with a word, whatever the case of its letters is.
    private static func begins(_ text: Span<UInt8>, with word: String) -> Bool {
        guard text.count >= word.utf8.count else { return false }
        for (index, byte) in word.utf8.enumerated() where text[index] | 0x20 != byte | 0x20 { return false }
        return true
    }

    private static func hasPadding(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where text[index] == UInt8(ascii: "=") {
            if index + 1 == text.count || text[index + 1] == UInt8(ascii: ".") { return true }
        }
        return false
    }

    /// A clause that names the mistake.
    package var text: String {
        switch self {
        case .quotes: "it is in quotation marks"
        case .scheme: "it begins with the name of a scheme, such as Bearer"
        case .padding: "a part has padding, ="
        case .alphabet: "it has + or /, which base64url has not"
        }
    }

    /// A description of how to correct the mistake.
    package var remedy: String {
        switch self {
        case .quotes: "pass the token without the quotation marks around it"
        case .scheme: "pass the token alone, without 'Bearer ' and what else is in front of it in a header field"
        case .padding: "have the issuer encode base64url without padding (RFC 7515, 2)"
        case .alphabet: "have the issuer encode base64url, with - and _ in place of + and / (RFC 4648, 5)"
        }
    }
}

/// A frequent mistake by which a layer of a token is rejected, for explanations.
package enum TokenMistake: Sendable {
    case text(TextMistake)
    case signature(SignatureMistake)

    /// Finds the mistake of a token that was rejected with an error; nil if it is none of the frequent ones.
    ///
    /// - Parameters:
    ///   - error: The error of the layer.
    ///   - token: The text of the layer.
    ///   - verifier: The verifier that rejected a signature; nil for an encryption layer.
    package init?(_ error: JOSEError, in token: Span<UInt8>, _ verifier: JWSVerifier?) {
        switch error {
        case .malformed(let failure) where failure.reason == .base64URL || failure.reason == .parts:
            guard let mistake = TextMistake(token) else { return nil }
            self = .text(mistake)
        // Where the keys may have been replaced, a signature that fails, or whose key is missing, is not rejected yet.
        case .signatureInvalid, .keyNotFound, .keysUnavailable:
            guard let mistake = verifier?.mistake(in: token) else { return nil }
            self = .signature(mistake)
        default: return nil
        }
    }

    /// The description of the error, with the mistake.
    func failure(_ error: some CustomStringConvertible) -> String {
        switch self {
        case .text(let mistake): "\(error): \(mistake.text)"
        case .signature(let mistake): "\(error): the signature \(mistake)"
        }
    }

    var remedy: String {
        switch self {
        case .text(let mistake): mistake.remedy
        case .signature(let mistake): mistake.remedy
        }
    }
}

extension TokenVerifier.Layers {
    /// Returns the frequent mistake by which a token was rejected with this error; nil for any other cause. A nested
    /// token is decrypted once more for it.
    func mistake(in token: Span<UInt8>, _ error: TokenError) -> TokenMistake? {
        guard case .jose(let fault, let layer) = error else { return nil }
        switch (self, layer) {
        case (.signed(let verifier), .signature): return TokenMistake(fault, in: token, verifier)
        case (.nested(_, let verifier), .signature):
            var process = TokenProcess()
            var plaintext = SecretBytes(capacity: 0)
            guard (try? decrypt(token, into: &plaintext, &process)) != nil else { return nil }
            return plaintext.withBytes { TokenMistake(fault, in: $0, verifier) }
        default: return TokenMistake(fault, in: token, nil)
        }
    }
}
