internal import JOSESupport

/// An ID token that names the user of a login that the back end begins (`id_token_hint`; OpenID Connect CIBA Core,
/// 7.1). The provider verifies it; here only its subject is read.
struct IDTokenHint {
    /// The `sub` of the token; nil if the token is encrypted.
    private let subject: String?

    /// Creates a hint; nil if the text is neither a signed JWT with a `sub` nor an encrypted one.
    init?(_ token: String) {
        let text = token.utf8.span
        var dots = InlineArray<5, Int>(repeating: 0)
        switch findDots(in: text, &dots) {
        case 2:
            guard let payload = Base64URL.decode(text.extracting(dots[0] + 1..<dots[1])),
                let claims = try? JSONObject(parsing: payload.span),
                let subject = claims.first("sub", in: payload.span)?.string(in: payload.span)
            else { return nil }
            self.subject = subject
        case 4: subject = nil
        default: return nil
        }
    }

    /// Returns whether the token may be that of a user. An encrypted token may be any user's.
    func accepts(_ expected: String) -> Bool { subject.map { bytesEqual($0, expected) } ?? true }
}
