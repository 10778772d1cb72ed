internal import JOSE
internal import JOSEKeySets
internal import JOSETokens

/// The current metadata and keys of one provider.
package struct Provider: Sendable {
    package let issuer: String
    let metadata: IssuerMetadata
    /// The keys with which the provider signs, and to which the client encrypts.
    let keys: any KeySource
    package let readers: TokenReaders
    /// The check of the endpoints of a provider with many tenants; nil for any other provider.
    var endpointCheck: EndpointCheck?
}

extension Provider {
    /// Creates a provider that is its own issuer alone.
    package init(issuer: String, metadata: IssuerMetadata, keys: any KeySource, readers: TokenReaders) {
        self.init(issuer: issuer, metadata: metadata, keys: keys, readers: readers, endpointCheck: nil)
    }

    /// Returns the URL of an endpoint that a step of a login needs.
    ///
    /// - Throws: `metadataMissing` or `metadataInvalid`, which name the member of the metadata.
    func endpoint(_ member: MetadataMember) throws(RelyingPartyError) -> String {
        do throws(RelyingPartyError.Reason) { return try url(member) } catch {
            throw RelyingPartyError(error, in: .discovery)
        }
    }

    /// Returns the URL of an endpoint, with the reasons of ``endpoint(_:)``.
    func url(_ member: MetadataMember) throws(RelyingPartyError.Reason) -> String {
        do throws(DiscoveryFault) {
            let url = try metadata.requiredURL(member)
            try endpointCheck?.check(url, member)
            return url
        } catch {
            throw RelyingPartyError.Reason(error)
        }
    }
}

/// A directory, which finds the provider of a login.
package protocol ProviderDirectory: Sendable {
    /// Returns a provider, whose metadata and keys are fetched if they are not cached.
    ///
    /// - Parameters:
    ///   - hint: The provider that ``LoginRequest/provider`` names, if the profile has several.
    ///   - deadline: The time at which the requests must have ended, if there is one.
    func provider(_ hint: String?, until deadline: CallDeadline?) async throws(RelyingPartyError) -> Provider
    /// Takes note of a login that failed, and returns the error that the service receives.
    func refused(_ error: RelyingPartyError, _ transaction: LoginTransaction) -> RelyingPartyError
}

extension ProviderDirectory {
    /// Returns the error unchanged.
    package func refused(_ error: RelyingPartyError, _ transaction: LoginTransaction) -> RelyingPartyError { error }
}

/// The settings from which a directory is created.
package struct DirectorySettings: Sendable {
    let profile: ProviderProfile
    package let location: ProviderLocation
    package let client: RelyingPartyClient
    package let transport: any HTTPTransport
    package let keySets: KeySetOptions
    let observer: (any KeySetObserver)?
    package let environment: FetchEnvironment

    /// Returns the readers of the tokens of a provider with these keys. They are created once for each provider.
    package func readers(_ keys: any KeySource) throws(RelyingPartyError) -> TokenReaders {
        try TokenReaders(profile, client, providerKeys: keys)
    }
}

package typealias DirectoryMaker = @Sendable (DirectorySettings) throws(RelyingPartyError) -> any ProviderDirectory

/// A directory of one provider, whose metadata are found by its issuer.
package struct SingleProvider: ProviderDirectory {
    private let issuer: String
    private let keys: RemoteKeySet
    private let readers: TokenReaders
    private let endpointCheck: EndpointCheck?
    private let timeLimit: Duration

    /// Creates a directory of one provider.
    ///
    /// - Parameters:
    ///   - settings: The settings of the relying party.
    ///   - check: A check that the metadata must pass before any of it is used, its `jwks_uri` included.
    package init(_ settings: DirectorySettings, check: MetadataCheck? = nil) throws(RelyingPartyError) {
        issuer = settings.location.issuer
        let endpointCheck = EndpointCheck(settings.profile, settings.location)
        self.endpointCheck = endpointCheck
        // The metadata may be at either of two URLs, and the keys are a third request.
        timeLimit = settings.keySets.deadline * 3
        do throws(KeySetError) {
            keys = try RemoteKeySet(
                issuer: settings.location.issuer, discovery: settings.location.discovery, transport: settings.transport,
                options: settings.keySets, observer: settings.observer, environment: settings.environment,
                check: check ?? endpointCheck?.ofKeySet)
        } catch {
            throw RelyingPartyError(RelyingPartyError.Reason(error), in: .configuration)
        }
        readers = try settings.readers(keys)
    }

    package func provider(_ hint: String?, until deadline: CallDeadline?) async throws(RelyingPartyError) -> Provider {
        guard hint == nil else { throw RelyingPartyError(.configurationError, in: .request) }
        if let metadata = keys.issuerMetadata { return provider(metadata) }
        let limit = try deadline.limit(timeLimit, .discovery)
        do {
            try await keys.warmUpOnce(timeout: limit)
        } catch let error as KeySetError {
            throw RelyingPartyError(RelyingPartyError.Reason(error, keys: keys.rejectedKeys), in: .discovery)
        } catch {
            throw RelyingPartyError(.interrupted, in: .discovery)
        }
        guard let metadata = keys.issuerMetadata else { throw RelyingPartyError(.unreachable, in: .discovery) }
        return provider(metadata)
    }

    private func provider(_ metadata: IssuerMetadata) -> Provider {
        Provider(issuer: issuer, metadata: metadata, keys: keys, readers: readers, endpointCheck: endpointCheck)
    }
}
