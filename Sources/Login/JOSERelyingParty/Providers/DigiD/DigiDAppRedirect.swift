internal import JOSEKeySets

/// Where the address of a login by OpenID Connect sends the app that asks it: into DigiD's app.
public struct DigiDAppRedirect: Sendable {
    /// What the app opens.
    public let url: String

    /// Of a `Location`. Throws `invalidParameter(app_redirect)` for another host than DigiD's app has, another path, and what has no
    /// `data`, or anything besides: nothing else is opened.
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
        .invalidParameter("app_redirect"), in: .request, remedy: .investigate)
}

extension DigiDAppRedirect: CustomStringConvertible, CustomReflectable {
    /// Without what it carries.
    public var description: String { "DigiDAppRedirect" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
