public import JOSE
public import JOSEKeySets

/// A relying party: the back end of a service whose users log in with one provider. It is created once for each provider and
/// client, and shared.
///
/// ``beginLogin(_:)`` returns the URL for the browser, and the binding for its cookie. ``completeLogin(callback:binding:)`` takes
/// the callback and returns the user, or an error that says which check failed and what to do.
public struct RelyingParty: Sendable {
    let profile: ProviderProfile
    let place: ProviderPlace
    let client: RelyingPartyClient
    let authentication: ClientAuthentication
    let transport: any HTTPTransport
    let store: any LoginStore
    let clock: WallClock
    let directory: any ProviderDirectory

    /// Creates a relying party. Nothing is fetched yet.
    ///
    /// - Parameters:
    ///   - profile: The profile of the provider.
    ///   - environment: The provider's environment.
    ///   - client: The client as it is registered with the provider, with its credentials.
    ///   - transport: The transport for requests to the provider.
    ///   - store: The store of transactions and of the marks of used values.
    ///   - clock: The clock that decides whether tokens, keys and logins are valid in time.
    ///   - keySets: The settings by which the provider's keys and metadata are cached; nil for those of the profile.
    ///   - observer: An observer of the key sets.
    /// - Throws: `configurationError` for settings that can never work, such as a redirect URI that is not https, or a key that
    ///   is publicly known in production.
    public init(
        _ profile: ProviderProfile, in environment: ProviderEnvironment, client: RelyingPartyClient,
        transport: any HTTPTransport, store: any LoginStore, clock: WallClock = .system, keySets: KeySetOptions? = nil,
        observer: (any KeySetObserver)? = nil
    ) throws(RelyingPartyError) {
        try self.init(
            profile, in: environment, client: client, transport: transport, store: store, clock: clock,
            keySets: keySets, observer: observer, fetching: .system)
    }

    /// Creates a relying party with the environment in which its keys are fetched: their clock, timers and random numbers.
    package init(
        _ profile: ProviderProfile, in environment: ProviderEnvironment, client: RelyingPartyClient,
        transport: any HTTPTransport, store: any LoginStore, clock: WallClock, keySets: KeySetOptions?,
        observer: (any KeySetObserver)?, fetching: FetchEnvironment
    ) throws(RelyingPartyError) {
        guard let place = profile.place(environment) else {
            throw RelyingPartyError(.configurationError, in: .configuration)
        }
        do throws(RelyingPartyError.Reason) {
            authentication = try client.check(profile, place)
        } catch {
            throw RelyingPartyError(error, in: .configuration)
        }
        // This applies to keys of later rotations too.
        let client = place.isProduction ? client.rejectingCompromisedKeys() : client
        self.profile = profile
        self.place = place
        self.client = client
        self.transport = transport
        self.store = store
        self.clock = clock
        let settings = DirectorySettings(
            profile: profile, place: place, client: client, transport: transport, clock: clock,
            keySets: keySets ?? profile.keySets, observer: observer, environment: fetching)
        if let make = profile.directory {
            directory = try make(settings)
        } else {
            directory = try SingleProvider(settings)
        }
    }
}

extension RelyingPartyClient {
    /// Checks the settings of the client before any login, and returns the method by which it authenticates.
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
