/// The consent of a user, from the page to userinfo.
struct Grant: Sendable {
    let client: Registration
    let parameters: FormFields
    let person: Person
    let misbehaviour: Misbehaviour?
    let authenticated: Double
    /// Whether the user came with the number from the provider's `former`.
    var isPorted = false
    /// The tenant of the account, at a provider with many tenants.
    var tenant: String?

    /// The subject of MitID's minimal response, which identifies nobody: no other grant and no logout token has it.
    let passingSubject = Randomness.text()

    /// Returns the subject, which differs for each client (OpenID Connect Core, 8.1).
    func subject(at issuer: String) -> String {
        client.flavour == .mitID && has("minimal") ? passingSubject : Self.subject(of: person, client, issuer)
    }

    static func subject(of person: Person, _ client: Registration, _ issuer: String) -> String {
        let digest = String(Randomness.digest("\(issuer) \(client.clientID) \(person.id)").prefix(32))
        return client.flavour == .zenKey ? "mccmnc-" + digest : digest
    }

    var scopes: [String] { (parameters["scope"] ?? "").split(separator: " ").map(String.init) }
    var requestedLevels: [String] { (parameters["acr_values"] ?? "").split(separator: " ").map(String.init) }
    func has(_ scope: String) -> Bool { scopes.contains(scope) }
}

/// A request that waits for the decision of a user on the page.
struct PendingRequest: Sendable {
    let client: Registration
    let parameters: FormFields
    /// The value of the cookie of the browser that got the page.
    let browser: String
    /// The persons whom the page offers.
    let people: [Person]
    /// The `auth_req_id` of a back-channel request.
    var backChannel: String?
}
