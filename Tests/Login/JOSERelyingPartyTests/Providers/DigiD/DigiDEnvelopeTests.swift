import Foundation
import JOSE
import JOSETesting
import JOSETokens
import TestSupport
import Testing

@testable import JOSEDigiD
@testable import JOSERelyingParty

/// A service that is registered with DigiD, for the tests.
enum DigiDFixture {
    static let returnURL = "https://service.test/digid"
    static let entityID = "https://was-preprod1.digid.nl/saml/idp/metadata"

    static func app(
        returnURL: String = returnURL, icon: String = "https://service.test/icon.png"
    ) throws -> DigiDApp {
        try DigiDApp(name: "Service", returnURL: returnURL, icon: icon)
    }

    static func request(
        samlRequest: String =
            "fZFBT4NAEIX/Ctk7sNBWcQIk2MZIUpUUevBilu1gN4Fd3FmM/nspaIyXXl/mzfvmTUqi7wYoRnfSB3wfkZz32XeaYB5kbLQajCBFoEWPBE5CVTzuIQ44DNY4I03H/lkuOwQRWqeMZl65y9irXB+vN3Hb8KvomiebdRutoiTmCW+SeMVXzSZKmPeClqb5jE32yUQ0YqnJCe0miUexz2Ofr2seAY+Ab4LoJmHeFslpVKfpOTrLJjDLTrpHIuB==",
        relayState: String? = "abc", host: String? = nil
    ) throws -> DigiDAppRequest {
        try DigiDAppRequest(
            of: try app(), samlRequest: samlRequest, relayState: relayState, host: host, signedBy: TestKeys.client)
    }

    static func callback(
        artifact: String? = nil, relayState: String? = nil, error: String? = nil
    ) -> AuthorizationCallback {
        .digiDApp(DigiDReturn(artifact: artifact, relayState: relayState, errorMessage: error).query)
    }

    static func artifact(of entityID: String = entityID, handle: UInt8 = 7) throws -> String {
        try DigiDArtifact(entityID: entityID, handle: Array(repeating: handle, count: 20)).text
    }
}

/// Returns the reason of the error of a call, which must fail.
func failure(_ body: () throws -> some Any) -> RelyingPartyError.Reason? {
    do {
        _ = try body()
        return nil
    } catch let error as RelyingPartyError {
        return error.reason
    } catch {
        return error as? RelyingPartyError.Reason
    }
}

@Suite("DigiD: the request between the apps") struct DigiDEnvelopeTests {
    static func isAlphanumeric(_ text: some Sequence<UInt8>) -> Bool {
        text.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
    }

    @Test(
        "DigiD case 1: an encoded object is decoded again, and its base64 has only letters and digits, for 10 000 random inputs"
    )
    func property() throws {
        var random = SystemRandomNumberGenerator()
        let kinds: [ClosedRange<UInt32>] = [
            0x20...0x7E, 0x3C...0x40, 0x7A...0x80, 0...0x1F, 0x80...0xFFF, 0x1F600...0x1F64F,
        ]
        var wholes = 0
        for _ in 0..<10_000 {
            let texts = (0..<3).map { _ in
                String(
                    String.UnicodeScalarView(
                        (0..<Int.random(in: 0...40, using: &random)).compactMap { _ in
                            Unicode.Scalar(UInt32.random(in: kinds.randomElement(using: &random)!, using: &random))
                        }))
            }
            let value = AppText.write([("SAMLart", texts[0]), ("RelayState", texts[1]), ("ErrorMessage", texts[2])])
            guard Self.isAlphanumeric(value.utf8) else {
                Issue.record("\(value) of \(texts)")
                return
            }
            let read = try AppText.read(Array(value.utf8), ["SAMLart", "RelayState", "ErrorMessage"])
            wholes += ["SAMLart", "RelayState", "ErrorMessage"].map { read[$0] } == texts ? 1 : 0
            // Foundation reads the same JSON.
            if let data = Data(base64Encoded: value),
                let object = try JSONSerialization.jsonObject(with: data) as? [String: String]
            {
                wholes += object["SAMLart"] == texts[0] ? 1 : 0
            }
        }
        #expect(wholes == 20_000)
    }

    @Test("a request is encoded with the member names of the interface") func members() throws {
        let request = try DigiDFixture.request(relayState: "a.b_c~d-9", host: "preprod1.digid.nl")
        let link = try request.link()
        #expect(link.hasPrefix("https://app.digid.nl/digid-app?app-app="))
        #expect(Self.isAlphanumeric(request.value.utf8))
        let read = try DigiDAppRequest(link: link)
        #expect(
            (read.icon, read.returnURL, read.samlRequest) == (request.icon, request.returnURL, request.samlRequest))
        #expect(read.host == "preprod1.digid.nl" && read.relayState == "a.b_c~d-9")
        #expect(read.signature == request.signature && read.signatureAlgorithm == RedirectSignature.algorithm)
        let data = try #require(Data(base64Encoded: request.value))
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: String])
        #expect(
            object.keys.sorted() == ["Host", "Icon", "RelayState", "ReturnUrl", "SAMLRequest", "SigAlg", "Signature"])
        let bare = try #require(Data(base64Encoded: try DigiDFixture.request(relayState: nil).value))
        let few = try #require(try JSONSerialization.jsonObject(with: bare) as? [String: String])
        #expect(few["Host"] == nil && few["RelayState"] == nil)
    }

    @Test("DigiD case 2: rejects a return URL with a query, with a fragment, with http, or of 256 bytes")
    func returnURLs() throws {
        let long =
            DigiDFixture.returnURL + "/" + String(repeating: "a", count: 255 - DigiDFixture.returnURL.utf8.count - 1)
        #expect(try DigiDFixture.app().returnURL == DigiDFixture.returnURL)
        #expect(try DigiDFixture.app(returnURL: long).returnURL.utf8.count == 255)
        for url in [
            DigiDFixture.returnURL + "?a=b", DigiDFixture.returnURL + "?", DigiDFixture.returnURL + "#f", long + "a",
            "http://service.test/digid", "service:digid", "https://user@service.test/digid",
        ] {
            #expect(failure { try DigiDFixture.app(returnURL: url) } == .invalidParameter("ReturnUrl"), "\(url)")
        }
    }

    @Test("an icon URL on another host than the return URL is rejected") func icons() throws {
        #expect(try DigiDFixture.app(icon: "https://SERVICE.test/i.png").icon == "https://SERVICE.test/i.png")
        for icon in ["https://other.test/i.png", "http://service.test/i.png", "", "https://a.service.test/i.png"] {
            #expect(failure { try DigiDFixture.app(icon: icon) } == .invalidParameter("Icon"), "\(icon)")
        }
    }

    @Test("a connection has at most three apps, whose return URLs are compared byte by byte") func apps() throws {
        let apps = try (1...4).map {
            try DigiDApp(
                name: "App \($0)", returnURL: "https://service.test/\($0)", icon: "https://service.test/i.png")
        }
        try DigiDApp.check(Array(apps.prefix(3)))
        #expect(failure { try DigiDApp.check(apps) } == .configurationError)
        // A connection without apps serves logins in the browser alone.
        try DigiDApp.check([])
        #expect(failure { try DigiDApp.find(nil, in: []) } == .invalidParameter("ReturnUrl"))
        #expect(failure { try DigiDApp.check([apps[0], apps[0]]) } == .configurationError)
        #expect(try DigiDApp.find("https://service.test/2", in: apps) == apps[1])
        #expect(try DigiDApp.find(nil, in: apps) == apps[0])
        for url in [
            "https://service.test/2/", "https://service.test/", "https://SERVICE.test/2", "https://service.test/2x",
        ] {
            #expect(failure { try DigiDApp.find(url, in: apps) } == .invalidParameter("ReturnUrl"), "\(url)")
        }
    }

    @Test("DigiD case 3: accepts a link of 2000 characters, and rejects one of 2001 as too large")
    func length() throws {
        let request = try DigiDFixture.request()
        let base = DigiDAppRequest.base
        let rest = 2000 - (try request.link().utf8.count - base.utf8.count)
        let fitting = "https://app.digid.nl/" + String(repeating: "d", count: rest - 21)
        #expect(try request.link(to: fitting).utf8.count == 2000)
        #expect(failure { try request.link(to: fitting + "d") } == .tooLarge)
        #expect(failure { try DigiDAppRequest(link: try request.link(to: fitting) + "&") } == .tooLarge)
    }

    @Test("DigiD case 4: rejects a RelayState of 81 characters, and one with reserved characters")
    func relayStates() throws {
        for good in [String(repeating: "a", count: 80), "A-z.0_9~"] {
            #expect(try DigiDFixture.request(relayState: good).relayState == good)
        }
        for bad in [String(repeating: "a", count: 81), "", "a b", "a+b", "a/b", "é", "a\u{0}"] {
            #expect(failure { try DigiDFixture.request(relayState: bad) } == .invalidParameter("RelayState"), "\(bad)")
        }
    }

    @Test("a link is percent-decoded, and a % without two hexadecimal digits is malformed") func percentEncoding()
        throws
    {
        func read(_ query: String) -> RelyingPartyError.Reason? {
            failure { try DigiDAppRequest(link: "https://a.test/?" + query) }
        }
        let value = try DigiDFixture.request().value
        #expect(value.hasPrefix("e"))
        let rest = value.dropFirst()
        for query in ["app-app=" + value, "app-app=%65" + rest, "app%2Dapp=" + value, "%61pp-app=" + value + "&x"] {
            #expect(read(query) == nil, "\(query.prefix(16))")
        }
        for query in [
            "app-app=%6", "app-app=%", "app-app=%zz", "app-app=%6z" + rest, "app-app=" + value + "%3",
            "app-app=" + value + "&%=1", "%zz=1&app-app=" + value,
        ] {
            #expect(read(query) == .malformed, "\(query.prefix(16))")
        }
        #expect(read("app-app=") == .missingParameter("app-app"))
    }

    @Test("a link without a member is rejected with the member's name") func missing() throws {
        func read(_ members: [(String, String)]) -> RelyingPartyError.Reason? {
            failure {
                try DigiDAppRequest(
                    link: "https://a.test/?app-app=" + AppText.write(members.map { (name: $0.0, value: $0.1) }))
            }
        }
        let all = [("Icon", "i"), ("ReturnUrl", "r"), ("SAMLRequest", "s"), ("SigAlg", "a"), ("Signature", "g")]
        #expect(read(all) == nil)
        for (index, name) in ["Icon", "ReturnUrl", "SAMLRequest"].enumerated() {
            var some = all
            some.remove(at: index)
            #expect(read(some) == .missingParameter(ParameterName(name)))
        }
        #expect(read(all.dropLast()) == .missingParameter("Signature"))
        // The names of members are case-sensitive.
        #expect(read([("icon", "i")] + all.dropFirst()) == .missingParameter("Icon"))
        #expect(read(all + [("Icon", "j")]) == .duplicateParameter("Icon"))
    }
}

@Suite("DigiD: the signature of the redirect binding") struct DigiDRedirectSignatureTests {
    /// Verifies a signature over the octets as they are, with the command `openssl`.
    private func openssl(_ octets: String, _ signature: String) throws -> Bool {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        func path(_ name: String) -> String { folder.url.appending(path: name).path }
        try Data(try TestKeys.client.publicKey.pem().utf8).write(to: URL(filePath: path("key")))
        try Data(octets.utf8).write(to: URL(filePath: path("octets")))
        try #require(Data(base64Encoded: signature)).write(to: URL(filePath: path("signature")))
        return try run(
            "openssl", ["dgst", "-sha256", "-verify", path("key"), "-signature", path("signature"), path("octets")]
        ).status == 0
    }

    @Test(
        "DigiD case 5: openssl verifies the signed octets, which use upper-case hexadecimal only (SAML 2.0 Bindings, 3.4.4.1)"
    )
    func openssl() throws {
        let request = try DigiDFixture.request(samlRequest: "a+b/c==", relayState: "x~y")
        let signature = try #require(request.signature)
        let upper =
            "SAMLRequest=a%2Bb%2Fc%3D%3D&RelayState=x~y&SigAlg=http%3A%2F%2Fwww.w3.org%2F2001%2F04%2Fxmldsig-more%23rsa-sha256"
        #expect(try openssl(upper, signature))
        let lower = upper.replacing(/%[0-9A-F]{2}/) { $0.output.lowercased() }
        #expect(try !openssl(lower, signature))
        let key = TestKeys.client.publicKey
        try RedirectSignature(octets: Array(upper.utf8)).verify(signature, with: key)
        #expect(
            failure { try RedirectSignature(octets: Array(lower.utf8)).verify(signature, with: key) }
                == .signatureInvalid)
        // Base64 of no bytes is a signature, though an invalid one.
        for (text, reason) in [
            ("", RelyingPartyError.Reason.signatureInvalid), ("no base64", .malformed),
            (signature + "=", .malformed), (signature + "\n", .malformed),
        ] {
            #expect(
                failure { try RedirectSignature(octets: Array(upper.utf8)).verify(text, with: key) } == reason)
        }
        // Without a RelayState the parameter is left out.
        let bare = try #require(try DigiDFixture.request(samlRequest: "a+b/c==", relayState: nil).signature)
        #expect(try openssl(upper.replacingOccurrences(of: "RelayState=x~y&", with: ""), bare))
    }

    @Test("rejects a key of another type or for another use") func keys() throws {
        #expect(throws: Never.self) {
            try RedirectSignature(samlRequest: "a", relayState: nil).sign(with: TestKeys.client)
        }
        for key in [try PrivateKey.generate(.p256), TestKeys.clientEncryption] {
            #expect(
                failure { try RedirectSignature(samlRequest: "a", relayState: nil).sign(with: key) } == .keyUnsuitable)
        }
    }
}
