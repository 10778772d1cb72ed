internal import JOSEKeySets
internal import JOSERelyingParty
internal import JOSETokens
internal import Synchronization

/// The directory of ZenKey's carriers, which are found by a network: `LoginRequest.provider` is its `mccmnc`.
final class CarrierDirectory: ProviderDirectory {
    private struct Ready {
        let source: RemoteKeySet
        let readers: TokenReaders
    }
    let discovery: ZenKeyCarrierDiscovery
    private let settings: DirectorySettings
    private let keys: CarrierKeys
    /// The carriers in use, by the bytes of their issuers.
    private let ready = Mutex<[[UInt8]: Ready]>([:])

    init(_ settings: DirectorySettings, _ environment: ZenKeyEnvironment) {
        self.settings = settings
        discovery = ZenKeyCarrierDiscovery(
            clientID: settings.client.id, environment: environment, transport: settings.transport,
            elapsed: settings.environment.now)
        keys = CarrierKeys(
            transport: settings.transport, options: settings.keySets, environment: settings.environment)
    }

    func provider(_ hint: String?, until deadline: CallDeadline?) async throws(RelyingPartyError) -> Provider {
        guard let hint else { throw RelyingPartyError(.missingParameter("mccmnc"), in: .request) }
        guard let network = MobileNetwork(hint) else {
            throw RelyingPartyError(.invalidParameter("mccmnc"), in: .request)
        }
        return try await provider(try await carrier(network, until: deadline), until: deadline)
    }

    /// Returns the carrier of a network without asking the user.
    ///
    /// - Throws: The provider's error `provider_not_found` for a network that discovery does not know.
    func carrier(
        _ network: MobileNetwork, until deadline: CallDeadline?
    ) async throws(RelyingPartyError) -> ZenKeyCarrier {
        switch try await discovery.ask(ZenKeyCarrierQuery(network: network), until: deadline) {
        case .carrier(let carrier): return carrier
        case .ask:
            guard let code = ProviderErrorCode("provider_not_found") else {
                throw RelyingPartyError(.malformed, in: .discovery)
            }
            throw RelyingPartyError(.providerError(code), in: .discovery, action: .restart)
        }
    }

    func provider(
        _ carrier: ZenKeyCarrier, until deadline: CallDeadline?
    ) async throws(RelyingPartyError) -> Provider {
        let ready = try ready(carrier)
        if (try? ready.source.current()) == nil {
            let limit = try deadline.limit(settings.keySets.deadline * 2, .discovery)
            do {
                try await ready.source.warmUpOnce(timeout: limit)
            } catch let error as KeySetError {
                let reason = RelyingPartyError.Reason(error, keys: ready.source.rejectedKeys)
                throw RelyingPartyError(reason, in: .discovery)
            } catch {
                throw RelyingPartyError(.interrupted, in: .discovery)
            }
        }
        return Provider(
            issuer: carrier.issuer, metadata: carrier.metadata, keys: ready.source, readers: ready.readers)
    }

    private func ready(_ carrier: ZenKeyCarrier) throws(RelyingPartyError) -> Ready {
        let source: RemoteKeySet
        do throws(KeySetError) { source = try keys.source(issuer: carrier.issuer, url: carrier.keySetURL) } catch {
            throw RelyingPartyError(RelyingPartyError.Reason(error), in: .discovery)
        }
        let issuer = Array(carrier.issuer.utf8)
        if let cached = ready.withLock({ $0[issuer] }), cached.source === source { return cached }
        let fresh = Ready(source: source, readers: try settings.readers(source))
        ready.withLock { ready in
            // The limit is that of the key sources (``CarrierKeys``).
            if ready.count >= 16 { ready.removeAll() }
            ready[issuer] = fresh
        }
        return fresh
    }

    /// Returns the error of a failed login. If the carrier does not recognize the user, discovery is asked again next
    /// time. A user who was asked twice for their carrier is not asked a third time.
    func refused(_ error: RelyingPartyError, _ transaction: LoginTransaction) -> RelyingPartyError {
        guard case .providerError(let code) = error.reason, ZenKeyErrorType(code) == .discoveryStateError else {
            return error
        }
        if let network = transaction.provider.flatMap({ MobileNetwork($0) }) { discovery.forget(network) }
        guard code.description == "user_not_found", transaction.notes[ZenKey.againNote] != nil else { return error }
        return RelyingPartyError(.redirectLoop, in: error.step, action: .tellUser)
    }
}
