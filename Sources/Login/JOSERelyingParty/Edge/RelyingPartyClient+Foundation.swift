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
    ///   - redirectURI: The redirect URI, whose absolute text must be byte for byte the one that is registered with the provider.
    ///   - credentials: The private keys or the secret of the client.
    public init(id: String, redirectURI: URL, credentials: ClientCredentials) {
        self.init(id: id, redirectURI: redirectURI.absoluteString, credentials: credentials)
    }
}

extension DigiDApp {
    /// Creates the registration data of an app, with addresses that are given as `URL` of Foundation.
    ///
    /// - Parameters:
    ///   - name: The name under which the app is registered with DigiD.
    ///   - returnURL: The universal link (iOS) or app link (Android) that DigiD's app opens: an https URL of at most
    ///     255 bytes without a query or a fragment, because DigiD's app appends its response as a query.
    ///   - icon: The https URL of the icon. Its host must be that of `returnURL`, because DigiD's app shows no other
    ///     icon.
    /// - Throws: `invalidParameter(ReturnUrl)` or `invalidParameter(Icon)` if the URL does not meet these requirements.
    public init(name: String, returnURL: URL, icon: URL) throws(RelyingPartyError) {
        try self.init(name: name, returnURL: returnURL.absoluteString, icon: icon.absoluteString)
    }
}
