import Foundation
import JOSE
import JOSETesting
import JOSETokens
import Testing

@testable import JOSEDigiD
@testable import JOSERelyingParty

@Suite("DigiD: the response of DigiD's app") struct DigiDReturnTests {
    private func query(_ json: String) -> String { "app-app=" + Data(json.utf8).base64EncodedString() }
    private func read(_ query: String) -> RelyingPartyError.Reason? {
        failure { try DigiDReturn(.query(query), by: .app) }
    }

    @Test("the raw query is parsed with percent-encoding, spaces for plus signs, and missing base64 padding")
    func forms() throws {
        // The base64 contains a `+`, a `/` and padding.
        let json = #"{"SAMLart":"a>>?~~~b","RelayState":null,"ErrorMessage":""}"#
        let whole = Data(json.utf8).base64EncodedString()
        #expect(whole.contains("+") && whole.hasSuffix("="))
        let spellings = [
            whole, whole.replacingOccurrences(of: "+", with: " "), whole.replacingOccurrences(of: "+", with: "%2B"),
            whole.replacingOccurrences(of: "+", with: "%20"), whole.replacingOccurrences(of: "=", with: ""),
            whole.replacingOccurrences(of: "=", with: "%3d"), whole.replacingOccurrences(of: "/", with: "%2F"),
        ]
        for spelling in spellings {
            for query in ["app-app=\(spelling)", "utm=1&app-app=\(spelling)&x", "app%2Dapp=\(spelling)"] {
                let answer = try DigiDReturn(.query(query), by: .app)
                #expect(answer.artifact == "a>>?~~~b" && answer.relayState == nil && answer.errorMessage == nil)
            }
        }
        #expect(read("app-app=\(whole.dropLast(5))") == .malformed)
    }

    @Test("anything but the JSON of the interface is malformed") func malformed() {
        #expect(read(query(#"{"SAMLart":"x","more":[1]}"#)) == nil)
        for json in [
            #"{"SAMLart":"x""#, #"{"SAMLart":1}"#, #"{"SAMLart":["x"]}"#, #"["SAMLart"]"#, #"{"SAMLart":"x"} y"#,
            #"{'SAMLart':'x'}"#, "", #"{"SAMLart":"\ud800"}"#, #"{"RelayState":true}"#, #"{"more":1,"more":2}"#,
        ] {
            #expect(read(query(json)) == (json.isEmpty ? .missingParameter("app-app") : .malformed), "\(json)")
        }
        for text in ["app-app=e30%3", "app-app=e30%zz", "app-app=e3-_", "app-app=e31=", "app-app=e==0"] {
            #expect(read(text) == .malformed, "\(text)")
        }
        #expect(read("app-app=e30") == nil)
    }

    @Test("rejects a duplicate parameter or member with its name") func duplicates() {
        let one = query(#"{"SAMLart":"x"}"#)
        #expect(read(one) == nil)
        #expect(read("\(one)&\(one)") == .duplicateParameter("app-app"))
        #expect(read("\(one)&app%2dapp=") == .duplicateParameter("app-app"))
        for name in ["SAMLart", "RelayState", "ErrorMessage"] {
            #expect(read(query(#"{"\#(name)":"x","\#(name)":null}"#)) == .duplicateParameter(ParameterName(name)))
        }
        #expect(read("other=1") == .missingParameter("app-app"))
    }

    @Test("a query of up to 4096 bytes is parsed, and a form body is rejected") func bounds() throws {
        let one = query(#"{"SAMLart":"x"}"#)
        let padding = String(repeating: "p", count: 4096 - one.utf8.count - 1)
        #expect(read("\(one)&\(padding)") == nil)
        #expect(read("\(one)&\(padding)p") == .tooLarge)
        #expect(
            failure {
                try DigiDReturn(.form(Array(one.utf8), contentType: "application/x-www-form-urlencoded"), by: .app)
            }
                == .contentTypeMismatch)
    }

    @Test(
        "DigiD case 13: an artifact must have 44 bytes, type 4, and the provider's source ID (SAML 2.0 Bindings, 3.6.4.2)"
    )
    func artifacts() throws {
        let artifact = try DigiDFixture.artifact()
        let bytes = try #require(Data(base64Encoded: artifact))
        #expect(bytes.count == 44 && bytes.prefix(4) == Data([0, 4, 0, 0]))
        func read(_ text: String, _ form: DigiDArtifact.Form = .exact) -> RelyingPartyError.Reason? {
            failure { try DigiDArtifact(text, entityID: DigiDFixture.entityID, form: form) }
        }
        #expect(read(artifact) == nil)
        #expect(read(try DigiDFixture.artifact(of: "https://another.test")) == .issuerMismatch)
        for (index, value) in [(0, 1), (1, 3), (1, 5), (2, 1), (3, 1)] {
            var other = bytes
            other[index] = UInt8(value)
            #expect(read(other.base64EncodedString()) == .malformed, "byte \(index)")
        }
        // In the other form the text has at most 256 characters.
        #expect(read(String(repeating: "A", count: 256), .anyLength) == nil)
        let short = bytes.dropLast().base64EncodedString()
        #expect(read(short) == .malformed && read(short, .anyLength) == nil)
        for text in ["", "demo!", artifact.replacingOccurrences(of: "=", with: ""), String(repeating: "A", count: 260)]
        {
            #expect(read(text) == .malformed && read(text, .anyLength) == .malformed, "\(text)")
        }
        // The source ID of this provider, by Foundation's base64 and a digest that was computed elsewhere.
        let known = try DigiDArtifact(entityID: "https://idp.example/metadata", handle: Array(repeating: 0, count: 20))
        let source = try #require(Data(base64Encoded: known.text))[4..<24]
        #expect(
            source.map { String(Int($0) + 256, radix: 16).suffix(2) }.joined()
                == "3236b3a47d7a6c564d071379dd384c83359b23b0")
    }

    @Test("a request is valid for 60 seconds, and its time of issue is never in the future") func freshness() {
        for now in [1_700_000_000.0, 1_700_000_000.999, 1_700_000_001.5] {
            let instant = DigiDFreshness.issueInstant(at: now)
            #expect(instant <= now - 2 && instant > now - 3)
            #expect(DigiDFreshness(of: instant, at: now) == .fresh)
            #expect(DigiDFreshness(of: instant, at: instant + 60) == .fresh)
            #expect(DigiDFreshness(of: instant, at: instant + 61) == .old)
            #expect(DigiDFreshness(of: instant, at: instant - 1) == .ahead)
        }
    }
}

@Suite("DigiD: numbers and levels") struct DigiDNumberTests {
    @Test("DigiD case 26: the digits of a number must pass the modulus 11 check (elfproef)") func elevenTest() {
        #expect(DigiDNumber("111222333")?.digits == "111222333")
        #expect(DigiDNumber("111222334") == nil)
        // Eight digits stand for nine with a leading zero.
        #expect(DigiDNumber("10000008") == DigiDNumber("010000008"))
        #expect(DigiDNumber("010000008")?.digits == "010000008")
        for text in [
            "000000000", "", "11122233", "1112223330", "11122233x", " 111222333", "१११२२२३३३", "-11222333",
            "111222\u{0}33",
        ] {
            #expect(DigiDNumber(text) == nil, "\(text)")
        }
        // One changed digit, or two exchanged neighbours, fail the test.
        let digits = Array("111222333".utf8)
        for index in digits.indices {
            for digit in UInt8(0x30)...0x39 where digit != digits[index] {
                var other = digits
                other[index] = digit
                #expect(DigiDNumber(String(decoding: other, as: UTF8.self)) == nil)
            }
        }
    }

    @Test("DigiD case 25: an unexpected sector is reported before the digits of the number are checked")
    func sectors() {
        func read(_ nameID: String, _ sectors: Set<DigiDSector> = [.bsn]) -> RelyingPartyError.Reason? {
            failure { try DigiDNumber(nameID: nameID, sectors: sectors) }
        }
        for good in ["s00000000:111222333", "S00000000:111222333", "s00000000:10000008"] { #expect(read(good) == nil) }
        #expect(read("s00000001:111222333") == .sectorUnexpected)
        #expect(read("s00000001:111222333", [.bsn, .sofi]) == nil)
        #expect(read("s00000001:1") == .sectorUnexpected && read("s00000002:111222333") == .sectorUnexpected)
        for bad in [
            "s00000000:111222334", "s00000000:", "s00000000", "111222333", "s00000000:111222333:",
            "s00000000: 111222333",
        ] {
            #expect(read(bad) == .claimType("BSN"), "\(bad)")
        }
        func qualified(_ qualifier: String?, _ sectors: Set<DigiDSector> = [.bsn]) -> RelyingPartyError.Reason? {
            failure { try DigiDNumber("111222333", qualifier: qualifier, sectors: sectors) }
        }
        #expect(qualified("urn:nl-eid-gdi:1.0:id:legacy-BSN") == nil && qualified("urn:nl-eid-gdi:1.0:id:BSN") == nil)
        #expect(qualified(nil) == .sectorUnexpected && qualified(DigiDNumber.pseudonymQualifier) == .sectorUnexpected)
        #expect(qualified("urn:nl-eid-gdi:1.0:id:BSN", [.sofi]) == .sectorUnexpected)
        #expect(DigiDNumber("111222333", sector: .sofi) != DigiDNumber("111222333"))
    }

    @Test("a required level is met by itself and by higher levels, in both spellings, and by no other text")
    func levels() {
        let classes = "urn:oasis:names:tc:SAML:2.0:ac:classes:"
        let spellings: [(DigiDLevel, String, String?, Int)] = [
            (.basis, classes + "PasswordProtectedTransport", nil, 10),
            (.midden, classes + "MobileTwoFactorContract", "http://eidas.europa.eu/LoA/low", 20),
            (.substantieel, classes + "Smartcard", "http://eidas.europa.eu/LoA/substantial", 25),
            (.hoog, classes + "SmartcardPKI", "http://eidas.europa.eu/LoA/high", 30),
        ]
        for (level, reference, eIDAS, rank) in spellings {
            #expect(level.classReference == reference && level.eIDAS == eIDAS && level.rawValue == rank)
            for wanted in DigiDLevel.allCases {
                for text in [reference, eIDAS].compactMap({ $0 }) {
                    let found = failure { try wanted.reached(by: text) }
                    #expect(found == (level >= wanted ? nil : .acrTooLow), "\(wanted) by \(text)")
                }
            }
        }
        for text in [nil, "", classes, classes + "smartcardpki", "http://eidas.europa.eu/LoA/High", "urn:other"] {
            #expect(failure { try DigiDLevel.basis.reached(by: text) } == .acrTooLow)
        }
    }

    @Test("DigiD case 33: a key without use, or that is not RSA, in the service's key set is reported") func keySet()
        throws
    {
        let keys = [TestKeys.client.publicKey, TestKeys.clientEncryption.publicKey].map { $0.jwk() }
        func lint(_ json: [UInt8]) -> [KeySetFinding.Problem] {
            let findings = KeySetFinding.findings(forDigiDIn: json)
            #expect(findings.allSatisfy { $0.isError })
            return findings.map(\.problem)
        }
        func lint(_ keys: [String]) -> [KeySetFinding.Problem] {
            lint(Array("{\"keys\":[\(keys.joined(separator: ","))]}".utf8))
        }
        #expect(lint(keys).isEmpty)
        #expect(lint(keys + [TestKeys.stranger.publicKey.jwk()]) == [.noUse(at: 2)])
        var curve = try PrivateKey.generate(.p256).publicKey
        curve.use = .signature
        #expect(lint(keys + [curve.jwk()]) == [.notRSA(at: 2)])
        #expect(lint(keys + [TestKeys.secondClientEncryption.publicKey.jwk()]) == [.secondEncryptionKey(at: 2)])
        #expect(lint([keys[0]]) == [.noEncryptionKey] && lint([keys[1]]) == [.noSignatureKey])
        for (name, isPrivate) in ["d", "p", "q", "dp", "dq", "qi", "oth", "k"].map({ ($0, true) }) + [("r", false)] {
            let key = keys[0].replacingOccurrences(of: "{", with: "{\"\(name)\":\"AQAB\",")
            #expect(lint([keys[1], key]) == (isPrivate ? [.isPrivate(at: 1)] : []), "\(name)")
        }
        let document = Array("{\"keys\":[\(keys.joined(separator: ","))]}".utf8)
        let space = Array(repeating: UInt8(ascii: " "), count: 10_240 - document.count)
        #expect(lint(document + space).isEmpty)
        #expect(lint(document + space + [0x20]) == [.tooLarge(10_241, limit: 10_240)])
        for text in ["", "{}", "{\"keys\":{}}", "{\"keys\":[1]}"] {
            #expect(lint(Array(text.utf8)) == [.malformed], "\(text)")
        }
    }
}
