#if SAML
    internal import JOSERelyingParty
    internal import JOSEDigiD

    extension DigiDText {
        /// The values of a request to end a user's sessions (SAML 2.0 Core, 3.7.1).
        struct LogoutRequest {
            var id: String
            var issuer: String
            var destination: String
            var nameID: String
            var now: Double
        }

        /// The values of a response to a request to end a session (SAML 2.0 Core, 3.7.2).
        struct LogoutResponse {
            var issuer: String
            /// The URL of the service, which DigiD may leave out or empty.
            var destination: String?
            var requestID: String
            /// The last parts of the status URIs, or nil for Success.
            var status: (top: String, second: String?)?
            var now: Double
        }

        /// Returns a request that DigiD sends to a service.
        ///
        /// - Parameters:
        ///   - key: The key whose signature the request has room for, or nil for a request without a signature.
        ///   - content: An element after the user's name.
        static func logoutRequest(
            _ values: LogoutRequest, by key: SAMLKey?, content: Markup = .nothing
        ) -> Markup {
            let signature: Markup = key.map { Self.signature(of: values.id, by: $0) } ?? .nothing
            return """
                <samlp:LogoutRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"
                xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="\(values.id)" Version="2.0"
                IssueInstant="\(XMLTime.text(values.now))" Destination="\(values.destination)">
                <saml:Issuer>\(values.issuer)</saml:Issuer>\(signature)
                <saml:NameID>\(values.nameID)</saml:NameID>\(content)</samlp:LogoutRequest>
                """
        }

        /// Returns the response to a request of a service.
        ///
        /// - Parameter key: The key whose signature the response has room for, or nil for HTTP-Redirect, in which the
        ///   query is signed.
        static func logoutResponse(_ values: LogoutResponse, by key: SAMLKey?) throws -> Markup {
            let id = try freshID()
            let destination: Markup = values.destination.map { " Destination=\"\($0)\"" } ?? .nothing
            let signature: Markup = key.map { Self.signature(of: id, by: $0) } ?? .nothing
            return """
                <samlp:LogoutResponse xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"
                xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="\(id)" Version="2.0"
                IssueInstant="\(XMLTime.text(values.now))"\(destination) InResponseTo="\(values.requestID)">
                <saml:Issuer>\(values.issuer)</saml:Issuer>\(signature)
                \(status(values.status))</samlp:LogoutResponse>
                """
        }
    }
#endif
