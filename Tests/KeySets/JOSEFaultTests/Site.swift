#if HTTP
    import Foundation
    import JOSE
    import JOSEFetch
    import JOSEKeySets
    import JOSETesting
    import JOSETokens
    import Synchronization
    import TestSupport

    /// A clock that runs with the machine's and can be set forward and back.
    final class ShiftedClock: Sendable {
        private let shift = Mutex(0.0)
        private static let begun = ContinuousClock.now

        func now() -> Double { (ContinuousClock.now - Self.begun) / .seconds(1) + shift.withLock { $0 } }

        func move(by seconds: Double) { shift.withLock { $0 += seconds } }

        var environment: FetchEnvironment {
            FetchEnvironment(
                now: { self.now() },
                sleep: { until in
                    // The wait is in steps, because the clock may be set meanwhile.
                    while self.now() < until { try await Task.sleep(for: .milliseconds(10)) }
                }, chance: { Double.random(in: 0..<1) })
        }
    }

    /// A transport over libcurl that calls the source before and after each request: a lock held during a fetch would deadlock
    /// here.
    final class ProbingTransport: HTTPTransport, Sendable {
        private let transport: CurlTransport
        private let source = Mutex<RemoteKeySet?>(nil)
        private let probes = Mutex(0)

        init(_ transport: CurlTransport) { self.transport = transport }

        var count: Int { probes.withLock { $0 } }
        /// Sets the source to call, or none if nil.
        func watch(_ source: RemoteKeySet?) { self.source.withLock { $0 = source } }

        private func probe() {
            guard let source = source.withLock({ $0 }) else { return }
            _ = try? source.current()
            source.reportMissing(keyID: Array("asked in passing".utf8))
            _ = source.health
            probes.withLock { $0 += 1 }
        }

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            probe()
            defer { probe() }
            return try await transport.send(request)
        }
    }

    final class Events: KeySetObserver, Sendable {
        private let seen = Mutex<[KeySetEvent]>([])

        func keySet(_ name: String, _ event: KeySetEvent) { seen.withLock { $0.append(event) } }
        var all: [KeySetEvent] { seen.withLock { $0 } }
        func forget() { seen.withLock { $0 = [] } }
    }

    /// An issuer at one port of the fault server, and a verifier that uses its keys.
    final class Site: Sendable {
        enum Verdict: Equatable { case accepted, signatureInvalid, keyNotFound, other(String) }

        let server: FaultServer
        let port: Int
        let path: String
        let clock = ShiftedClock()
        let events = Events()
        let transport: ProbingTransport
        let source: RemoteKeySet
        private let verifier: TokenVerifier

        let key: PrivateKey
        let next: PrivateKey
        let known: String
        let rotated: String
        /// A token under the known name, signed with another key.
        let forged: String
        /// Tokens under unknown names, of which the last one is repeated.
        let unknown: [String]

        init(
            _ name: String, _ server: FaultServer, _ transport: CurlTransport,
            _ adjust: (inout KeySetOptions) -> Void = { _ in }
        ) throws {
            self.server = server
            port = try server.listen(.https)
            path = "/matrix/\(name.map { $0.isLetter || $0.isNumber ? String($0) : "-" }.joined())"
            let key = try PrivateKey.generate(.p256, keyID: "first")
            let stranger = try PrivateKey.generate(.p256, keyID: "first")
            self.key = key
            next = try PrivateKey.generate(.p256, keyID: "second")
            func token(_ keyID: String, _ key: PrivateKey) throws -> String {
                try Forge.signed(
                    header: #"{"alg":"ES256","kid":"\#(keyID)"}"#,
                    payload: #"{"iss":"https://i.test","aud":"me","exp":1700000300}"#, with: .privateKey(key), .es256)
            }
            known = try token("first", key)
            rotated = try token("second", next)
            forged = try token("first", stranger)
            unknown = try (0..<48).map { try token("made up \(min($0, 32))", stranger) }

            var options = KeySetOptions()
            // Under a sanitizer everything is ten times slower.
            let environment = ProcessInfo.processInfo.environment
            let isSlow = environment["TSAN_OPTIONS"] != nil || environment["ASAN_OPTIONS"] != nil
            options.deadline = .seconds(isSlow ? 8 : 2)
            options.connectDeadline = .seconds(isSlow ? 4 : 1)
            // The forged token causes a fetch once, before there are faults.
            options.signatureCooldown = .seconds(86_400)
            adjust(&options)
            self.transport = ProbingTransport(transport)
            source = try RemoteKeySet(
                url: server.url(path, port: port), transport: self.transport, options: options, observer: events,
                environment: clock.environment)
            self.transport.watch(source)
            var policy = ClaimPolicy(issuer: "https://i.test", audience: "me")
            policy.clock = .fixed(1_700_000_000)
            verifier = try TokenVerifier(
                .signed(SignaturePolicy(algorithms: [.es256]), claims: policy), verificationKeys: source)
            try server.answer(path, keys(key))
        }

        func keys(_ keys: PrivateKey...) -> FaultServer.Answer { text(set(keys)) }

        func set(_ keys: [PrivateKey]) -> String { KeySet(keys.map { .privateKey($0) }).jwks() }

        func text(
            _ body: String, type: String = "application/jwk-set+json",
            _ change: (inout FaultServer.Answer) -> Void = { _ in }
        ) -> FaultServer.Answer {
            .init(body, headers: ["Content-Type": type], change)
        }

        /// Verifies a token without `async`: whether or not the key is known, this does not wait for the network.
        func outcome(of token: String) -> Verdict {
            do throws(TokenError) {
                _ = try verifier.verify(token)
                return .accepted
            } catch {
                guard case .jose(let fault, layer: _) = error else { return .other("\(error)") }
                switch fault {
                case .signatureInvalid: return .signatureInvalid
                // A key is missing in both cases: during an outage of the server, and under an unknown name.
                case .keyNotFound, .keysUnavailable(.refreshIncomplete): return .keyNotFound
                default: return .other("\(fault)")
                }
            }
        }
    }
#endif
