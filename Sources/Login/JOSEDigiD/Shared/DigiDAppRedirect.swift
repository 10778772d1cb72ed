internal import JOSE
internal import JOSEKeySets
public import JOSERelyingParty

/// A validated redirect to DigiD's app. In a login by OpenID Connect, the service's app requests the authorization URL,
/// and DigiD responds with this redirect.
public struct DigiDAppRedirect: Sendable {
    /// The URL that the service's app opens to start DigiD's app.
    public let url: String

    /// Creates a redirect from the value of a `Location` header, which it validates.
    ///
    /// - Parameters:
    ///   - location: The value of the `Location` header.
    ///   - appHost: The host of DigiD's app.
    /// - Throws: `invalidParameter(app_redirect)` unless the URL is https on that host, with the path `/digid-app` and
    ///   the single parameter `data`. The app must not open any other URL.
    public init(location: String, appHost: String = "app.digid.nl") throws(RelyingPartyError) {
        guard let url = WebURL(location), url.scheme == .https, !url.hasFragment, !url.hasUserInformation,
            url.port == nil, url.host.lowercased() == appHost.lowercased(), url.path.elementsEqual("/digid-app".utf8)
        else { throw Self.refused }
        let query = location.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
        guard query.starts(with: "data=".utf8), query.count > 5, !query.contains(UInt8(ascii: "&")) else {
            throw Self.refused
        }
        self.url = location
    }

    private static let refused = RelyingPartyError(
        .invalidParameter("app_redirect"), in: .request, action: .investigate)
}

extension DigiDAppRedirect: Redacted {}
