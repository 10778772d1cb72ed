public import JOSE
public import JOSEKeySets

/// An OpenID Connect relying party: a service as a client of one provider. The service creates one value for each
/// provider and client registration, and shares it among all requests.
///
/// ``beginLogin(_:)`` returns the URL to which the browser is redirected, and the cookie that binds the login to the
/// browser. ``completeLogin(callback:binding:)`` verifies the callback and returns the user, or throws an error with
/// the check that failed and the action to take.
public struct RelyingParty: Sendable {
    /// The settings, which all copies share.
    private let settings: Settings

    /// Creates a relying party. The provider's metadata and keys are fetched when they are first needed.
    ///
    /// - Parameters:
    ///   - profile: The profile of the provider.
    ///   - environment: The environment of the provider, such as production.
    ///   - client: The client as it is registered with the provider, with its credentials.
    ///   - transport: The transport for requests to the provider.
    ///   - store: The store of pending logins, and of values that are accepted only once.
    ///   - clock: The clock by which tokens, keys and logins expire.
    ///   - keySets: The caching and refresh settings of the provider's keys and metadata; nil for the defaults of the
    ///     profile.
    ///   - observer: An observer of the fetches of the provider's keys and metadata.
    /// - Throws: `configurationError` for settings that can never work, such as a redirect URI that is not https, and
    ///   for a key whose private part is publicly known: in production any, and elsewhere one that another provider
    ///   publishes.
    public init(
        _ profile: ProviderProfile, in environment: ProviderEnvironment, client: RelyingPartyClient,
        transport: any HTTPTransport, store: any LoginStore, clock: WallClock = .system, keySets: KeySetOptions? = nil,
        observer: (any KeySetObserver)? = nil
    ) throws(RelyingPartyError) {
        try self.init(
            profile, in: environment, client: client, transport: transport, store: store, clock: clock,
            keySets: keySets, observer: observer, fetching: .system)
    }

    /// Creates a relying party whose key fetches use the clock, timers and random numbers of the given fetch
    /// environment.
    package init(
        _ profile: ProviderProfile, in environment: ProviderEnvironment, client: RelyingPartyClient,
        transport: any HTTPTransport, store: any LoginStore, clock: WallClock, keySets: KeySetOptions?,
        observer: (any KeySetObserver)?, fetching: FetchEnvironment
    ) throws(RelyingPartyError) {
        guard let location = profile.location(environment) else {
            throw RelyingPartyError(.configurationError, in: .configuration)
        }
        let authentication: ClientAuthentication
        do throws(RelyingPartyError.Reason) {
            try profile.check()
            authentication = try client.check(profile, location)
        } catch {
            throw RelyingPartyError(error, in: .configuration)
        }
        // This applies to keys of later rotations too.
        let client = client.rejecting(profile.rejectedKeys(at: location))
        let fetches = DirectorySettings(
            profile: profile, location: location, client: client, transport: transport,
            keySets: keySets ?? profile.keySets, observer: observer, environment: fetching)
        let directory: any ProviderDirectory
        if let make = profile.directory {
            directory = try make(fetches)
        } else {
            directory = try SingleProvider(fetches)
        }
        settings = Settings(
            profile: profile, location: location, client: client, authentication: authentication, transport: transport,
            store: store, clock: clock, directory: directory, elapsed: fetching.now)
    }
}

extension RelyingParty {
    private final class Settings: Sendable {
        let profile: ProviderProfile
        let location: ProviderLocation
        let client: RelyingPartyClient
        let authentication: ClientAuthentication
        let transport: any HTTPTransport
        let store: any LoginStore
        let clock: WallClock
        let directory: any ProviderDirectory
        let elapsed: @Sendable () -> Double

        init(
            profile: ProviderProfile, location: ProviderLocation, client: RelyingPartyClient,
            authentication: ClientAuthentication, transport: any HTTPTransport, store: any LoginStore, clock: WallClock,
            directory: any ProviderDirectory, elapsed: @escaping @Sendable () -> Double
        ) {
            self.profile = profile
            self.location = location
            self.client = client
            self.authentication = authentication
            self.transport = transport
            self.store = store
            self.clock = clock
            self.directory = directory
            self.elapsed = elapsed
        }
    }

    package var profile: ProviderProfile { settings.profile }
    package var location: ProviderLocation { settings.location }
    package var client: RelyingPartyClient { settings.client }
    package var authentication: ClientAuthentication { settings.authentication }
    package var transport: any HTTPTransport { settings.transport }
    package var store: any LoginStore { settings.store }
    package var clock: WallClock { settings.clock }
    package var directory: any ProviderDirectory { settings.directory }
    /// A monotonic clock, in seconds.
    var elapsed: @Sendable () -> Double { settings.elapsed }
}

extension RelyingPartyClient {
    /// Checks the settings of the client before any login, and returns the method by which it authenticates.
    fileprivate func check(
        _ profile: ProviderProfile, _ location: ProviderLocation
    ) throws(RelyingPartyError.Reason) -> ClientAuthentication {
        let rules = profile.client
        // Logins that only the back end begins may have no redirect URI.
        let isOptional = profile.request.deliveries.isEmpty && profile.backChannel?.request.needsRedirectURI == false
        guard rules.acceptsID(id), isOptional || !redirectURIs.isEmpty,
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
        if credentials.signing != nil { _ = try signer() }
        try checkKeys(rejecting: profile.rejectedKeys(at: location))
        return method
    }
}
