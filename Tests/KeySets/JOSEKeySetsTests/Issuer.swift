import JOSE
import JOSEKeySets
import JOSETokens

/// The key set of an issuer, and a source that fetches it with a virtual clock.
struct Issuer {
    static let url = "https://id.test/jwks"

    let server = ScriptedTransport()
    let clock = VirtualClock()
    let observer = Recorder()

    /// Returns a new key pair.
    static func key(_ keyID: String?, _ kind: KeyKind = .p256) -> PrivateKey {
        guard let key = try? PrivateKey.generate(kind, keyID: keyID) else { preconditionFailure("no key") }
        return key
    }

    static func document(_ keys: [PrivateKey]) -> String { KeySet(keys.map { .privateKey($0) }).jwks() }

    static func answer(_ keys: [PrivateKey], _ fields: TransportHeaderField...) -> TransportResponse {
        answer(text: document(keys), fields)
    }

    static func answer(text: String, _ fields: [TransportHeaderField] = []) -> TransportResponse {
        TransportResponse(
            status: 200, headers: [TransportHeaderField("Content-Type", "application/json")] + fields,
            body: Array(text.utf8))
    }

    func source(_ change: (inout KeySetOptions) -> Void = { _ in }) throws -> RemoteKeySet {
        var options = KeySetOptions()
        change(&options)
        let source = try RemoteKeySet(
            url: Self.url, transport: server, options: options, observer: observer, environment: clock.environment)
        clock.watch(source)
        return source
    }

    /// Returns a source that has these keys.
    func source(
        holding keys: [PrivateKey], _ fields: TransportHeaderField...,
        options change: (inout KeySetOptions) -> Void = { _ in }
    ) async throws -> RemoteKeySet {
        server.answer(Self.answer(text: Self.document(keys), fields))
        let source = try source(change)
        try await source.warmUp(timeout: .seconds(60))
        return source
    }
}

extension RemoteKeySet {
    /// The names of the served keys in order, or nil if none are served.
    var names: [String]? { try? current().keys.map { $0.keyID ?? "-" } }
    var outage: JOSEError? {
        do throws(JOSEError) {
            _ = try current()
            return nil
        } catch {
            return error
        }
    }

    func miss(_ keyID: String?) { reportMissing(keyID: keyID.map { Array($0.utf8) }) }

    /// Returns the `KeySetError` of a refresh.
    func refreshError() async -> KeySetError? {
        do {
            try await refresh()
            return nil
        } catch {
            return error as? KeySetError
        }
    }
}

extension TokenVerifier {
    /// Returns the error of a verification.
    func error(_ token: String) -> TokenError? {
        do throws(TokenError) {
            _ = try verify(token)
            return nil
        } catch {
            return error
        }
    }
}
