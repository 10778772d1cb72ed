#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension RelyingPartyClient {
    /// Creates a client with one redirect URI, given as a `URL` of Foundation.
    ///
    /// - Parameters:
    ///   - id: The client identifier (`client_id`).
    ///   - redirectURI: The redirect URI, whose absolute text must be byte for byte the one that is registered with the
    ///     provider.
    ///   - credentials: The private keys or the secret of the client.
    public init(id: String, redirectURI: URL, credentials: ClientCredentials) {
        self.init(id: id, redirectURI: redirectURI.absoluteString, credentials: credentials)
    }
}
