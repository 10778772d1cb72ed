#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension DPoPRequest {
    /// Creates a request without an access token for a `URL` of Foundation.
    ///
    /// - Parameters:
    ///   - method: The method of the request line.
    ///   - url: The URL that the client called.
    public init(method: String, url: URL) { self.init(method: method, url: url.absoluteString) }

    /// Creates a request with an access token for a `URL` of Foundation.
    ///
    /// - Parameters:
    ///   - method: The method of the request line.
    ///   - url: The URL that the client called.
    ///   - accessToken: The access token.
    ///   - confirmation: The `cnf` claim of the verified access token.
    public init(method: String, url: URL, accessToken: String, confirmation: KeyConfirmation) {
        self.init(method: method, url: url.absoluteString, accessToken: accessToken, confirmation: confirmation)
    }
}

extension DPoPProver {
    /// Creates a proof for one request to a `URL` of Foundation.
    ///
    /// - Parameters:
    ///   - method: The method of the request line.
    ///   - url: The URL of the request. Its query and fragment are left out of the proof.
    ///   - accessToken: The access token of the request, if it has one.
    ///   - nonce: The newest nonce that the server provided, or nil if it provided none (RFC 9449, 8).
    /// - Returns: The proof, for the header field `DPoP`.
    /// - Throws: The errors of `proof(method:url:accessToken:nonce:)` for a `String`.
    public func proof(
        method: String, url: URL, accessToken: String? = nil, nonce: String? = nil
    ) throws(TokenError) -> String {
        try proof(method: method, url: url.absoluteString, accessToken: accessToken, nonce: nonce)
    }
}
