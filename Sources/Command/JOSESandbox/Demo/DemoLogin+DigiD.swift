#if SAML
    internal import JOSE
    internal import JOSESupport
    internal import JOSECrypto
    internal import JOSEKeySets
    internal import JOSERelyingParty
    internal import JOSEDigiD

    extension DemoLogin {
        static func connection(
            _ client: TestClient, _ saml: TestClient.SAML, _ key: PrivateKey
        ) throws(RelyingPartyError) -> DigiDConnection {
            let fault = RelyingPartyError(.configurationError, in: .configuration)
            guard let metadata = Base64.decode(Array(saml.metadata.utf8)),
                let signer = try? Certificate(base64: saml.signer),
                let certificate = try? Certificate(base64: saml.certificate)
            else { throw fault }
            let provider = try IdentityProviderMetadata(
                metadata, entityID: client.issuer, signedBy: [signer], now: .now)
            let app = try DigiDApp(
                name: "Sandbox", returnURL: client.redirectURI, icon: client.redirectURI.origin + "/icon.png")
            var connection = try DigiDConnection(
                client.profile.hasSuffix(".saml4") ? .saml4 : .saml3, entityID: client.clientID,
                apps: client.web == nil ? [app] : [],
                consumer: DigiDConnection.Consumer(index: client.web?.consumerIndex ?? 0, url: client.redirectURI),
                provider: provider, key: key, certificate: certificate)
            connection.level = .substantieel
            if let web = client.web {
                guard let der = Base64.decode(Array(web.certificate.utf8)), let digest = digest(der) else {
                    throw fault
                }
                connection.logout = DigiDConnection.Logout(
                    responseURL: web.loggedOut, requestURL: connection.interface == .saml3 ? web.logout : nil,
                    clientCertificates: [digest])
            } else {
                connection.appLink = saml.appLink
            }
            if connection.interface == .saml4 { connection.service = .index(0) }
            return connection
        }

        /// Returns the SHA-256 digest of a certificate in DER.
        private static func digest(_ certificate: [UInt8]) -> [UInt8]? { try? Hash.sha256.digest(certificate.span) }

        static func step(_ message: DigiDBrowserMessage, cookie: String) -> Step {
            switch message {
            case .redirect(let url): .redirect(Redirect(url: url, cookie: cookie))
            case .form(let form): .form(form, cookie: cookie)
            }
        }

        /// Begins the logout at DigiD of a user who logged in on its web page. Returns nil for any other login.
        func beginLogout(_ session: DigiDUserSession) async throws(RelyingPartyError) -> DigiDBrowserMessage? {
            guard case .web(let party) = way else { return nil }
            return try await party.beginLogout(session)
        }

        /// Completes a logout with the response that the browser brought. Returns nil for any other login.
        func completeLogout(_ request: WebRequest) async throws(RelyingPartyError) -> DigiDLogoutResult? {
            guard case .web(let party) = way else { return nil }
            guard request.method == "POST" else { return try await party.completeLogout(query: request.rawQuery) }
            return try await party.completeLogout(
                form: request.body, contentType: request.header("Content-Type") ?? "")
        }

        /// Answers a request of DigiD to end the sessions of a user, which `end` ends. Returns nil for any other login.
        func respondToLogout(
            _ request: WebRequest, ending end: (DigiDUserSession) -> Void
        ) async -> DigiDLogoutResponse? {
            guard case .web(let party) = way else { return nil }
            return await party.respondToLogout(
                request.body, clientCertificate: request.clientCertificate.flatMap(Self.digest), ending: end)
        }
    }
#endif
