internal import JOSEBytes

/// What is remembered of a login with SAML, on the server alone. Used once.
package struct DigiDTransaction: Sendable {
    /// The profile's name: an answer is judged by what its request was.
    package var profile: String
    /// Of the service, and of DigiD.
    package var serviceProvider: String
    package var identityProvider: String
    /// `ID` of the request.
    package var requestID: String
    package var relayState: String?
    package var returnURL: String
    package var level: DigiDLevel
    package var returnTo: String?
    /// Seconds since 1970.
    package var created: Double

    package init(
        profile: String, serviceProvider: String, identityProvider: String, requestID: String, relayState: String?,
        returnURL: String, level: DigiDLevel, returnTo: String?, created: Double
    ) {
        self.profile = profile
        self.serviceProvider = serviceProvider
        self.identityProvider = identityProvider
        self.requestID = requestID
        self.relayState = relayState
        self.returnURL = returnURL
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
        writer.member("url", returnURL)
        writer.member("level", Int64(level.rawValue))
        if let returnTo { writer.member("return", returnTo) }
        writer.name("created")
        writer.number(created)
        writer.endObject()
        return writer.bytes
    }

    /// Nil for what is no transaction of this version of the library.
    init?(json: [UInt8]) {
        guard let object = try? JSONObject(parsing: json.span) else { return nil }
        func text(_ name: StaticString) -> String? { object.first(name, in: json.span)?.string(in: json.span) }
        guard let profile = text("profile"), let serviceProvider = text("sp"), let identityProvider = text("idp"),
            let requestID = text("request"), let returnURL = text("url"),
            let level = object.first("level", in: json.span)?.integer(in: json.span)
                .flatMap({ DigiDLevel(rawValue: Int($0)) }),
            let created = object.first("created", in: json.span)?.number(in: json.span)
        else { return nil }
        self.init(
            profile: profile, serviceProvider: serviceProvider, identityProvider: identityProvider,
            requestID: requestID, relayState: text("relay"), returnURL: returnURL, level: level,
            returnTo: text("return"), created: created)
    }
}

extension DigiDTransaction: CustomStringConvertible, CustomReflectable {
    package var description: String { "DigiDTransaction(\(profile))" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
