#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension DPoPRequest {
    /// Creates a request without an access token for a `URL` of Foundation.
    public init(method: String, url: URL) { self.init(method: method, url: url.absoluteString) }

    /// Creates a request with an access token for a `URL` of Foundation, as the initializer that takes a string does.
    public init(method: String, url: URL, accessToken: String, confirmation: KeyConfirmation) {
        self.init(method: method, url: url.absoluteString, accessToken: accessToken, confirmation: confirmation)
    }
}

extension DPoPProver {
    /// Creates a proof for one request to a `URL` of Foundation, as the method that takes a string does.
    public func proof(
        method: String, url: URL, accessToken: String? = nil, nonce: String? = nil
    ) throws(TokenError) -> String {
        try proof(method: method, url: url.absoluteString, accessToken: accessToken, nonce: nonce)
    }
}
