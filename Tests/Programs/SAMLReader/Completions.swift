#if SAML
    import JOSE
    import JOSEKeySets
    import JOSERelyingParty
    import JOSEDigiD
    import JOSETokens
    import Synchronization

    /// A stand-in of DigiD in this process, which measures its own time.
    private final class InProcessDigiD: HTTPTransport {
        private struct State {
            var logins: [String: ReceivedAuthnRequest] = [:]
            var count: UInt64 = 0
            var spent = Duration.zero
        }
        private let answers: Answers
        private let state = Mutex(State())

        init(_ answers: Answers) { self.answers = answers }

        var spent: Duration { state.withLock { $0.spent } }

        /// Opens a link as DigiD's app does, and returns the query of the return URL.
        func open(_ link: String) throws -> String {
            let envelope = try DigiDAppRequest(link: link)
            let request = try ReceivedAuthnRequest(redirectValue: envelope.samlRequest)
            let number = state.withLock { state in
                state.count += 1
                return state.count
            }
            let handle = (0..<20).map { UInt8(truncatingIfNeeded: $0 < 8 ? number >> (8 * UInt64($0)) : 0) }
            let artifact = try DigiDArtifact(entityID: Answers.provider, handle: handle).text
            state.withLock { $0.logins[artifact] = request }
            return DigiDReturn(artifact: artifact, relayState: envelope.relayState, errorMessage: nil).query
        }

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            let clock = ContinuousClock()
            let began = clock.now
            defer { state.withLock { $0.spent += clock.now - began } }
            guard let body = try? answer(request.body) else { return TransportResponse(status: 404) }
            return TransportResponse(
                status: 200, headers: [TransportHeaderField("Content-Type", "text/xml")], body: body)
        }

        private func answer(_ envelope: [UInt8]) throws -> [UInt8] {
            let resolve = try ReceivedArtifactResolve(
                envelope: envelope, by: [try SAMLCertificate(answers.key.certificate)])
            guard let request = state.withLock({ $0.logins.removeValue(forKey: resolve.artifact) }) else {
                throw RelyingPartyError.Reason.replayed
            }
            var message = try answers.message(.saml3)
            message.resolveID = resolve.id
            message.requestID = request.id
            message.classReference = request.classReference
            message.nameID = "s00000000:" + Answers.number
            return try message.envelope(signedWith: answers.key)
        }
    }

    extension Answers {
        /// Measures complete logins without the time of DigiD: each resolves an artifact with a signed request, and reads a
        /// response with two signatures.
        func timeCompletions(_ count: Int, key: PrivateKey) async throws -> Duration {
            let provider = InProcessDigiD(self)
            let app = try DigiDApp(
                name: "Service", returnURL: "https://service.test/digid", icon: "https://service.test/icon.png")
            let connection = try DigiDConnection(
                entityID: Self.service, apps: [app], consumer: DigiDConnection.Consumer(url: Self.consumerURL),
                provider: metadata, key: key, certificate: self.key.certificate)
            let party = try DigiDRelyingParty(
                connection, transport: provider, store: MemoryLoginStore(),
                clock: .fixed(NumericDate(secondsSince1970: now)))
            let clock = ContinuousClock()
            var taken = Duration.zero
            for _ in 0..<count {
                let start = try await party.beginLogin()
                let query = try provider.open(start.url)
                let began = clock.now
                let user = try await party.completeLogin(callback: .query(query), binding: start.binding)
                taken += clock.now - began
                precondition(user.level == .midden)
            }
            return taken - provider.spent
        }
    }
#endif
