internal import JOSEKeySets
public import JOSERelyingParty
internal import JOSESupport

/// A mobile app of the service, as it is registered with DigiD.
public struct DigiDApp: Sendable, Equatable {
    /// The name under which the app is registered with DigiD.
    package let name: String
    /// The universal link (iOS) or app link (Android) that DigiD's app opens when the login has ended. The return URL
    /// of a login request must equal it byte by byte.
    package let returnURL: String
    /// The URL of the service's icon, which DigiD's app shows during the login.
    package let icon: String

    /// Creates the registration data of an app.
    ///
    /// - Parameters:
    ///   - name: The name under which the app is registered with DigiD.
    ///   - returnURL: The universal link (iOS) or app link (Android) that DigiD's app opens: an https URL of at most
    ///     255 bytes without a query or a fragment, because DigiD's app appends its response as a query.
    ///   - icon: The https URL of the icon. Its host must be that of `returnURL`, because DigiD's app shows no other
    ///     icon.
    /// - Throws: `invalidParameter(ReturnUrl)` or `invalidParameter(Icon)` if the URL does not meet these requirements.
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

    /// The largest number of apps that a connection may have.
    package static let limit = 3

    /// Checks that the apps are a valid list for one connection.
    ///
    /// - Throws: `configurationError` if there are more than ``limit``, or if two have the same name or return URL.
    package static func check(_ apps: [DigiDApp]) throws(RelyingPartyError) {
        for (index, app) in apps.enumerated() {
            let isRepeated = apps[..<index].contains { other in
                bytesEqual(other.name, app.name) || bytesEqual(other.returnURL, app.returnURL)
            }
            if isRepeated { throw RelyingPartyError(.configurationError, in: .configuration) }
        }
        guard apps.count <= limit else { throw RelyingPartyError(.configurationError, in: .configuration) }
    }

    /// Returns the app that is registered with `returnURL`, or the first app if `returnURL` is nil.
    ///
    /// - Throws: `invalidParameter(ReturnUrl)` if no app has the return URL.
    package static func find(
        _ returnURL: String?, in apps: [DigiDApp]
    ) throws(RelyingPartyError) -> DigiDApp {
        let found = returnURL.map { url in apps.first { bytesEqual($0.returnURL, url) } } ?? apps.first
        guard let found else { throw RelyingPartyError(.invalidParameter("ReturnUrl"), in: .request) }
        return found
    }
}
