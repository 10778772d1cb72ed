#if SAML
    public import JOSE
    internal import JOSESupport
    public import JOSERelyingParty

    /// A message to DigiD that the user's browser delivers.
    public enum DigiDBrowserMessage: Sendable {
        /// The service answers with status 303 and this URL as `Location`. It is secret if it is that of a logout,
        /// which contains the user's number.
        case redirect(url: String)
        /// The service answers with the page of the form.
        case form(BrowserForm)
    }

    /// The request of a login in the browser.
    public struct DigiDBrowserRequest: Sendable {
        /// The message that the browser delivers to DigiD.
        public let message: DigiDBrowserMessage
        /// A secret that ties the login to the browser, which ``cookie`` stores there.
        public let binding: String
        /// The value of a `Set-Cookie` header that stores ``binding`` in the browser.
        /// `AuthorizationCallback.binding(inCookies:)` reads it.
        public let cookie: String
        /// The time at which the login expires.
        public let expires: NumericDate
    }

    extension DigiDBrowserMessage: Redacted {}

    extension DigiDBrowserRequest: Redacted {}

    extension DigiDRelyingParty {
        /// Begins a login on DigiD's web page. The login expires after 15 minutes.
        ///
        /// - Parameter request: The login request; by default for the connection's level. Its return URL is not used.
        /// - Returns: The message for the browser, and the cookie that ties the login to it.
        /// - Throws: `invalidParameter` if the path is not local, `keyUnsuitable` if the service's certificate is not
        ///   valid now, `internalFault` or `interrupted` if a key outside the process does not sign, and the errors of
        ///   the store.
        public func beginBrowserLogin(
            _ request: DigiDRequest = DigiDRequest()
        ) async throws(RelyingPartyError) -> DigiDBrowserRequest {
            let (message, transaction) = try prepared(request, by: .browser)
            let delivered: DigiDBrowserMessage
            do throws(RelyingPartyError.Reason) {
                let destination = try connection.destination()
                let signer = connection.signer
                delivered =
                    switch connection.interface {
                    case .saml3:
                        .redirect(
                            url: try await connection.redirect(
                                try message.redirectValue(), relayState: transaction.relayState, to: destination))
                    case .saml4:
                        .form(
                            DigiDConnection.form(
                                "SAMLRequest", try await signer.sign(message.draft(for: signer.certificate)),
                                relayState: transaction.relayState, to: destination, title: "Log in with DigiD"))
                    }
            } catch {
                throw RelyingPartyError(error, in: .request)
            }
            let started = try await session.start(transaction, link: "", issued: message.issueInstant)
            return DigiDBrowserRequest(
                message: delivered, binding: started.binding, cookie: started.cookie, expires: started.expires)
        }

        /// Completes a login in the browser. Answer with status 303 to a local path and `Referrer-Policy: no-referrer`.
        ///
        /// An artifact of another browser is rejected before anything is sent. An artifact of this browser is used up
        /// before it is resolved, even if the login then fails. A login that began in the app cannot be completed here.
        ///
        /// - Parameters:
        ///   - callback: The query of the request to the assertion consumer service.
        ///   - binding: The binding that the browser's cookie contains.
        /// - Returns: The user who has logged in.
        /// - Throws: The error of the login, from which `DigiDAdvice` derives what the service shows.
        public func completeBrowserLogin(
            callback: AuthorizationCallback, binding: String?
        ) async throws(RelyingPartyError) -> DigiDUser {
            try await complete(callback, by: .browser, binding: binding)
        }
    }

    extension DigiDConnection {
        /// Returns the URL of an endpoint with a signed message (SAML 2.0 Bindings, 3.4.4.1).
        func redirect(
            _ request: String, relayState: String?, to destination: String
        ) async throws(RelyingPartyError.Reason) -> String {
            let query = RedirectSignature(samlRequest: request, relayState: relayState)
            return query.url(of: destination, signature: try await signer.sign(query))
        }

        /// Returns the form of a message that contains its signature (SAML 2.0 Bindings, 3.5.4).
        static func form(
            _ name: String, _ xml: [UInt8], relayState: String?, to destination: String, title: String
        ) -> BrowserForm {
            var fields = [(name: name, value: Base64.encode(xml.span))]
            if let relayState { fields.append(("RelayState", relayState)) }
            return BrowserForm(url: destination, fields: fields, title: title)
        }
    }
#endif
