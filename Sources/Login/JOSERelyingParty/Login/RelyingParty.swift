public import JOSEKeySets
public import JOSETokens

/// The back end of a service that lets its users log in with a provider. Made once for each provider and client, shared freely.
///
/// `beginLogin` gives the address to send the browser to and a binding to set as a cookie; `completeLogin` takes what came
/// back and gives the user, or one error that says which check failed and what to do.
public struct RelyingParty: Sendable {
    let profile: ProviderProfile
    let place: ProviderPlace
    let client: RelyingPartyClient
    let authentication: ClientAuthentication
    let transport: any HTTPTransport
    let store: any LoginStore
    let clock: TokenClock
    let directory: any ProviderDirectory

    /// `keySets`: how the provider's keys and metadata are kept; nil: as the profile has it. Throws `configurationError` for what can
    /// never work, such as a redirect URI that is not https, or in production a key that everyone has. Nothing is fetched yet.
    public init(
        _ profile: ProviderProfile, in environment: ProviderEnvironment, client: RelyingPartyClient,
        transport: any HTTPTransport, store: any LoginStore, clock: TokenClock = .system, keySets: KeySetOptions? = nil,
        observer: (any KeySetObserver)? = nil
    ) throws(RelyingPartyError) {
        try self.init(
            profile, in: environment, client: client, transport: transport, store: store, clock: clock,
            keySets: keySets, observer: observer, surroundings: .system)
    }

    /// The same by another clock for the ages of keys.
    package init(
        _ profile: ProviderProfile, in environment: ProviderEnvironment, client: RelyingPartyClient,
        transport: any HTTPTransport, store: any LoginStore, clock: TokenClock, keySets: KeySetOptions?,
        observer: (any KeySetObserver)?, surroundings: FetchEnvironment
    ) throws(RelyingPartyError) {
        guard let place = profile.place(environment) else {
            throw RelyingPartyError(.configurationError, in: .configuration)
        }
        do throws(RelyingPartyError.Reason) {
            authentication = try client.check(profile, place)
        } catch {
            throw RelyingPartyError(error, in: .configuration)
        }
        // Also for keys that rotation brings later.
        let client = place.isProduction ? client.rejectingCompromisedKeys() : client
        self.profile = profile
        self.place = place
        self.client = client
        self.transport = transport
        self.store = store
        self.clock = clock
        let settings = DirectorySettings(
            profile: profile, place: place, client: client, transport: transport, clock: clock,
            keySets: keySets ?? profile.keySets, observer: observer, surroundings: surroundings)
        if let make = profile.directory {
            directory = try make(settings)
        } else {
            directory = try SingleProvider(settings)
        }
    }
}

extension RelyingPartyClient {
    /// What can be told before any login; gives the way in which the client shows itself.
    fileprivate func check(
        _ profile: ProviderProfile, _ place: ProviderPlace
    ) throws(RelyingPartyError.Reason) -> ClientAuthentication {
        let rules = profile.client
        guard rules.acceptsID(id), !redirectURIs.isEmpty,
            redirectURIs.allSatisfy({ rules.acceptsRedirectURI($0, id) })
        else { throw .configurationError }
        let method: ClientAuthentication? =
            if let authentication {
                rules.authentication.first { $0 == authentication }
            } else {
                rules.authentication.first { $0.isServed(by: credentials) }
            }
        guard let method, method.isServed(by: credentials) else { throw .configurationError }
        if method == .clientSecretJWT { _ = try macKey() }
        if credentials.signing != nil { _ = try signingKey() }
        if place.isProduction { try checkUnpublished() }
        return method
    }
}
