internal import JOSE
internal import JOSERelyingParty
internal import JOSESupport

/// The way in which a login by SAML returns to the service. A login that began in one way cannot be completed in the
/// other.
package enum DigiDRoute: String, Sendable {
    /// DigiD's app opens a link of the service's app.
    case app
    /// DigiD redirects the browser to the assertion consumer service.
    case browser
}

/// The state of a pending login by SAML, which only the server stores. It is used once.
package struct DigiDTransaction: Sendable {
    /// The name of the profile with which the login began, and with which its response is checked.
    package var profile: String
    /// The entity ID of the service.
    package var serviceProvider: String
    /// The entity ID of DigiD.
    package var identityProvider: String
    /// The `ID` of the AuthnRequest.
    package var requestID: String
    /// The `RelayState` of the request.
    package var relayState: String?
    package var route: DigiDRoute
    /// The lowest accepted level of assurance.
    package var level: DigiDLevel
    /// The local path of the service to which the user goes after the login.
    package var returnTo: String?
    /// The time at which the login began, in seconds since 1970.
    package var created: Double

    package init(
        profile: String, serviceProvider: String, identityProvider: String, requestID: String, relayState: String?,
        route: DigiDRoute, level: DigiDLevel, returnTo: String?, created: Double
    ) {
        self.profile = profile
        self.serviceProvider = serviceProvider
        self.identityProvider = identityProvider
        self.requestID = requestID
        self.relayState = relayState
        self.route = route
        self.level = level
        self.returnTo = returnTo
        self.created = created
    }

    var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("profile", profile)
        writer.member("sp", serviceProvider)
        writer.member("idp", identityProvider)
        writer.member("request", requestID)
        if let relayState { writer.member("relay", relayState) }
        writer.member("route", route.rawValue)
        writer.member("level", Int64(level.rawValue))
        if let returnTo { writer.member("return", returnTo) }
        writer.name("created")
        writer.number(created)
        writer.endObject()
        return writer.bytes
    }

    /// Reads a transaction. Nil for anything that this version of the library did not write.
    init?(json: [UInt8]) {
        guard let object = try? JSONObject(parsing: json.span) else { return nil }
        func text(_ name: StaticString) -> String? { object.first(name, in: json.span)?.string(in: json.span) }
        guard let profile = text("profile"), let serviceProvider = text("sp"), let identityProvider = text("idp"),
            let requestID = text("request"), let route = text("route").flatMap({ DigiDRoute(rawValue: $0) }),
            let level = object.first("level", in: json.span)?.integer(in: json.span)
                .flatMap({ DigiDLevel(rawValue: Int($0)) }),
            let created = object.first("created", in: json.span)?.number(in: json.span)
        else { return nil }
        self.init(
            profile: profile, serviceProvider: serviceProvider, identityProvider: identityProvider,
            requestID: requestID, relayState: text("relay"), route: route, level: level,
            returnTo: text("return"), created: created)
    }
}

extension DigiDTransaction: Redacted {
    package var description: String { "DigiDTransaction(\(profile))" }
}
