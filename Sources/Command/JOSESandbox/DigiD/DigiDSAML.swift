#if SAML
    internal import JOSE
    internal import JOSEBytes
    internal import JOSECrypto
    internal import JOSEKeySets
    internal import JOSERelyingParty
    internal import JOSESAML
    internal import Synchronization

    /// One generation of DigiD's SAML interface: the requests to its app, and the resolution of artifacts.
    final class DigiDSAML: Sendable {
        struct Artifact: Sendable {
            let requestID: String
            let requested: DigiDLevel
            let person: Person
            let level: DigiDLevel
            let situation: DigiDSituations?
        }

        let isLater: Bool
        let entityID: String
        /// The entity ID of the service, and its one return URL, which is the recipient of assertions too.
        let service: String
        let returnURL: String
        let certificate: Certificate
        private let verification: SAMLCertificate
        private let signOn: String
        private let resolution: String
        private let key: SAMLKey
        private let stranger: SAMLKey
        private let artifacts = Mutex(ExpiringTable<Artifact>(lifetime: 900))

        /// Creates the interface.
        ///
        /// - Parameter certificate: The certificate of the key that the service signs with, in DER.
        init(
            isLater: Bool, web: String, api: String, service: String, returnURL: String, certificate: [UInt8],
            key: SAMLKey, stranger: SAMLKey
        ) throws {
            self.isLater = isLater
            let base = isLater ? "/saml/v4/idp" : "/saml/idp"
            entityID = "https://" + api + base + "/metadata"
            signOn = "https://" + web + base + "/request_authentication"
            resolution = "https://" + api + base + "/resolve_artifact"
            self.service = service
            self.returnURL = returnURL
            self.certificate = try Certificate(der: certificate)
            verification = try SAMLCertificate(self.certificate)
            self.key = key
            self.stranger = stranger
        }

        /// Returns the metadata that DigiD hands out at onboarding, signed by the certificate that is in it.
        func metadata() throws -> [UInt8] {
            let binding = "urn:oasis:names:tc:SAML:2.0:bindings:"
            return try IdentityProviderDescription(
                entityID: entityID, signing: [key.certificate],
                signOn: [
                    SAMLEndpoint(binding: binding + (isLater ? "HTTP-POST" : "HTTP-Redirect"), location: signOn)
                ],
                artifactResolution: [SAMLEndpoint(binding: binding + "SOAP", location: resolution, index: 0)]
            ).signed(with: key)
        }

        var metadataCertificate: Certificate { key.certificate }

        /// Verifies a request of the service, and returns its content.
        func request(_ asked: DigiDAppRequest) throws(RelyingPartyError.Reason) -> (
            id: String, level: DigiDLevel, at: Double
        ) {
            let received: ReceivedAuthnRequest
            if isLater {
                guard asked.relayState != nil else { throw .missingParameter("RelayState") }
                received = try ReceivedAuthnRequest(
                    signed: try DigiDRequestText.read(asked.samlRequest), by: [verification])
            } else {
                guard let signature = asked.signature, asked.signatureAlgorithm == RedirectSignature.algorithm else {
                    throw .algorithmNotAllowed
                }
                do throws(JOSEError) {
                    let key = try certificate.publicKey()
                    let signed = RedirectSignature(samlRequest: asked.samlRequest, relayState: asked.relayState)
                    do throws(RelyingPartyError.Reason) { try signed.verify(signature, with: key) } catch {
                        throw JOSEError.signatureInvalid
                    }
                } catch {
                    throw .signatureInvalid
                }
                received = try ReceivedAuthnRequest(redirectValue: asked.samlRequest)
            }
            guard received.issuer == service, received.destination == signOn,
                let level = DigiDLevel(classReference: received.classReference)
            else { throw .malformed }
            return (received.id, level, received.issueInstant)
        }

        func artifact(_ artifact: Artifact, now: Double) throws(RelyingPartyError.Reason) -> String {
            guard let handle = try? Random.bytes(20) else { throw .internalFault }
            let text = try DigiDArtifact(entityID: entityID, handle: handle).text
            artifacts.withLock { $0.insert(artifact, under: text, now: now) }
            return text
        }

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
            return TransportResponse(
                status: 200,
                headers: [
                    TransportHeaderField("Content-Type", "text/xml; charset=utf-8"),
                    TransportHeaderField("Cache-Control", "no-store"),
                ],
                body: body)
        }

        private func answer(_ resolve: ReceivedArtifactResolve, _ now: Double) throws -> [UInt8] {
            // An artifact is resolved once.
            let found = artifacts.withLock { $0.take(resolve.artifact, now: now) }
            let situation = found?.situation
            let level = found?.level ?? .midden
            var message = ArtifactResponseMessage(
                isLater ? .saml4 : .saml3, issuer: entityID, audience: service, consumerURL: returnURL,
                resolveID: resolve.id, requestID: found?.requestID ?? "_none",
                classReference: isLater ? level.eIDAS ?? level.classReference : level.classReference, now: now)
            let number = situation == .badNumber ? "111222334" : found?.person.dutchNumber ?? ""
            let isOther = situation == .otherSector
            message.nameID = (isOther ? "s00000001:" : "s00000000:") + number
            if isLater {
                let qualifier = isOther ? "urn:nl-eid-gdi:1.0:id:legacy-SOFI" : DigiDNumber.qualifiers[0]
                message.identifiers = [(qualifier: qualifier, text: number)]
                message.recipients = [(entityID: service, certificate: verification)]
            }
            if found.map({ $0.level < $0.requested }) ?? false { message.innerStatus = ("Responder", "NoAuthnContext") }
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
            let envelope = try message.envelope(signedWith: situation == .strangersKey ? stranger : key)
            return situation == .tampered ? Self.changed(envelope) : envelope
        }

        /// Returns the envelope with another IP address of the user.
        private static func changed(_ envelope: [UInt8]) -> [UInt8] {
            let text = String(decoding: envelope, as: UTF8.self)
            return Array(text.replacing("127.0.0.1", with: "127.0.0.2").utf8)
        }
    }
#endif
