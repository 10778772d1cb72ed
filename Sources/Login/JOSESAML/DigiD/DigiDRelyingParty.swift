#if SAML
    public import JOSE
    public import JOSEKeySets
    public import JOSERelyingParty
    internal import JOSETokens

    /// The back end of a service whose app lets its users log in with DigiD's app, by SAML. Made once a connection, shared freely; made anew
    /// when either side's metadata change.
    ///
    /// `beginLogin` gives the link that the app opens and a binding that it keeps for a quarter of an hour; `completeLogin` takes what DigiD's
    /// app brought to the return URL. When nothing comes, the app says so with `endLogin`.
    public struct DigiDRelyingParty: LoginProvider {
        let connection: DigiDConnection
        let transport: any HTTPTransport
        let session: DigiDSession

        /// `transport`: with the service's certificate, which DigiD asks for where artifacts are resolved (`clientCertificate` among
        /// the options of `CurlTransport`). Throws `discoveryMismatch` where DigiD's metadata have no address for what this interface does.
        public init(
            _ connection: DigiDConnection, transport: any HTTPTransport, store: any LoginStore,
            clock: WallClock = .system
        ) throws(RelyingPartyError) {
            self.connection = connection
            self.transport = transport
            session = DigiDSession(store: store, clock: clock)
            do throws(RelyingPartyError.Reason) {
                _ = try connection.destination()
                _ = try connection.resolution()
            } catch {
                throw RelyingPartyError(error, in: .configuration)
            }
        }

        /// Begins a login, at the tap: the link is old after a minute (`AuthorizationRequest.urlExpires`), the login ends after a quarter of an hour.
        public func beginLogin(
            _ request: DigiDRequest = DigiDRequest()
        ) async throws(RelyingPartyError) -> AuthorizationRequest {
            let app = try DigiDApp.find(request.returnURL, in: connection.apps)
            let level = request.level ?? connection.level
            let now = session.clock.now.secondsSince1970
            let message: AuthnRequest
            let relayState: String
            do throws(RelyingPartyError.Reason) {
                // DigiD refuses one that has expired, and the app would tell nobody.
                guard connection.isCertificateValid(at: now) else { throw .keyUnsuitable }
                message = try connection.message(level, request.forceAuthn, now)
                relayState = try DigiDSession.fresh()
            } catch {
                throw RelyingPartyError(error, in: .request, remedy: error == .keyUnsuitable ? .fixConfiguration : nil)
            }
            let link = try connection.link(message, of: app, relayState)
            let transaction = DigiDTransaction(
                profile: connection.interface.rawValue, serviceProvider: connection.entityID,
                identityProvider: connection.provider.entityID, requestID: message.id, relayState: relayState,
                returnURL: app.returnURL, level: level, returnTo: request.returnTo, created: now)
            return try await session.start(transaction, link: link, issued: message.issueInstant)
        }

        /// Completes a login with what stands behind the `?` of the return link, as it came, and the binding of this app session. An artifact
        /// that is not this session's is refused before anything is sent; one that is, is used up first.
        public func completeLogin(callback: AuthorizationCallback, binding: String?) async throws(RelyingPartyError) -> DigiDUser {
            let (transaction, artifact) = try await session.accept(
                callback, binding: binding, profile: connection.interface.rawValue,
                form: connection.acceptsShortArtifacts ? .anyLength : .exact)
            guard sameBytes(transaction.identityProvider, connection.provider.entityID),
                sameBytes(transaction.serviceProvider, connection.entityID)
            else { throw RelyingPartyError(.stateMismatch, in: .callback) }
            do throws(RelyingPartyError) {
                return try await user(of: artifact, transaction)
            } catch {
                throw error.usedUp
            }
        }

        /// Ends a login of which nothing came back, and gives its error, for `DigiDSituation`.
        public func endLogin(
            _ silence: DigiDTimeout, binding: String?
        ) async throws(RelyingPartyError) -> RelyingPartyError {
            try await session.end(silence, binding: binding)
        }
    }

    extension DigiDConnection {
        fileprivate func isCertificateValid(at now: Double) -> Bool {
            let certificate = samlKey.certificate
            return now >= certificate.notBefore.secondsSince1970 && now <= certificate.notAfter.secondsSince1970
        }

        fileprivate func message(
            _ level: DigiDLevel, _ forceAuthn: Bool, _ now: Double
        ) throws(RelyingPartyError.Reason) -> AuthnRequest {
            var content = AuthnRequest.Content(
                generation, issuer: entityID, destination: try destination(), consumer: .index(consumer.index),
                classReference: level.classReference)
            content.forceAuthn = forceAuthn
            switch service {
            case .index(let index): content.service = .index(index)
            case .audience(let audience, let uuid): content.service = .audience(audience, serviceUUID: uuid)
            case nil: break
            }
            return try AuthnRequest(content, now: now)
        }

        fileprivate func link(
            _ message: AuthnRequest, of app: DigiDApp, _ relayState: String
        ) throws(RelyingPartyError) -> String {
            let request: DigiDAppRequest
            do throws(RelyingPartyError.Reason) {
                switch interface {
                case .saml3:
                    let value = try message.redirectValue()
                    request = try DigiDAppRequest(
                        app, samlRequest: value, relayState: relayState, host: host, signingKey: key)
                case .saml4:
                    let value = try DigiDRequestText.write(try message.signed(with: samlKey))
                    request = try DigiDAppRequest(
                        of: app, signedRequest: value, relayState: relayState, host: host)
                }
            } catch {
                throw RelyingPartyError(error, in: .request)
            }
            return try request.link(to: appLink)
        }
    }
#endif
