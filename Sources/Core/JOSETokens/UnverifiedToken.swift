public import JOSE
internal import JOSESupport

/// The header and the issuer of a token before it is verified, for choosing a verifier.
///
/// Anyone can write these values, and nothing may rely on them. A verifier that is chosen by them must itself require
/// the issuer in its policy.
public struct UnverifiedToken: Sendable {
    /// The outermost header.
    public let header: JOSEHeader
    /// A Boolean value that indicates whether the token is encrypted, so that its claims cannot be read.
    public let isEncrypted: Bool
    /// The issuer, `iss`, of the claims, or of the header if the token is encrypted (RFC 7519, 5.3).
    public let issuer: String?

    /// Reads the outermost header of a token, and the issuer in the claims unless they are encrypted.
    ///
    /// - Parameters:
    ///   - token: The compact serialization, as text or as ASCII bytes.
    ///   - limits: The bounds for parsing.
    /// - Throws: `malformed` or `limitExceeded`. If nothing is thrown, the rest of the token may still be malformed.
    public init(_ token: borrowing some BorrowedBytes, limits: ParsingLimits = .standard) throws(JOSEError) {
        self = try token.withBytes { token throws(JOSEError) in try UnverifiedToken(of: token, limits) }
    }

    private init(of token: Span<UInt8>, _ limits: ParsingLimits) throws(JOSEError) {
        guard token.count <= limits.tokenBytes else { throw .limitExceeded(.tokenBytes) }
        var dots = InlineArray<5, Int>(repeating: 0)
        let found = findDots(in: token, &dots)
        guard found == 2 || found == 4 else { throw .malformed(ParseFailure(.token, .parts)) }
        header = try JOSEHeader(segment: token.extracting(0..<dots[0]), limits: limits)
        isEncrypted = found == 4
        if isEncrypted {
            issuer = header.string("iss")
        } else {
            let name = try ClaimedIssuer.signed(token.extracting(dots[0] + 1..<dots[1]), limits)
            try limits.check(encodedSignature: token.count - dots[1] - 1)
            issuer = name.map { String(decoding: $0, as: UTF8.self) }
        }
    }
}
