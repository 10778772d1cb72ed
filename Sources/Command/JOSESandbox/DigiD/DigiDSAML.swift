#if SAML
    internal import JOSE
    internal import JOSESupport
    internal import JOSECrypto
    internal import JOSEKeySets
    internal import JOSERelyingParty
    internal import JOSEDigiD
    internal import Synchronization

    /// A key of DigiD.
    struct DigiDKey: Sendable {
        /// The key with its certificate, which signs XML.
        let saml: SAMLKey
        private let key: PrivateKey

        init(_ key: PrivateKey) throws {
            self.key = key
            let der = try TestAuthority.selfCertify("Sandbox DigiD", keyPEM: key.exportPrivatePEM())
            saml = try SAMLKey(key, certificate: Certificate(der: der))
        }

        /// Signs the octets of a query, and returns the signature in base64.
        func sign(query: String) throws -> String {
            try RedirectSignature(octets: Array(query.utf8)).sign(with: key)
        }
    }

    /// One generation of DigiD's SAML interface: the requests to its app and to its web page, and the resolution of
    /// artifacts.
    final class DigiDSAML: Sendable {
        struct Artifact: Sendable {
            let request: DigiDProvider.AuthenticationRequest
            let person: Person
            let level: DigiDLevel
            let situation: DigiDSituations?
            /// Whether the user cancelled the login on the web page.
            var isCancelled = false
        }

        let isLater: Bool
        let entityID: String
        /// The entity ID of the service.
        let service: String
        let urls: DigiDURLs
        let certificate: Certificate
        let signOn: String
        let logout: String
        let key: DigiDKey
        let stranger: DigiDKey
        private let verification: SAMLCertificate
        private let resolution: String
        private let artifacts = Mutex(ExpiringTable<Artifact>(lifetime: 900))
        /// The numbers of sessions of users at DigiD, by the name in messages. In the earlier generation the name is
        /// that of the user.
        private let sessions = Mutex(ExpiringTable<Int>(lifetime: 3600))

        /// Creates the interface.
        ///
        /// - Parameter certificate: The certificate of the key that the service signs with, in DER.
        init(
            isLater: Bool, web: String, api: String, service: String, urls: DigiDURLs, certificate: [UInt8],
            key: DigiDKey, stranger: DigiDKey
        ) throws {
            self.isLater = isLater
            let base = isLater ? "/saml/v4/idp" : "/saml/idp"
            entityID = "https://" + api + base + "/metadata"
            signOn = "https://" + web + base + "/request_authentication"
            logout = "https://" + web + base + "/request_logout"
            resolution = "https://" + api + base + "/resolve_artifact"
            self.service = service
            self.urls = urls
            self.certificate = try Certificate(der: certificate)
            verification = try SAMLCertificate(self.certificate)
            self.key = key
            self.stranger = stranger
        }

        /// Returns the metadata that DigiD hands out at onboarding, signed by the certificate that is in it.
        func metadata() throws -> [UInt8] {
            let browser = isLater ? SAMLNames.postBinding : SAMLNames.redirectBinding
            var description = IdentityProviderDescription(
                entityID: entityID, signing: [key.saml.certificate],
                signOn: [SAMLEndpoint(binding: browser, location: signOn)],
                artifactResolution: [SAMLEndpoint(binding: SAMLNames.soapBinding, location: resolution, index: 0)])
            description.singleLogout = [SAMLEndpoint(binding: browser, location: logout)]
            return try description.signed(with: key.saml)
        }

        var metadataCertificate: Certificate { key.saml.certificate }

        /// Verifies a request of the service to DigiD's app, and returns its content.
        func request(_ asked: DigiDAppRequest) throws(RelyingPartyError.Reason) -> DigiDProvider.AuthenticationRequest {
            if isLater {
                guard asked.relayState != nil else { throw .missingParameter("RelayState") }
                return try checked(
                    ReceivedAuthnRequest(signed: try DigiDRequestText.read(asked.samlRequest), by: [verification]))
            }
            guard let signature = asked.signature, asked.signatureAlgorithm == RedirectSignature.algorithm else {
                throw .algorithmNotAllowed
            }
            try verify(
                RedirectSignature(samlRequest: asked.samlRequest, relayState: asked.relayState), signature)
            return try checked(ReceivedAuthnRequest(redirectValue: asked.samlRequest))
        }

        /// Verifies a request of the service to DigiD's web page, and returns its content.
        func request(_ message: BrowserMessage) throws(RelyingPartyError.Reason) -> DigiDProvider.AuthenticationRequest
        {
            try checked(
                isLater
                    ? ReceivedAuthnRequest(signed: message.xml, by: [verification])
                    : ReceivedAuthnRequest(redirectValue: message.text))
        }

        private func checked(_ received: ReceivedAuthnRequest) throws(RelyingPartyError.Reason)
            -> DigiDProvider.AuthenticationRequest
        {
            let consumers = [urls.app, urls.consumer]
            guard received.issuer == service, received.destination == signOn,
                let level = DigiDLevel(classReference: received.classReference),
                case .index(let index) = received.consumer, Int(index) < consumers.count
            else { throw .malformed }
            return DigiDProvider.AuthenticationRequest(
                id: received.id, level: level, issueInstant: received.issueInstant, consumerURL: consumers[Int(index)])
        }

        /// Verifies a signature of the service over a query.
        func verify(_ signed: RedirectSignature, _ signature: String) throws(RelyingPartyError.Reason) {
            guard let key = try? certificate.publicKey() else { throw .signatureInvalid }
            do throws(RelyingPartyError.Reason) { try signed.verify(signature, with: key) } catch {
                throw .signatureInvalid
            }
        }

        /// Verifies the enveloped signature of the service.
        func verify(_ message: XMLElement) throws(RelyingPartyError.Reason) {
            try message.verify(by: [verification])
        }

        /// Stores what an artifact resolves to, and returns the artifact.
        ///
        /// - Parameters:
        ///   - source: The entity ID whose digest is in the artifact; nil for DigiD's own.
        ///   - hasPlus: Whether the artifact must contain a `+`.
        func artifact(
            _ artifact: Artifact, from source: String? = nil, hasPlus: Bool = false, now: Double
        ) throws -> String {
            var text: String
            repeat {
                text = try DigiDArtifact(entityID: source ?? entityID, handle: try Random.bytes(20)).text
            } while hasPlus && !text.contains("+")
            artifacts.withLock { $0.insert(artifact, under: text, now: now) }
            return text
        }

        /// Returns whether there is a session at DigiD with the name.
        func hasSession(_ name: String, now: Double) -> Bool { sessions.withLock { $0.value(name, now: now) != nil } }

        /// Ends one session with the name.
        func endSession(_ name: String, now: Double) { countSessions(name, by: -1, now: now) }

        private func countSessions(_ name: String, by difference: Int, now: Double) {
            sessions.withLock { sessions in
                let count = (sessions.take(name, now: now) ?? 0) + difference
                if count > 0 { sessions.insert(count, under: name, now: now) }
            }
        }

        /// The number of names that have sessions.
        var sessionCount: Int { sessions.withLock { $0.count } }

        static func name(of person: Person) -> String { "s00000000:" + person.dutchNumber }

        /// Answers a request to the artifact resolution, or returns nil if the request has another path.
        func answer(_ request: WebRequest, to client: [UInt8], now: Double) -> TransportResponse? {
            guard "https://" + request.authority.lowercased() + request.path == resolution else { return nil }
            guard request.method == "POST" else { return .methodNotAllowed("POST") }
            guard let shown = request.clientCertificate, shown == client else { return TransportResponse(status: 403) }
            // DigiD answers so if it cannot read the XML, does not know the issuer, or the signature is invalid.
            guard let resolve = try? ReceivedArtifactResolve(envelope: request.body, by: [verification]),
                resolve.issuer == service
            else { return TransportResponse(status: 404) }
            guard let body = try? answer(resolve, now) else { return TransportResponse(status: 500) }
            return .content(body, type: "text/xml; charset=utf-8")
        }

        private func answer(_ resolve: ReceivedArtifactResolve, _ now: Double) throws -> [UInt8] {
            // An artifact is resolved once.
            let found = artifacts.withLock { $0.take(resolve.artifact, now: now) }
            let situation = found?.situation
            let level = found?.level ?? .midden
            var message = ArtifactResponseMessage(
                isLater ? .saml4 : .saml3, issuer: entityID, audience: service,
                consumerURL: found?.request.consumerURL ?? urls.app, resolveID: resolve.id,
                requestID: found?.request.id ?? "_none",
                classReference: isLater ? level.eIDAS ?? level.classReference : level.classReference, now: now)
            let number = situation == .badNumber ? "111222334" : found?.person.dutchNumber ?? ""
            let isOther = situation == .otherSector
            message.nameID = (isOther ? "s00000001:" : "s00000000:") + number
            if isLater {
                let qualifier = isOther ? "urn:nl-eid-gdi:1.0:id:legacy-SOFI" : DigiDNumber.qualifiers[0]
                message.identifiers = [(qualifier: qualifier, text: number)]
                message.recipients = [(entityID: service, certificate: verification)]
            }
            if let found, found.level < found.request.level { message.innerStatus = ("Responder", "NoAuthnContext") }
            if found?.isCancelled ?? false { message.innerStatus = ("Responder", "AuthnFailed") }
            switch situation {
            case .switchedOff: message.innerStatus = ("Responder", "RequestDenied")
            case .switchedOffForService: message.innerStatus = ("Requester", "RequestDenied")
            case .late: message.isEmpty = true
            case .otherRequest: message.requestID = "_" + Randomness.uuid()
            case .otherAudience: message.audience = "https://other.test/metadata"
            case .expired: message.now = now - 200
            default: break
            }
            if found == nil || situation == .refused { message.outerStatus = ("Requester", "RequestDenied") }
            let key = situation == .strangersKey ? stranger.saml : key.saml
            let session = try DigiDText.freshID()
            // A login with the app begins no session, and neither does one without an assertion.
            if found?.request.consumerURL == urls.consumer, message.innerStatus == nil, message.outerStatus == nil,
                !message.isEmpty
            {
                countSessions(isLater ? session : message.nameID, by: 1, now: now)
            }
            let text = try DigiDText.artifactResponse(message, session: session, by: key)
            let envelope = try message.finished(text, with: key)
            return situation == .tampered ? Self.changed(envelope) : envelope
        }

        /// Returns the envelope with another IP address of the user.
        private static func changed(_ envelope: [UInt8]) -> [UInt8] {
            let text = String(decoding: envelope, as: UTF8.self)
            return Array(text.replacing("127.0.0.1", with: "127.0.0.2").utf8)
        }
    }
#endif
