#if SAML
    import Foundation
    import JOSE
    import JOSERelyingParty
    import JOSEDigiD
    import TestSupport
    import Testing

    /// The command xmlsec1 of the library xmlsec, in a process of its own.
    enum XMLSec {
        static let isThere = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/xmlsec1")
        }
        static let identifiers = [
            "urn:oasis:names:tc:SAML:2.0:protocol:ArtifactResponse",
            "urn:oasis:names:tc:SAML:2.0:protocol:ArtifactResolve",
            "urn:oasis:names:tc:SAML:2.0:protocol:AuthnRequest", "urn:oasis:names:tc:SAML:2.0:assertion:Assertion",
            "urn:oasis:names:tc:SAML:2.0:metadata:EntityDescriptor",
        ].flatMap { ["--id-attr:ID", $0] }
    }

    @Suite(
        "SAML: the command xmlsec1",
        .enabled(if: XMLSec.isThere, "SKIPPED: xmlsec1 is missing; `make test` installs it"))
    struct XMLSecTests {
        private func xmlsec(_ arguments: [String], _ xml: String) throws -> (status: Int32, stdout: String) {
            let folder = try TemporaryFolder()
            let file = folder.url.appending(path: "message.xml")
            let out = folder.url.appending(path: "out.xml")
            try Data(xml.utf8).write(to: file)
            let result = try run("xmlsec1", arguments + ["--output", out.path, file.path])
            let text = (try? String(contentsOf: out, encoding: .utf8)) ?? ""
            withExtendedLifetime(folder) {}
            return (result.status, text)
        }

        @Test("xmlsec1 verifies each of our signatures, and none of a changed message")
        func verifies() throws {
            let parties = try Parties.made()
            let exchange = try Exchange()
            let answer = try exchange.body()
            let assertion = try answer.element("saml:Assertion").attribute("ID")
            let resolve = String(
                decoding: try ArtifactResolve("AAQAAA==", issuer: Parties.service, now: 1e9).draft(
                    for: parties.provider.certificate
                ).signed(with: parties.provider.key), as: UTF8.self)
            let metadata = String(decoding: try parties.description().signed(with: parties.provider.key), as: UTF8.self)
            let trust =
                ["--verify", "--pubkey-cert-pem", parties.provider.issued.certificate.path] + XMLSec.identifiers
            for (xml, more, old) in [
                (answer, [], Parties.number), (answer, ["--node-id", assertion], Parties.number),
                (resolve, [], "AAQAAA=="), (metadata, [], Parties.signOn),
            ] {
                #expect(try xmlsec(trust + more, xml).status == 0)
                #expect(try xmlsec(trust + more, xml.replacingOccurrences(of: old, with: "x")).status != 0)
            }
        }

        @Test("xmlsec1 decrypts our ciphertexts with the recipient's key, and with no other")
        func decrypts() throws {
            let parties = try Parties.made()
            let body = try Exchange(.saml4).body()
            let arguments = [
                "--decrypt", "--id-attr:Id", "http://www.w3.org/2001/04/xmlenc#:EncryptedKey", "--node-xpath",
                "//*[local-name()='EncryptedData']",
            ]
            #expect(!body.contains(Parties.number))
            let ours = try xmlsec(arguments + ["--privkey-pem", parties.service.issued.key.path], body)
            #expect(ours.status == 0 && ours.stdout.contains(">\(Parties.number)<"))
            let other = try xmlsec(arguments + ["--privkey-pem", parties.other.issued.key.path], body)
            #expect(other.status != 0 && !other.stdout.contains(Parties.number))
        }

        @Test(
            "DigiD case 21: signatures of xmlsec1 with RSA-SHA256 are accepted; those with RSA-SHA1, and with HMAC and the public key, are not"
        )
        func signs() throws {
            var exchange = try Exchange()
            exchange.message.signsAssertion = false
            exchange.rules.wantsSignedAssertion = false
            let provider = exchange.parties.provider
            let text = String(decoding: try exchange.message.text(signedWith: provider.key), as: UTF8.self)
            func signed(_ method: String, _ key: [String]) throws -> String {
                let template = text.replacingOccurrences(of: SAMLNames.rsaSHA256, with: method)
                let made = try xmlsec(["--sign"] + key + XMLSec.identifiers, template)
                try #require(made.status == 0)
                return made.stdout
            }
            let privateKey = ["--privkey-pem", provider.issued.key.path]
            #expect(exchange.read(try signed(SAMLNames.rsaSHA256, privateKey)).failure == nil)
            #expect(
                exchange.read(try signed("http://www.w3.org/2000/09/xmldsig#rsa-sha1", privateKey)).failure
                    == .algorithmNotAllowed)
            let folder = try TemporaryFolder()
            let spki = folder.url.appending(path: "spki.der")
            try Data(provider.certificate.publicKey().der()).write(to: spki)
            let hmac = try signed("http://www.w3.org/2001/04/xmldsig-more#hmac-sha256", ["--hmackey", spki.path])
            #expect(exchange.read(hmac).failure == .algorithmNotAllowed)
            withExtendedLifetime(folder) {}
        }
    }
#endif
