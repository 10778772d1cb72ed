internal import JOSE
internal import JOSEKeySets
internal import JOSETokens

/// One provider as it is at this moment.
struct Provider: Sendable {
    let issuer: String
    let metadata: IssuerMetadata
    /// That it signs with, and that one encrypts to.
    let keys: any KeySource
    let readers: TokenReaders
}

/// Finds the provider of a login.
protocol ProviderDirectory: Sendable {
    /// `hint`: which one, where there are several, as `LoginRequest.provider` says it. Fetches what is not held.
    func provider(_ hint: String?) async throws(RelyingPartyError) -> Provider
    /// A login did not come about: what follows for the next, and what the service is told.
    func refused(_ error: RelyingPartyError, _ transaction: LoginTransaction) -> RelyingPartyError
}

extension ProviderDirectory {
    /// Nothing follows.
    func refused(_ error: RelyingPartyError, _ transaction: LoginTransaction) -> RelyingPartyError { error }
}

/// What a directory is made of.
struct DirectorySettings: Sendable {
    let profile: ProviderProfile
    let place: ProviderPlace
    let client: RelyingPartyClient
    let transport: any HTTPTransport
    let clock: TokenClock
    let keySets: KeySetOptions
    let observer: (any KeySetObserver)?
    let surroundings: FetchEnvironment

    /// Readers of the tokens of a provider with these keys; made once a provider.
    func readers(_ keys: any KeySource) throws(RelyingPartyError) -> TokenReaders {
        try TokenReaders(profile, client, providerKeys: keys, clock: clock)
    }
}

typealias DirectoryMaker = @Sendable (DirectorySettings) throws(RelyingPartyError) -> any ProviderDirectory

/// One provider, found by its issuer.
struct SingleProvider: ProviderDirectory {
    private let issuer: String
    private let keys: RemoteKeySet
    private let readers: TokenReaders
    private let deadline: Duration

    /// `check`: what the metadata must pass before anything of it is used, its `jwks_uri` among it.
    init(_ settings: DirectorySettings, check: MetadataCheck? = nil) throws(RelyingPartyError) {
        issuer = settings.place.issuer
        deadline = settings.keySets.deadline * 2
        do throws(KeySetError) {
            keys = try RemoteKeySet(
                issuer: settings.place.issuer, discovery: settings.place.discovery, transport: settings.transport,
                options: settings.keySets, observer: settings.observer, surroundings: settings.surroundings,
                check: check)
        } catch {
            throw RelyingPartyError(RelyingPartyError.Reason(error), in: .configuration)
        }
        readers = try settings.readers(keys)
    }

    func provider(_ hint: String?) async throws(RelyingPartyError) -> Provider {
        guard hint == nil else { throw RelyingPartyError(.configurationError, in: .request) }
        if let metadata = keys.issuerMetadata {
            return Provider(issuer: issuer, metadata: metadata, keys: keys, readers: readers)
        }
        do {
            try await keys.warmUp(timeout: deadline)
        } catch let error as KeySetError {
            throw RelyingPartyError(RelyingPartyError.Reason(error), in: .discovery)
        } catch {
            throw RelyingPartyError(.interrupted, in: .discovery)
        }
        guard let metadata = keys.issuerMetadata else { throw RelyingPartyError(.unreachable, in: .discovery) }
        return Provider(issuer: issuer, metadata: metadata, keys: keys, readers: readers)
    }
}
