public import JOSE
internal import JOSEBytes

/// What a token says of itself before anything is verified: enough to choose a verifier by, and nothing to rely on.
///
/// Anyone can write these values. A verifier chosen by them must itself name the issuer in its policy.
public struct UnverifiedToken: Sendable {
    /// The outermost header.
    public let header: JOSEHeader
    /// Five parts: the claims cannot be seen.
    public let isEncrypted: Bool
    /// `iss` of the claims, or of the header of an encrypted token (RFC 7519, 5.3).
    public let issuer: String?

    /// Reads the first header, and the claims where they lie open. Throws `malformed` or `limitExceeded`; that nothing
    /// was thrown says nothing of the rest.
    public init(_ token: Span<UInt8>, limits: ParsingLimits = .standard) throws(JOSEError) {
        guard token.count <= limits.tokenBytes else { throw .limitExceeded(.tokenBytes) }
        var dots = InlineArray<5, Int>(repeating: 0)
        let found = findDots(in: token, &dots)
        guard found == 2 || found == 4 else { throw .malformed(ParseFailure(.token, .parts)) }
        header = try JOSEHeader(segment: token.extracting(0..<dots[0]), limits: limits)
        isEncrypted = found == 4
        if isEncrypted {
            issuer = header.string("iss")
        } else {
            guard let payload = Base64URL.decode(token.extracting(dots[0] + 1..<dots[1])) else {
                throw .malformed(ParseFailure(.payload, .base64URL))
            }
            var json = JSONLimits()
            json.depth = limits.jsonDepth
            json.members = limits.objectMembers
            do throws(JSONFault) {
                issuer = try JSONObject(parsing: payload.span, limits: json)
                    .first("iss", in: payload.span)?.string(in: payload.span)
            } catch {
                throw JOSEError(error, in: .claims)
            }
        }
    }

    /// The same of bytes in an array.
    public init(_ token: [UInt8], limits: ParsingLimits = .standard) throws(JOSEError) {
        try self.init(token.span, limits: limits)
    }

    /// The same of a text.
    public init(_ token: String, limits: ParsingLimits = .standard) throws(JOSEError) {
        try self.init(token.utf8.span, limits: limits)
    }
}
