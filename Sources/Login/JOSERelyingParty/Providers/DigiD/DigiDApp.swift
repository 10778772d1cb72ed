internal import JOSEKeySets

/// An app of a service, as it is registered with DigiD.
public struct DigiDApp: Sendable, Equatable {
    /// The name by which the app is registered.
    public let name: String
    /// The universal or app link that DigiD's app opens when the login has ended. It is compared byte by byte.
    public let returnURL: String
    /// The URL of the service's icon, which DigiD's app shows during the login.
    public let icon: String

    /// Creates the description of an app.
    ///
    /// - Parameters:
    ///   - name: The name by which the app is registered.
    ///   - returnURL: The universal or app link to which DigiD's app returns: https, at most 255 bytes, without a query or a
    ///     fragment, because the response is appended as a query.
    ///   - icon: The https URL of the icon, on the host of `returnURL`. DigiD's app shows no other.
    /// - Throws: `invalidParameter(ReturnUrl)` or `invalidParameter(Icon)`.
    public init(name: String, returnURL: String, icon: String) throws(RelyingPartyError) {
        guard returnURL.utf8.count <= 255, let link = WebURL(returnURL), link.scheme == .https, !link.hasQuery,
            !link.hasFragment, !link.hasUserInformation
        else { throw RelyingPartyError(.invalidParameter("ReturnUrl"), in: .configuration) }
        guard let picture = WebURL(icon), picture.scheme == .https, !picture.hasUserInformation,
            picture.host.lowercased() == link.host.lowercased()
        else { throw RelyingPartyError(.invalidParameter("Icon"), in: .configuration) }
        self.name = name
        self.returnURL = returnURL
        self.icon = icon
    }

    /// The largest number of apps of a connection.
    public static let limit = 3

    /// Checks the apps of a connection.
    ///
    /// - Throws: `configurationError` if there is no app, if there are more than ``limit``, or if two have the same name or
    ///   return URL.
    package static func check(_ apps: [DigiDApp]) throws(RelyingPartyError) {
        for (place, app) in apps.enumerated() {
            let isRepeated = apps[..<place].contains { other in
                sameBytes(other.name, app.name) || sameBytes(other.returnURL, app.returnURL)
            }
            if isRepeated { throw RelyingPartyError(.configurationError, in: .configuration) }
        }
        guard (1...limit).contains(apps.count) else { throw RelyingPartyError(.configurationError, in: .configuration) }
    }

    /// Returns the registered app with a return URL, or the first app if `returnURL` is nil.
    ///
    /// - Throws: `invalidParameter` if no app has the return URL.
    package static func find(
        _ returnURL: String?, in apps: [DigiDApp]
    ) throws(RelyingPartyError) -> DigiDApp {
        let found = returnURL.map { url in apps.first { sameBytes($0.returnURL, url) } } ?? apps.first
        guard let found else { throw RelyingPartyError(.invalidParameter("ReturnUrl"), in: .request) }
        return found
    }
}
