internal import JOSESupport
public import JOSETokens

/// The parameters that a service chooses for one login. The relying party adds the others, such as `state`, `nonce` and
/// the PKCE challenge.
public struct LoginRequest: Sendable {
    /// The redirect URI, which must be byte for byte one of ``RelyingPartyClient/redirectURIs``; nil for the first of
    /// them.
    public var redirectURI: String?
    /// The requested scopes, which must include `openid`.
    public var scopes: [String] = ["openid"]
    /// The way in which the request reaches the provider; nil for the default of the profile.
    public var delivery: RequestDelivery?
    /// The local path to which the service redirects the user after the login. It is stored, and returned in
    /// ``LoggedInUser/returnTo``. A URL, a path that a browser could read as one, and a path with a segment `.` or `..`
    /// or with repeated slashes is rejected (threats R28 and R47).
    public var returnTo: String?
    /// The `sub` of the user who must log in; nil for any user.
    public var expectedSubject: String?
    /// The provider among those of the profile, such as the `mccmnc` of a mobile network; nil if the profile has only
    /// one.
    public var provider: String?
    /// The values that a rule of the profile needs when the login is complete, by names of its own, such as a text that
    /// a claim of the ID token must repeat. The login store contains them as they are, and ``LoginContext/notes``
    /// returns them.
    public var notes: [String: String] = [:]
    /// The values that a profile compares with the response and that a reader of the store must not learn, such as a
    /// civil registration number. The store contains a MAC of each under the login's binding, which only the browser
    /// has.
    package var comparedNotes: [String: String] = [:]
    private(set) var parameters: [(name: String, value: ParameterValue)] = []

    /// Creates a request with the scope `openid`.
    public init() {}

    /// Accesses the value of the authorization request parameter with the given name. Setting nil removes the
    /// parameter.
    ///
    /// Parameters that the login sets itself, such as `state`, cannot be set here, and `claims` is set by ``claims``.
    /// ``RelyingParty/beginLogin(_:)`` throws `invalidParameter` for them, as for all parameters that the profile does
    /// not accept.
    public subscript(_ name: ParameterName) -> String? {
        get { value(name.description)?.text }
        set { set(name.description, newValue.map { .text($0) }) }
    }

    /// The requested levels of assurance (`acr_values`), the preferred one first.
    public var acrValues: [String] {
        get { self["acr_values"].map { $0.split(separator: " ").map(String.init) } ?? [] }
        set { self["acr_values"] = newValue.isEmpty ? nil : newValue.joined(separator: " ") }
    }

    /// The longest accepted time since the user last authenticated (`max_age`). Fractions of a second are dropped.
    public var maximumAge: Duration? {
        get { self["max_age"].flatMap { Int64($0) }.map { .seconds($0) } }
        set { self["max_age"] = newValue.map { String($0.components.seconds) } }
    }

    /// The claims that are requested individually (parameter `claims`; OpenID Connect Core, 5.5).
    public var claims: ClaimsRequest? {
        didSet { set("claims", claims.map { .json($0.json) }) }
    }

    package func value(_ name: String) -> ParameterValue? { parameters.first { bytesEqual($0.name, name) }?.value }

    package mutating func set(_ name: String, _ value: ParameterValue?) {
        parameters.removeAll { bytesEqual($0.name, name) }
        if let value { parameters.append((name, value)) }
    }
}

/// The value of a parameter. JSON is text in a query, and remains JSON in a request object.
package enum ParameterValue: Sendable {
    case text(String)
    case json([UInt8])

    package var text: String {
        switch self {
        case .text(let text): text
        case .json(let json): String(decoding: json, as: UTF8.self)
        }
    }
}

/// The way in which an authorization request reaches the provider.
@nonexhaustive public enum RequestDelivery: Sendable, Equatable {
    /// The parameters are in the query of the URL.
    case query
    /// A request object is in the query of the URL (`request`; OpenID Connect Core, 6.1).
    case object
    /// The query of the URL refers to a request object (`request_uri`; OpenID Connect Core, 6.2), which the service
    /// serves at the given URL. ``AuthorizationRequest/requestDocument`` contains it.
    case reference(String)
    /// A request object is pushed to the provider before the browser is redirected (RFC 9126, 3).
    case pushed
    /// The parameters are pushed to the provider before the browser is redirected (RFC 9126, 2).
    case pushedParameters

    /// Whether the URL to which the browser goes contains the parameters, plain or in a request object.
    var isInAddress: Bool {
        switch self {
        case .query, .object: true
        case .reference, .pushed, .pushedParameters: false
        }
    }

    func isSameKind(as other: RequestDelivery) -> Bool {
        switch (self, other) {
        case (.query, .query), (.object, .object), (.reference, .reference), (.pushed, .pushed),
            (.pushedParameters, .pushedParameters):
            true
        default: false
        }
    }
}

/// The value of the parameter `claims`, which requests individual claims (OpenID Connect Core, 5.5).
public struct ClaimsRequest: Sendable {
    /// The requirements for one claim.
    public struct Requirement: Sendable {
        /// Whether the claim is requested as essential (`essential`) and not as voluntary.
        public var isEssential = false
        /// The requested value of the claim (`value`): a string, an integer, a Boolean value, or a list of strings; nil
        /// for any value.
        public var value: ClaimValue?
        /// The requested values of the claim, one of which it should have (`values`): strings, integers and Boolean
        /// values; nil for any value. The list must not be empty, and ``value`` must then be nil.
        public var values: [ClaimValue]?

        package var hasValue: Bool { value != nil || values != nil }
        /// The requested value, if it is a string.
        package var text: String? { if case .string(let text)? = value { text } else { nil } }

        /// Creates the requirement for a voluntary claim with any value.
        public init() {}
        /// The requirement for a voluntary claim with any value.
        public static let voluntary = Requirement()
        /// The requirement for an essential claim with any value.
        public static let essential = Requirement.essential(value: ClaimValue?.none)
        /// Returns the requirement for an essential claim.
        ///
        /// - Parameter value: The requested value, which is a string.
        public static func essential(value: String) -> Requirement { .essential(value: .string(value)) }
        /// Returns the requirement for an essential claim whose value may be of another type than a string.
        ///
        /// - Parameter value: The requested value; nil for any value.
        public static func essential(value: ClaimValue?) -> Requirement {
            var requirement = Requirement()
            (requirement.isEssential, requirement.value) = (true, value)
            return requirement
        }
    }
    private(set) var userInfo: [(name: String, requirement: Requirement)] = []
    private(set) var idToken: [(name: String, requirement: Requirement)] = []

    /// Creates a request without claims.
    public init() {}

    /// Requests a claim in the userinfo response. It replaces an earlier request for the same claim.
    ///
    /// - Parameters:
    ///   - name: The name of the claim.
    ///   - requirement: The requirements for the claim.
    public mutating func askInUserInfo(_ name: String, _ requirement: Requirement = .voluntary) {
        userInfo.removeAll { bytesEqual($0.name, name) }
        userInfo.append((name, requirement))
    }

    /// Requests a claim in the ID token. It replaces an earlier request for the same claim.
    ///
    /// - Parameters:
    ///   - name: The name of the claim.
    ///   - requirement: The requirements for the claim.
    public mutating func askInIDToken(_ name: String, _ requirement: Requirement = .voluntary) {
        idToken.removeAll { bytesEqual($0.name, name) }
        idToken.append((name, requirement))
    }

    /// Replaces a prefix of the names of claims by another.
    package mutating func rename(from old: String, to new: String) {
        func renamed(_ name: String) -> String {
            name.utf8.starts(with: old.utf8) ? new + name.dropFirst(old.count) : name
        }
        userInfo = userInfo.map { (renamed($0.name), $0.requirement) }
        idToken = idToken.map { (renamed($0.name), $0.requirement) }
    }

    package var names: [String] { userInfo.map(\.name) + idToken.map(\.name) }

    package func requirement(inUserInfo name: String) -> Requirement? {
        userInfo.first { bytesEqual($0.name, name) }?.requirement
    }
    func requirement(inIDToken name: String) -> Requirement? {
        idToken.first { bytesEqual($0.name, name) }?.requirement
    }

    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        for (member, claims) in [("userinfo", userInfo), ("id_token", idToken)] where !claims.isEmpty {
            writer.name(member)
            writer.beginObject()
            for (name, requirement) in claims {
                writer.name(name)
                requirement.write(to: &writer)
            }
            writer.endObject()
        }
        writer.endObject()
        return writer.bytes
    }
}

extension ClaimsRequest.Requirement {
    fileprivate func write(to writer: inout JSONWriter) {
        guard isEssential || hasValue else { return writer.null() }
        writer.beginObject()
        if isEssential {
            writer.name("essential")
            writer.bool(true)
        }
        if let value {
            writer.name("value")
            value.write(to: &writer)
        }
        if let values {
            writer.name("values")
            ClaimValue.array(values).write(to: &writer)
        }
        writer.endObject()
    }
}
