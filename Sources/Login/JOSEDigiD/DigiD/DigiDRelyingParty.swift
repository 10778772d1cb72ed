#if SAML
    public import JOSE
    internal import JOSESupport
    public import JOSEKeySets
    public import JOSERelyingParty
    internal import JOSETokens

    /// The back end of a service that logs users in with DigiD's app by SAML. Create one for each connection, share it
    /// between tasks, and create a new one when the SAML metadata of either party changes.
    ///
    /// ``beginLogin(_:)`` returns the link that the service's app opens, and a binding that the app keeps for 15
    /// minutes. ``completeLogin(callback:binding:)`` takes the query with which DigiD's app opens the return URL
    /// (`AuthorizationCallback.digiDApp(_:)`). If
    /// DigiD's app does not return, the service's app reports this to its back end, and ``endLogin(_:binding:)`` ends
    /// the login.
    public struct DigiDRelyingParty: LoginProvider {
        let connection: DigiDConnection
        let transport: any HTTPTransport
        let session: DigiDSession

        /// Creates a relying party for a connection.
        ///
        /// - Parameters:
        ///   - connection: The registered connection with DigiD.
        ///   - transport: The transport of the requests to DigiD. It must present the service's TLS client certificate,
        ///     which DigiD requires when artifacts are resolved (`clientCertificate` among the options of
        ///     `CurlTransport`).
        ///   - store: The store of pending logins, and of the artifacts and assertions that have been used.
        ///   - clock: The clock for all checks of times.
        /// - Throws: `discoveryMismatch` if DigiD's metadata lacks an endpoint that the connection's interface
        ///   requires; `configurationError` if a digest of a client certificate does not have 32 bytes, the URL for
        ///   DigiD's requests has no client certificate or is given with `.saml4`, no key decrypts identification
        ///   numbers that DigiD encrypts, or the private half of a key is publicly known: in production any, and
        ///   elsewhere one that another provider publishes for tests.
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
                try connection.checkKeys(rejecting: connection.host == nil ? .all : .ofTests)
                guard connection.interface == .saml3 || !connection.decryptionKeys.isEmpty else {
                    throw .configurationError
                }
                if let logout = connection.logout {
                    _ = try connection.logoutDestination()
                    // Without a certificate that is accepted, each request of DigiD would be rejected.
                    guard logout.clientCertificates.allSatisfy({ $0.count == 32 }),
                        logout.requestURL == nil
                            || (connection.interface == .saml3 && !logout.clientCertificates.isEmpty)
                    else { throw .configurationError }
                }
            } catch {
                throw RelyingPartyError(error, in: .configuration)
            }
        }

        /// Begins a login. Call it when the user taps the login button, because the link expires after one minute
        /// (`AuthorizationRequest.urlExpires`). The login expires after 15 minutes.
        ///
        /// - Parameter request: The login request; by default for the connection's level and first app.
        /// - Returns: The link that the app opens, and the binding of the login.
        /// - Throws: `invalidParameter` if the return URL is not registered or the path is not local, `keyUnsuitable`
        ///   if the service's certificate is not valid now, `internalFault` or `interrupted` if a key outside the
        ///   process does not sign, and the errors of the store.
        public func beginLogin(
            _ request: DigiDRequest = DigiDRequest()
        ) async throws(RelyingPartyError) -> AuthorizationRequest {
            let app = try DigiDApp.find(request.returnURL, in: connection.apps)
            let (message, transaction) = try prepared(request, by: .app)
            let link = try await connection.link(message, of: app, transaction.relayState ?? "")
            return try await session.start(transaction, link: link, issued: message.issueInstant)
        }

        /// Returns the message of a login, and the state to store until its response arrives.
        func prepared(
            _ request: DigiDRequest, by route: DigiDRoute
        ) throws(RelyingPartyError) -> (AuthnRequest, DigiDTransaction) {
            let level = request.level ?? connection.level
            let now = session.clock.now.secondsSince1970
            do throws(RelyingPartyError.Reason) {
                // DigiD rejects an expired certificate, and its app does not report that to the service.
                guard connection.isCertificateValid(at: now) else { throw .keyUnsuitable }
                let message = try connection.message(level, request.forceAuthn, now)
                let transaction = DigiDTransaction(
                    profile: connection.interface.rawValue, serviceProvider: connection.entityID,
                    identityProvider: connection.provider.entityID, requestID: message.id,
                    relayState: try DigiDSession.fresh(), route: route, level: level,
                    returnTo: request.returnTo, created: now)
                return (message, transaction)
            } catch {
                throw RelyingPartyError(error, in: .request, action: error == .keyUnsuitable ? .fixConfiguration : nil)
            }
        }

        /// Completes a login. The artifact of another app session is rejected before anything is sent. An artifact of
        /// this session is used up before it is resolved, even if the login then fails.
        ///
        /// - Parameters:
        ///   - callback: The query of the return URL, as it was received: `AuthorizationCallback.digiDApp(_:)`.
        ///   - binding: The binding that ``beginLogin(_:)`` returned to this app session.
        /// - Returns: The user who has logged in.
        /// - Throws: The error of the login, from which `DigiDAdvice` derives what the app shows.
        public func completeLogin(callback: AuthorizationCallback, binding: String?) async throws(RelyingPartyError)
            -> DigiDUser
        {
            try await complete(callback, by: .app, binding: binding)
        }

        func complete(
            _ callback: AuthorizationCallback, by route: DigiDRoute, binding: String?
        ) async throws(RelyingPartyError) -> DigiDUser {
            let (transaction, artifact) = try await session.accept(
                callback, by: route, binding: binding, profile: connection.interface.rawValue,
                form: connection.acceptsShortArtifacts ? .anyLength : .exact)
            guard bytesEqual(transaction.identityProvider, connection.provider.entityID),
                bytesEqual(transaction.serviceProvider, connection.entityID)
            else { throw RelyingPartyError(.stateMismatch, in: .callback) }
            do throws(RelyingPartyError) {
                return try await user(of: artifact, transaction)
            } catch {
                throw error.usedUp
            }
        }

        /// Ends a login for which DigiD's app did not return.
        ///
        /// - Parameters:
        ///   - timeout: The failure that the service's app observed: the link did not open DigiD's app, or DigiD's app
        ///     did not return.
        ///   - binding: The binding that ``beginLogin(_:)`` returned to this app session.
        /// - Returns: The error of the login, from which `DigiDAdvice` derives what the app shows.
        public func endLogin(
            _ timeout: DigiDTimeout, binding: String?
        ) async throws(RelyingPartyError) -> RelyingPartyError {
            try await session.end(timeout, binding: binding)
        }
    }

    extension DigiDConnection {
        /// Throws `configurationError` if a signing or decryption key is one of these.
        fileprivate func checkKeys(rejecting rejected: CompromisedKeys) throws(RelyingPartyError.Reason) {
            for certificate in [signer.certificate] + decryption.map(\.certificate) {
                let key: PublicKey
                do throws(JOSEError) { key = try certificate.publicKey() } catch { throw .keyUnsuitable }
                try rejected.reject(.publicKey(key))
            }
        }

        func isCertificateValid(at now: Double) -> Bool {
            let certificate = signer.certificate
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
        ) async throws(RelyingPartyError) -> String {
            let request: DigiDAppRequest
            do throws(RelyingPartyError.Reason) {
                switch interface {
                case .saml3:
                    let value = try message.redirectValue()
                    let query = RedirectSignature(samlRequest: value, relayState: relayState)
                    request = try DigiDAppRequest(
                        of: app, samlRequest: value, relayState: relayState, host: host,
                        signature: try await signer.sign(query))
                case .saml4:
                    let value = try DigiDRequestText.write(
                        try await signer.sign(message.draft(for: signer.certificate)))
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
