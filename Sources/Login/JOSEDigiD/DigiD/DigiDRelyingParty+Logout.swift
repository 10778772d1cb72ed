#if SAML
    internal import JOSE
    internal import JOSESupport
    public import JOSERelyingParty
    internal import JOSETokens

    extension DigiDRelyingParty {
        /// Begins the logout of a user at DigiD, after the service has ended its own session. The user may decide at
        /// DigiD to stay logged in there.
        ///
        /// - Parameter session: The session of the user at DigiD, from `DigiDUser.session`.
        /// - Returns: The message for the browser. With `.saml3` its URL contains the user's number: do not log it.
        /// - Throws: `configurationError` if the user logged in with DigiD's app, which has no session at DigiD, or if
        ///   the connection has no endpoints for logouts; `keyUnsuitable` if the service's certificate is not valid
        ///   now; `internalFault` or `interrupted` if a key outside the process does not sign; the errors of the store.
        public func beginLogout(_ session: DigiDUserSession?) async throws(RelyingPartyError) -> DigiDBrowserMessage {
            guard let session, connection.logout != nil else {
                throw RelyingPartyError(.configurationError, in: .request)
            }
            let message: LogoutRequest
            let delivered: DigiDBrowserMessage
            do throws(RelyingPartyError.Reason) {
                // DigiD answers a request with an expired certificate with an error page, and does not return.
                guard connection.isCertificateValid(at: self.session.clock.now.secondsSince1970) else {
                    throw .keyUnsuitable
                }
                let destination = try connection.logoutDestination()
                let signer = connection.signer
                message = try LogoutRequest(
                    of: session.nameID, issuer: connection.entityID, destination: destination,
                    now: self.session.clock.now.secondsSince1970)
                delivered =
                    switch connection.interface {
                    case .saml3:
                        .redirect(
                            url: try await connection.redirect(
                                try DigiDRequestText.write(try message.xml()), relayState: nil, to: destination))
                    case .saml4:
                        .form(
                            DigiDConnection.form(
                                "SAMLRequest", try await signer.sign(message.draft(for: signer.certificate)),
                                relayState: nil, to: destination, title: "Log out"))
                    }
            } catch {
                throw RelyingPartyError(error, in: .request)
            }
            try await self.session.insert(message.id, kind: Self.pendingLogout)
            return delivered
        }

        /// Completes a logout by HTTP-Redirect (`.saml3`).
        ///
        /// - Parameter query: The query of the request to the endpoint for responses, without the `?`, as it was
        ///   received: its octets are signed.
        /// - Returns: The result.
        /// - Throws: `configurationError` with `.saml4` or without endpoints; `tooLarge`, `malformed`,
        ///   `missingParameter`, `duplicateParameter`; `algorithmNotAllowed`, `keyNotFound` and `signatureInvalid`;
        ///   `issuerMismatch`; `audienceMismatch` for another destination; `tooOld` and `issuedInFuture`;
        ///   `inResponseToMismatch`, and `replayed` for a response that was used; `providerError` for another status.
        public func completeLogout(query: String) async throws(RelyingPartyError) -> DigiDLogoutResult {
            let document: XMLDocument
            do throws(RelyingPartyError.Reason) {
                guard connection.interface == .saml3, connection.logout != nil else { throw .configurationError }
                let signed = try SignedQuery(query, "SAMLResponse")
                let keys = try connection.provider.signingCertificates(at: session.clock.now.secondsSince1970)
                try signed.verify(by: keys)
                document = try XMLDocument(try DigiDRequestText.read(signed.message))
            } catch {
                throw RelyingPartyError(error, in: .callback)
            }
            return try await completeLogout(document)
        }

        /// Completes a logout by HTTP-POST (`.saml4`).
        ///
        /// - Parameters:
        ///   - body: The body of the request to the endpoint, as it was received.
        ///   - contentType: The value of its `Content-Type` header.
        /// - Returns: The result.
        /// - Throws: The errors of `completeLogout(query:)`, and `contentTypeMismatch`.
        public func completeLogout(
            form body: [UInt8], contentType: String
        ) async throws(RelyingPartyError) -> DigiDLogoutResult {
            let document: XMLDocument
            do throws(RelyingPartyError.Reason) {
                guard connection.interface == .saml4, connection.logout != nil else { throw .configurationError }
                let text = try AuthorizationCallback.form(body, contentType: contentType).value("SAMLResponse")
                guard let xml = Base64.decode(Array(text.utf8)) else { throw .malformed }
                document = try XMLDocument(xml)
                try document.root.verify(
                    by: connection.provider.signingCertificates(at: session.clock.now.secondsSince1970))
            } catch {
                throw RelyingPartyError(error, in: .callback)
            }
            return try await completeLogout(document)
        }

        /// Responds to a request of DigiD to end the sessions of a user, by SOAP. A request that fails a check ends no
        /// session, and of several copies of a request one ends the sessions: the others are rejected as `replayed`.
        ///
        /// - Parameters:
        ///   - body: The body of the request.
        ///   - clientCertificate: The SHA-256 digest of the TLS client certificate with which the request was sent; nil
        ///     for none.
        ///   - end: Ends all sessions of the user in browsers. It is called for a user without sessions too, and may be
        ///     called again for the same user.
        /// - Returns: The response to send.
        public func respondToLogout(
            _ body: [UInt8], clientCertificate: [UInt8]?, ending end: (DigiDUserSession) async throws -> Void
        ) async -> DigiDLogoutResponse {
            let request: ReceivedLogout
            do throws(RelyingPartyError.Reason) {
                request = try logoutRequest(body, clientCertificate)
            } catch {
                return DigiDLogoutResponse(403, RelyingPartyError(error, in: .callback))
            }
            do throws(RelyingPartyError) {
                if try await session.isDone(request.id, kind: Self.usedLogout) {
                    throw RelyingPartyError(.replayed, in: .callback)
                }
                // A request that could not be carried out is accepted again after this time at the latest.
                try await session.useOnce(request.id, kind: Self.begunLogout, lifetime: Self.begunLogoutLifetime)
            } catch {
                return DigiDLogoutResponse(error.reason == .replayed ? 403 : 503, error)
            }
            do throws(RelyingPartyError.Reason) {
                try checkDestination(request.message, is: connection.logout?.requestURL)
            } catch {
                await session.markDone(request.id, kind: Self.usedLogout, lifetime: Self.logoutLifetime)
                return DigiDLogoutResponse(403, RelyingPartyError(error, in: .callback))
            }
            do {
                try await end(request.session)
                let response = LogoutResponse(
                    to: request.id, issuer: connection.entityID, now: session.clock.now.secondsSince1970 - 2)
                let signer = connection.signer
                let body = try await signer.sign(response.envelope(for: signer.certificate))
                await session.markDone(request.id, kind: Self.usedLogout, lifetime: Self.logoutLifetime)
                return DigiDLogoutResponse(200, body: body)
            } catch {
                // DigiD may send the request again until it is carried out.
                await session.forget(request.id, kind: Self.begunLogout)
                return DigiDLogoutResponse(503, RelyingPartyError(.internalFault, in: .callback, action: .retry))
            }
        }

        /// A request of DigiD whose signature, issuer and time have been checked.
        private struct ReceivedLogout {
            let id: String
            let session: DigiDUserSession
            let message: XMLElement
        }

        private static let pendingLogout = "digid logout"
        private static let answeredLogout = "digid logout response"
        private static let usedLogout = "digid logout request"
        private static let begunLogout = "digid logout request begun"
        private static let begunLogoutLifetime = Duration.seconds(60)
        /// The time for which a logout may last, and for which a request of DigiD is remembered, which is more than its
        /// greatest age.
        private static let logoutLifetime = Duration.seconds(900)

        private func completeLogout(_ document: XMLDocument) async throws(RelyingPartyError) -> DigiDLogoutResult {
            let (requestID, result): (String, Result<DigiDLogoutResult, RelyingPartyError>)
            do throws(RelyingPartyError.Reason) {
                (requestID, result) = try logoutResponse(document.root)
            } catch {
                throw RelyingPartyError(error, in: .callback)
            }
            guard try await session.remove(requestID, kind: Self.pendingLogout) else {
                let isUsed = try await session.isDone(requestID, kind: Self.answeredLogout)
                throw RelyingPartyError(isUsed ? .replayed : .inResponseToMismatch, in: .callback)
            }
            await session.markDone(requestID, kind: Self.answeredLogout, lifetime: Self.logoutLifetime)
            return try result.get()
        }

        /// Returns the ID of the request that a verified response answers, and its result.
        private func logoutResponse(
            _ response: XMLElement
        ) throws(RelyingPartyError.Reason) -> (String, Result<DigiDLogoutResult, RelyingPartyError>) {
            guard response.has(.samlp("LogoutResponse")), bytesEqual(response.attribute("Version"), "2.0"),
                let requestID = response.attribute("InResponseTo"), requestID.isName
            else { throw .malformed }
            try checkIssuer(response)
            try checkDestination(response, is: connection.logout?.responseURL)
            try checkTime(response)
            switch response.status(isInner: false) {
            case .success(nil): return (requestID, .success(.loggedOut))
            case .success(let status?):
                switch (status.topWord, status.secondWord) {
                case ("Responder", "PartialLogout"): return (requestID, .success(.partial))
                case ("Responder", "RequestDenied"): return (requestID, .success(.stillLoggedIn))
                default:
                    let error = RelyingPartyError.digiD(
                        top: status.topWord, second: status.secondWord, isInner: false, isFirstInterface: false,
                        in: .callback)
                    return (requestID, .failure(error))
                }
            case .failure(let reason): throw reason
            }
        }

        private func checkIssuer(_ message: XMLElement) throws(RelyingPartyError.Reason) {
            guard try bytesEqual(message.text(of: .saml("Issuer")), connection.provider.entityID) else {
                throw .issuerMismatch
            }
        }

        /// Checks the destination of a verified message, which DigiD may leave out or empty.
        private func checkDestination(
            _ message: XMLElement, is destination: String?
        ) throws(RelyingPartyError.Reason) {
            if let given = message.attribute("Destination"), !given.isEmpty, !bytesEqual(destination, given) {
                throw .audienceMismatch
            }
        }

        private func checkTime(_ message: XMLElement) throws(RelyingPartyError.Reason) {
            guard let issued = try message.time("IssueInstant") else { throw .malformed }
            let now = session.clock.now.secondsSince1970
            guard now - issued <= ArtifactResponseRules.oldest else { throw .tooOld }
            guard issued - now <= 30 else { throw .issuedInFuture }
        }

        /// Returns a request, after all checks that precede those of its ID and its destination.
        private func logoutRequest(
            _ body: [UInt8], _ clientCertificate: [UInt8]?
        ) throws(RelyingPartyError.Reason) -> ReceivedLogout {
            guard let logout = connection.logout, logout.requestURL != nil else { throw .configurationError }
            guard let clientCertificate, logout.clientCertificates.contains(clientCertificate) else {
                throw .keyNotFound
            }
            let document = try XMLDocument(body)
            let request = try SOAPEnvelope.body(of: document)
            guard request.has(.samlp("LogoutRequest")), bytesEqual(request.attribute("Version"), "2.0"),
                let id = request.attribute("ID"), id.isName
            else { throw .malformed }
            try request.verify(
                by: connection.provider.signingCertificates(at: session.clock.now.secondsSince1970))
            try checkIssuer(request)
            try checkTime(request)
            guard let name = try request.text(of: .saml("NameID")), name.isName else { throw .claimMissing("NameID") }
            return ReceivedLogout(id: id, session: DigiDUserSession(nameID: name), message: request)
        }
    }
#endif
