internal import JOSEKeySets

/// An app of a service as DigiD has registered it.
public struct DigiDApp: Sendable, Equatable {
    /// By which it is registered.
    public let name: String
    /// The universal or app link that DigiD's app goes back to: compared byte for byte.
    public let returnURL: String
    /// What DigiD's app shows of the service while the user logs in.
    public let icon: String

    /// Throws `invalidParameter` for a return URL that is not https, is longer than 255 bytes, or has a query or a fragment (the answer is
    /// appended as one); and for an icon that is not on the same host, which DigiD's app would not show.
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

    /// A connection has so many at most.
    public static let limit = 3

    /// `configurationError` for none, for more than ``limit``, and for two of one name or return URL.
    package static func check(_ apps: [DigiDApp]) throws(RelyingPartyError) {
        for (place, app) in apps.enumerated() {
            let isRepeated = apps[..<place].contains { other in
                sameBytes(other.name, app.name) || sameBytes(other.returnURL, app.returnURL)
            }
            if isRepeated { throw RelyingPartyError(.configurationError, in: .configuration) }
        }
        guard (1...limit).contains(apps.count) else { throw RelyingPartyError(.configurationError, in: .configuration) }
    }

    /// The registered app of a return URL, or the first where none is named; `invalidParameter` for any other.
    package static func find(
        _ returnURL: String?, in apps: [DigiDApp]
    ) throws(RelyingPartyError) -> DigiDApp {
        let found = returnURL.map { url in apps.first { sameBytes($0.returnURL, url) } } ?? apps.first
        guard let found else { throw RelyingPartyError(.invalidParameter("ReturnUrl"), in: .request) }
        return found
    }
}
