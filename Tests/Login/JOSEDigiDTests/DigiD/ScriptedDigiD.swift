#if SAML
    import Foundation
    import JOSE
    import JOSEKeySets
    import JOSERelyingParty
    import JOSEDigiD
    import JOSETesting
    import JOSETokens
    import Synchronization
    import TestSupport

    /// A stand-in of DigiD and its app in this process. It behaves as DigiD does, except for what the script changes.
    final class ScriptedDigiD: HTTPTransport {
        struct Script: Sendable {
            /// The change of the response before it is signed.
            var message: @Sendable (inout ArtifactResponseMessage) -> Void = { _ in }
            /// The change of the response's text before it is signed.
            var text: @Sendable (String) -> String = { $0 }
            /// The change of the HTTP response.
            var answer: (@Sendable (TransportResponse) -> TransportResponse)?
            var fault: TransportError?
        }
        private struct State: Sendable {
            var script = Script()
            var logins: [String: (requestID: String, level: String)] = [:]
            var requests: [TransportRequest] = []
            var count: UInt8 = 0
        }
        let parties: Parties
        let generation: SAMLGeneration
        let clock: TestClock
        private let state = Mutex(State())

        init(_ generation: SAMLGeneration, clock: TestClock) throws {
            parties = try Parties.made()
            self.generation = generation
            self.clock = clock
        }

        var script: Script {
            get { state.withLock { $0.script } }
            set { state.withLock { $0.script = newValue } }
        }
        var requests: [TransportRequest] { state.withLock { $0.requests } }

        /// Opens a link as DigiD's app does when a user logs in, and returns the query of the return URL.
        func open(_ link: String) throws -> String {
            let (request, relayState) = try read(link)
            guard DigiDFreshness(of: request.issueInstant, at: clock.now.secondsSince1970) == .fresh else {
                return DigiDReturn(artifact: nil, relayState: relayState, errorMessage: "timeout").query
            }
            return DigiDReturn(artifact: try artifact(of: request), relayState: relayState, errorMessage: nil).query
        }

        func artifact(of request: ReceivedAuthnRequest) throws -> String {
            let number = state.withLock { state in
                state.count += 1
                return state.count
            }
            let artifact = try DigiDArtifact(
                entityID: Parties.entityID, handle: Array(repeating: number, count: 20)
            ).text
            state.withLock { $0.logins[artifact] = (request.id, request.classReference) }
            return artifact
        }

        /// Returns the request and the `RelayState` of a link, after the signature was verified.
        func read(_ link: String) throws -> (request: ReceivedAuthnRequest, relayState: String?) {
            let envelope = try DigiDAppRequest(link: link)
            guard generation == .saml3 else {
                let xml = try DigiDRequestText.read(envelope.samlRequest)
                return (
                    try ReceivedAuthnRequest(signed: xml, by: [try parties.service.verifying]), envelope.relayState
                )
            }
            try RedirectSignature(samlRequest: envelope.samlRequest, relayState: envelope.relayState)
                .verify(envelope.signature ?? "", with: parties.service.certificate.publicKey())
            return (try ReceivedAuthnRequest(redirectValue: envelope.samlRequest), envelope.relayState)
        }

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            let script = state.withLock { state in
                state.requests.append(request)
                return state.script
            }
            if let fault = script.fault { throw fault }
            var response = TransportResponse(status: 404)
            if request.url == Parties.resolution, let body = try? resolve(request.body, script) {
                response = TransportResponse(
                    status: 200, headers: [TransportHeaderField("Content-Type", "text/xml; charset=utf-8")], body: body)
            }
            return script.answer?(response) ?? response
        }

        private func resolve(_ envelope: [UInt8], _ script: Script) throws -> [UInt8] {
            let resolve = try ReceivedArtifactResolve(envelope: envelope, by: [try parties.service.verifying])
            let login = state.withLock { $0.logins[resolve.artifact] }
            var message = ArtifactResponseMessage(
                generation, issuer: Parties.entityID, audience: Parties.service, consumerURL: Parties.consumerURL,
                resolveID: resolve.id, requestID: login?.requestID ?? "_none",
                classReference: login?.level ?? "", now: clock.now.secondsSince1970)
            if generation == .saml3 {
                message.nameID = "s00000000:" + Parties.number
            } else {
                message.classReference = DigiDLevel(classReference: message.classReference)?.eIDAS ?? ""
                message.identifiers = [
                    (DigiDNumber.pseudonymQualifier, "pseudonym-1"), (DigiDNumber.qualifiers[0], Parties.number),
                ]
                message.recipients = [(Parties.service, try parties.service.verifying)]
            }
            if login == nil { message.outerStatus = ("Requester", "RequestDenied") }
            script.message(&message)
            let text = String(decoding: try message.text(signedWith: parties.provider.key), as: UTF8.self)
            return try message.finished(Array(script.text(text).utf8), with: parties.provider.key)
        }
    }

    /// A service and a stand-in of DigiD that share a clock.
    struct DigiDFixture: Sendable {
        let clock: TestClock
        let digiD: ScriptedDigiD
        let store: MemoryLoginStore
        let connection: DigiDConnection
        let party: DigiDRelyingParty

        static let returnURL = "https://service.test/digid"

        init(
            _ interface: DigiDConnection.Interface = .saml3, provider: IdentityProviderMetadata? = nil,
            signer: (any ExternalSigner)? = nil, change: (inout DigiDConnection) -> Void = { _ in }
        ) throws {
            // Certificates are valid from the time at which they are made, so that they are made before the clock.
            _ = try Parties.made()
            let clock = TestClock(NumericDate(secondsSince1970: Date().timeIntervalSince1970.rounded(.down)))
            self.clock = clock
            digiD = try ScriptedDigiD(interface == .saml3 ? .saml3 : .saml4, clock: clock)
            store = MemoryLoginStore(clock: clock.wallClock)
            let parties = digiD.parties
            let app = try DigiDApp(
                name: "Service", returnURL: Self.returnURL, icon: "https://service.test/icon.png")
            let consumer = DigiDConnection.Consumer(url: Parties.consumerURL)
            let provider = try provider ?? Self.metadata(parties, now: clock.now)
            let certificate = parties.service.certificate
            var connection =
                if let signer {
                    try DigiDConnection(
                        interface, entityID: Parties.service, apps: [app], consumer: consumer, provider: provider,
                        signer: signer, certificate: certificate)
                } else {
                    try DigiDConnection(
                        interface, entityID: Parties.service, apps: [app], consumer: consumer, provider: provider,
                        key: try PrivateKey(pem: parties.service.issued.keyPEM), certificate: certificate)
                }
            if interface == .saml4 { connection.service = .index(1) }
            change(&connection)
            self.connection = connection
            party = try DigiDRelyingParty(connection, transport: digiD, store: store, clock: clock.wallClock)
        }

        /// Returns DigiD's metadata, by default with the endpoints of both interfaces.
        static func metadata(
            _ parties: Parties,
            bindings: [String] = [SAMLNames.redirectBinding, "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"],
            now: NumericDate
        ) throws -> IdentityProviderMetadata {
            var description = parties.description()
            description.signOn = bindings.map { SAMLEndpoint(binding: $0, location: Parties.signOn) }
            return try IdentityProviderMetadata(
                try description.signed(with: parties.provider.key), entityID: Parties.entityID,
                signedBy: [parties.provider.certificate], now: now)
        }

        /// Performs a whole login of a user who agrees.
        func login(_ request: DigiDRequest = DigiDRequest()) async throws -> DigiDUser {
            let start = try await party.beginLogin(request)
            return try await party.completeLogin(
                callback: .query(try digiD.open(start.url)), binding: start.binding)
        }

        func failure(_ request: DigiDRequest = DigiDRequest()) async throws -> RelyingPartyError? {
            do {
                _ = try await login(request)
                return nil
            } catch let error as RelyingPartyError {
                return error
            }
        }

        /// Returns the error of a login whose response is changed; nil if the login succeeds.
        func failure(
            _ change: @escaping @Sendable (inout ArtifactResponseMessage) -> Void
        ) async throws -> RelyingPartyError? {
            let before = digiD.script
            defer { digiD.script = before }
            digiD.script.message = change
            return try await failure()
        }
    }
#endif
