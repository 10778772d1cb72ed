#if SAML
    import Foundation
    import JOSE
    import JOSESupport
    import JOSERelyingParty
    import JOSEDigiD
    import JOSETesting
    import Testing

    /// A message that a browser received, as DigiD reads it.
    struct BrowserVisit {
        let location: String
        /// The percent-decoded parameters.
        let fields: [String: String]
        /// The octets that a redirect signature covers.
        let octets: [UInt8]

        init(_ message: DigiDBrowserMessage) throws {
            switch message {
            case .redirect(let url):
                let query = try #require(url.split(separator: "?", maxSplits: 1).last)
                let mark = try #require(query.range(of: "SAMLRequest="))
                let end = try #require(query.range(of: "&Signature="))
                octets = Array(query[mark.lowerBound..<end.lowerBound].utf8)
                location = String(url.prefix(url.count - query.count) + query[..<mark.lowerBound])
                var fields: [String: String] = [:]
                for pair in query[mark.lowerBound...].split(separator: "&") {
                    let parts = pair.split(separator: "=", maxSplits: 1)
                    fields[String(parts[0])] = parts.count < 2 ? "" : String(parts[1]).removingPercentEncoding
                }
                self.fields = fields
            case .form(let form):
                location = form.url
                fields = Dictionary(uniqueKeysWithValues: form.fields.map { ($0.name, $0.value) })
                octets = []
            }
        }

        var xml: String { get throws { try #require(fields["SAMLRequest"]) } }
    }

    extension DigiDFixture {
        static let responseURL = "https://service.test/logged-out"
        static let requestURL = "https://service.test/soap"
        static let logoutURL = "https://preprod1.digid.nl/saml/idp/request_logout"
        static let clientCertificate = [UInt8](repeating: 7, count: 32)

        /// Returns a fixture whose parties have endpoints for logouts.
        static func withLogout(
            _ interface: DigiDConnection.Interface = .saml3, signer: (any ExternalSigner)? = nil
        ) throws -> DigiDFixture {
            let parties = try Parties.made()
            let bindings = [SAMLNames.redirectBinding, SAMLNames.postBinding]
            var description = parties.description()
            description.signOn = bindings.map { SAMLEndpoint(binding: $0, location: Parties.signOn) }
            description.singleLogout = bindings.map { SAMLEndpoint(binding: $0, location: Self.logoutURL) }
            let metadata = try IdentityProviderMetadata(
                description.signed(with: parties.provider.key), entityID: Parties.entityID,
                signedBy: [parties.provider.certificate], now: .now)
            return try DigiDFixture(interface, provider: metadata, signer: signer) {
                $0.logout = DigiDConnection.Logout(
                    responseURL: Self.responseURL, requestURL: interface == .saml3 ? Self.requestURL : nil,
                    clientCertificates: [Self.clientCertificate])
                if signer != nil { $0.decryption = [parties.service.key] }
            }
        }

        /// Returns the request that the browser delivers, after its signature was verified.
        func received(_ message: DigiDBrowserMessage) throws -> (request: ReceivedAuthnRequest, relayState: String?) {
            let visit = try BrowserVisit(message)
            guard case .redirect = message else {
                let xml = try #require(Base64.decode(Array(try visit.xml.utf8)))
                return (
                    try ReceivedAuthnRequest(signed: xml, by: [try digiD.parties.service.verifying]),
                    visit.fields["RelayState"]
                )
            }
            try RedirectSignature(octets: visit.octets).verify(
                visit.fields["Signature"] ?? "", with: digiD.parties.service.certificate.publicKey())
            return (try ReceivedAuthnRequest(redirectValue: visit.xml), visit.fields["RelayState"])
        }

        /// Begins a login in a browser, and returns the query with which the browser comes back.
        func visit(_ start: DigiDBrowserRequest) throws -> String {
            let (request, relayState) = try received(start.message)
            return Self.query(try digiD.artifact(of: request), relayState)
        }

        static func query(_ artifact: String?, _ relayState: String?) -> String {
            let encoded = artifact?.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
            return [encoded.map { "SAMLart=\($0)" }, relayState.map { "RelayState=\($0)" }].compactMap { $0 }
                .joined(separator: "&")
        }

        /// Completes a login in a browser, and returns the error; nil for success.
        func browserFailure(_ query: String, _ binding: String?) async -> RelyingPartyError? {
            do throws(RelyingPartyError) {
                _ = try await party.completeBrowserLogin(callback: .query(query), binding: binding)
                return nil
            } catch {
                return error
            }
        }
    }
#endif
