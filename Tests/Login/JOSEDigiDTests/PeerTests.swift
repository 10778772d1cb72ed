#if SAML
    import Foundation
    import JOSE
    import JOSERelyingParty
    import JOSEDigiD
    import TestSupport
    import Testing

    /// Exchanges with pysaml2, which creates responses as the provider and checks the service's messages.
    @Suite("SAML: pysaml2") struct PeerTests {
        private static let isThere = Peers.areHere && XMLSec.isThere

        private func peer(_ arguments: [String]) throws -> (status: Int32, stdout: String, stderr: String) {
            try run(Peers.python, ["-B", Peers.script("saml_peer.py")] + arguments)
        }

        @Test(
            "a response of pysaml2 that is signed as a whole with RSA-SHA256 is accepted; one with SHA-1 is not",
            .enabled(if: isThere, "SKIPPED: pysaml2 or xmlsec1 is missing; `make test` installs them"))
        func answers() throws {
            let exchange = try Exchange()
            var ask: [String: Any] = [
                "issuer": Parties.entityID, "audience": Parties.service, "consumer": Parties.consumerURL,
                "resolve": "_resolve", "request": "_request", "now": Int(exchange.rules.now),
                "name": "s00000000:" + Parties.number, "level": Parties.midden,
                "key": exchange.parties.provider.issued.key.path,
            ]
            func answer() throws -> String {
                let question = String(decoding: try JSONSerialization.data(withJSONObject: ask), as: UTF8.self)
                let result = try peer(["answer", question])
                try #require(result.status == 0, "\(result.stderr.suffix(500))")
                return result.stdout
            }
            let body = try answer()
            let login = try #require(exchange.read(body).login)
            #expect(login.identifiers.map(\.text) == ["s00000000:" + Parties.number])
            #expect(login.classReference == Parties.midden && login.subjectLocality == "127.0.0.1")
            #expect(
                exchange.read(body.replacingOccurrences(of: Parties.number, with: "111222342")).failure
                    == .signatureInvalid)
            // The signature with SHA-1 is valid and is the provider's.
            ask["sha1"] = true
            #expect(exchange.read(try answer()).failure == .algorithmNotAllowed)
        }

        @Test(
            "pysaml2 accepts our AuthnRequest, ArtifactResolve and metadata, and rejects them when they are changed",
            .enabled(if: isThere, "SKIPPED: pysaml2 or xmlsec1 is missing; `make test` installs them"))
        func accepts() throws {
            let service = try Parties.made().service
            let now = Date().timeIntervalSince1970
            var content = AuthnRequest.Content(
                .saml4, issuer: Parties.service, destination: Parties.signOn, consumer: .index(0),
                classReference: Parties.midden)
            content.service = .index(1)
            let request = try AuthnRequest(content, now: now)
            let resolve = try ArtifactResolve(
                "AAQAAA==", issuer: Parties.service, destination: Parties.resolution, now: now)
            var metadata = ServiceProviderMetadata(
                .saml4, entityID: Parties.service, assertionConsumers: [(0, Parties.consumerURL)],
                signing: [service.certificate])
            metadata.services = [(1, "Inloggen", "b8d5b9a5-f2c1-4a58-8ea5-2a6e0f0f9b0b")]
            for (kind, xml, id) in [
                ("authn", try request.draft(for: service.certificate).signed(with: service.key), request.id),
                ("resolve", try resolve.draft(for: service.certificate).signed(with: service.key), resolve.id),
                ("metadata", try metadata.signed(with: service.key), nil),
            ] {
                let folder = try TemporaryFolder()
                let file = folder.url.appending(path: "message.xml")
                try Data(xml).write(to: file)
                let taken = try peer(["check", kind, file.path, service.issued.certificate.path])
                #expect(taken.status == 0, "\(kind): \(taken.stderr.suffix(500))")
                if let id { #expect(taken.stdout == id + "\n") }
                var text = String(decoding: xml, as: UTF8.self)
                text.swap("https://service.test/saml", "https://servicf.test/saml")
                try Data(text.utf8).write(to: file)
                #expect(try peer(["check", kind, file.path, service.issued.certificate.path]).status != 0, "\(kind)")
                withExtendedLifetime(folder) {}
            }
        }
    }
#endif
