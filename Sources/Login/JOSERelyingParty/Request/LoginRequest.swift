internal import JOSEBytes

/// What a service asks for in one login. Everything else, from `state` to PKCE, is the relying party's.
public struct LoginRequest: Sendable {
    /// Byte for byte one of the client's; nil: its first.
    public var redirectURI: String?
    /// What is asked for; each a word.
    public var scopes: [String] = ["openid"]
    /// How the request travels; nil: as the profile usually has it.
    public var delivery: RequestDelivery?
    /// Where the service wants the user afterwards: a path on the service itself, which comes back with the user (threat R28).
    public var returnTo: String?
    /// `sub` of the one who must log in.
    public var expectedSubject: String?
    /// Which of several providers, where a profile has several.
    public var provider: String?
    /// What a profile wants back when the login is complete, by names of its own.
    var notes: [String: String] = [:]
    /// Values that a profile compares with the answer and that nobody who reads the store may learn, such as a civil registration number:
    /// of each the store has a MAC under the login's binding, which the browser alone has.
    var comparedNotes: [String: String] = [:]
    private(set) var parameters: [(name: String, value: ParameterValue)] = []

    /// `openid` and nothing else.
    public init() {}

    /// A parameter by its name; nil takes it away. Those of the flow itself cannot be set, and `claims` is ``claims``: they are refused
    /// when the login begins.
    public subscript(_ name: ParameterName) -> String? {
        get { value(name.description)?.text }
        set { set(name.description, newValue.map { .text($0) }) }
    }

    /// `acr_values`, the wanted first.
    public var acrValues: [String] {
        get { self["acr_values"].map { $0.split(separator: " ").map(String.init) } ?? [] }
        set { self["acr_values"] = newValue.isEmpty ? nil : newValue.joined(separator: " ") }
    }

    /// `max_age`: most seconds since the user proved who they are.
    public var maximumAge: Int? {
        get { self["max_age"].flatMap { Int($0) } }
        set { self["max_age"] = newValue.map { String($0) } }
    }

    /// `claims` (OpenID Connect Core, 5.5).
    public var claims: ClaimsRequest? {
        didSet { set("claims", claims.map { .json($0.json) }) }
    }

    func value(_ name: String) -> ParameterValue? { parameters.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }

    mutating func set(_ name: String, _ value: ParameterValue?) {
        parameters.removeAll { $0.name.utf8.elementsEqual(name.utf8) }
        if let value { parameters.append((name, value)) }
    }
}

/// A parameter's value: in a query it is text, in a request object JSON stays JSON.
enum ParameterValue: Sendable {
    case text(String)
    case json([UInt8])

    var text: String {
        switch self {
        case .text(let text): text
        case .json(let json): String(decoding: json, as: UTF8.self)
        }
    }
}

/// How a request reaches the provider.
@nonexhaustive public enum RequestDelivery: Sendable, Equatable {
    /// Its parameters in the query.
    case query
    /// A request object in the query (OpenID Connect Core, 6.1).
    case object
    /// A request object that the service serves at this address (OpenID Connect Core, 6.2): ``AuthorizationRequest/requestDocument``.
    case reference(String)
    /// Pushed to the provider beforehand (RFC 9126); with a request object where the profile has them.
    case pushed
    /// Pushed beforehand, as plain parameters.
    case pushedParameters

    /// Whether the parameters stand in the address that the browser goes to, as they are or in a request object.
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

/// Claims that are asked for one by one (OpenID Connect Core, 5.5).
public struct ClaimsRequest: Sendable {
    /// How one claim is asked for.
    public struct Requirement: Sendable {
        /// Whether the login makes no sense without it.
        public var isEssential = false
        /// What it must be.
        public var value: String?
        /// One of which it must be.
        public var values: [String] = []

        var hasValue: Bool { value != nil || !values.isEmpty }
        var wanted: [String] { (value.map { [$0] } ?? []) + values }

        /// Asked for, and no more.
        public init() {}
        /// Asked for, and no more.
        public static let voluntary = Requirement()
        /// The login makes no sense without it.
        public static let essential = Requirement.essential(value: nil)
        /// The same, with the value that it must have.
        public static func essential(value: String?) -> Requirement {
            var wish = Requirement()
            (wish.isEssential, wish.value) = (true, value)
            return wish
        }
    }
    private(set) var userInfo: [(name: String, wish: Requirement)] = []
    private(set) var idToken: [(name: String, wish: Requirement)] = []

    /// None yet.
    public init() {}

    /// In the userinfo answer.
    public mutating func askInUserInfo(_ name: String, _ wish: Requirement = .voluntary) {
        userInfo.removeAll { $0.name.utf8.elementsEqual(name.utf8) }
        userInfo.append((name, wish))
    }

    /// In the ID token.
    public mutating func askInIDToken(_ name: String, _ wish: Requirement = .voluntary) {
        idToken.removeAll { $0.name.utf8.elementsEqual(name.utf8) }
        idToken.append((name, wish))
    }

    /// Those whose names begin so get another beginning.
    mutating func rename(from old: String, to new: String) {
        func renamed(_ name: String) -> String {
            name.utf8.starts(with: old.utf8) ? new + name.dropFirst(old.count) : name
        }
        userInfo = userInfo.map { (renamed($0.name), $0.wish) }
        idToken = idToken.map { (renamed($0.name), $0.wish) }
    }

    var names: [String] { userInfo.map(\.name) + idToken.map(\.name) }

    func wish(inUserInfo name: String) -> Requirement? { userInfo.first { $0.name.utf8.elementsEqual(name.utf8) }?.wish }
    func wish(inIDToken name: String) -> Requirement? { idToken.first { $0.name.utf8.elementsEqual(name.utf8) }?.wish }

    var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        for (place, wishes) in [("userinfo", userInfo), ("id_token", idToken)] where !wishes.isEmpty {
            writer.name(place)
            writer.beginObject()
            for (name, wish) in wishes {
                writer.name(name)
                wish.write(to: &writer)
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
        if let value { writer.member("value", value) }
        if !values.isEmpty {
            writer.name("values")
            writer.beginArray()
            for value in values { writer.string(value) }
            writer.endArray()
        }
        writer.endObject()
    }
}
