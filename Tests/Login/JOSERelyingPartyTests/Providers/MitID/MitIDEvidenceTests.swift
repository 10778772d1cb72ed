import Foundation
import JOSE
import JOSEMitID
import JOSERelyingParty
import TestSupport
import Testing

@Suite("MitID: evidence of transactions") struct MitIDEvidenceTests {
    private func fixture() throws -> (MitIDAuthority, MitIDEvidence) {
        let authority = try MitIDAuthority.made.get()
        return (authority, MitIDEvidence(issuers: [try Certificate(pem: authority.root.pem)]))
    }

    private func failure(
        _ evidence: MitIDEvidence, _ key: JWK, at time: NumericDate, _ response: String
    ) -> RelyingPartyError.Reason? {
        do throws(RelyingPartyError) {
            try evidence.check(key: key, issuedAt: time, response: response)
            return nil
        } catch {
            #expect(error.step == .transactionToken)
            return error.reason
        }
    }

    @Test(
        "MitID case 27: the OCSP status good is accepted; revoked, another serial, stale and unauthorized have an error each"
    )
    func statuses() throws {
        let (authority, evidence) = try fixture()
        let key = try authority.jwk()
        let good = try authority.status()
        #expect(failure(evidence, key, at: authority.now, good) == nil)
        let revoked = try authority.status(.revoked)
        #expect(failure(evidence, key, at: authority.now, revoked) == .certificateRevoked)
        let other = try authority.status(of: authority.otherKey)
        #expect(failure(evidence, key, at: authority.now, other) == .certificateUnknown)
        #expect(failure(evidence, key, at: authority.now + .seconds(3 * 3_600), good) == .certificateStatusStale)
        let plain = try authority.status(by: authority.plain)
        #expect(failure(evidence, key, at: authority.now, plain) == .responderNotAuthorized)
    }

    @Test("the OCSP status unknown, and a response that is not successful, are rejected")
    func unknown() throws {
        let (authority, evidence) = try fixture()
        let key = try authority.jwk()
        #expect(failure(evidence, key, at: authority.now, try authority.status()) == nil)
        #expect(failure(evidence, key, at: authority.now, try authority.status(.unknown)) == .certificateUnknown)
        // `tryLater`, which is never signed (RFC 6960, 2.3).
        let later = Data([0x30, 0x03, 0x0A, 0x01, 0x03]).base64EncodedString()
        #expect(failure(evidence, key, at: authority.now, later) == .malformed)
    }

    @Test(
        "an OCSP response of the issuer is accepted, and another authority's is rejected (RFC 6960, 4.2.2.2)"
    )
    func responders() throws {
        let (authority, evidence) = try fixture()
        let key = try authority.jwk()
        #expect(failure(evidence, key, at: authority.now, try authority.status(by: authority.root)) == nil)
        let pss = try authority.status(by: authority.root, with: ["-rsigopt", "rsa_padding_mode:pss"])
        #expect(failure(evidence, key, at: authority.now, pss) == nil)
        let foreign = try authority.status(by: authority.foreignResponder)
        #expect(failure(evidence, key, at: authority.now, foreign) == .responderNotAuthorized)
        let absent = try authority.status(with: ["-resp_no_certs"])
        #expect(failure(evidence, key, at: authority.now, absent) == .responderNotAuthorized)
    }

    @Test("an OCSP response that is changed, truncated, extended or signed with SHA-1 is rejected")
    func forgeries() throws {
        let (authority, evidence) = try fixture()
        let key = try authority.jwk()
        let good = try authority.status()
        #expect(failure(evidence, key, at: authority.now, good) == nil)
        let bad = try authority.status(with: ["-badsig"])
        #expect(failure(evidence, key, at: authority.now, bad) == .signatureInvalid)
        let weak = try authority.status(with: ["-rmd", "sha1"])
        #expect(failure(evidence, key, at: authority.now, weak) == .signatureInvalid)
        #expect(failure(evidence, key, at: authority.now, try authority.status(with: ["-rmd", "sha384"])) == nil)
        let der = try #require(Data(base64Encoded: good))
        for changed in [der.dropLast(), der + [0], Data(), Data(repeating: 0x30, count: 100_000)] {
            #expect(failure(evidence, key, at: authority.now, changed.base64EncodedString()) == .malformed)
        }
        #expect(failure(evidence, key, at: authority.now, good + "\n") == .malformed)
        // Whichever byte is changed, no response but the original one is accepted.
        for index in der.indices {
            var other = der
            other[index] ^= 0x01
            #expect(failure(evidence, key, at: authority.now, other.base64EncodedString()) != nil, "byte \(index)")
        }
    }

    @Test(
        "a key must have a valid certificate of a known issuer, and its SHA-1 in upper case as kid"
    )
    func certificates() throws {
        let (authority, evidence) = try fixture()
        let good = try authority.status()
        #expect(failure(evidence, try authority.jwk(), at: authority.now, good) == nil)
        let name = try #require(try authority.jwk().keyID)
        #expect(
            failure(evidence, try authority.jwk(), at: authority.now - .seconds(2 * 86_400), good)
                == .certificateUnknown)
        #expect(
            failure(evidence, try authority.jwk(), at: authority.now + .seconds(200_000_000), good)
                == .certificateUnknown)
        let lower = try authority.jwk(keyID: name.lowercased())
        #expect(failure(evidence, lower, at: authority.now, good) == .keyUnsuitable)
        var bare = try authority.key.privateKeyOfTests.publicKey
        bare.keyID = name
        #expect(failure(evidence, .publicKey(bare), at: authority.now, good) == .keyUnsuitable)
        let foreign = MitIDEvidence(issuers: [try Certificate(pem: authority.foreignRoot.pem)])
        #expect(failure(foreign, try authority.jwk(), at: authority.now, good) == .certificateUnknown)
        let both = MitIDEvidence(issuers: [
            try Certificate(pem: authority.foreignRoot.pem), try Certificate(pem: authority.root.pem),
        ])
        #expect(failure(both, try authority.jwk(), at: authority.now, good) == nil)
    }

    @Test(
        "a JWK with only `x5c` has the certificate's key; with one of n and e it must have both")
    func certificateAlone() throws {
        let authority = try MitIDAuthority.made.get()
        let certificate = try Certificate(pem: authority.key.pem)
        let thumbprint = Data(certificate.sha1Thumbprint).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        // The broker writes a JSON escape within the base64.
        let escaped = certificate.base64.replacing("+", with: "\\u002B")
        let members = #""kty":"RSA","kid":"A","use":"sig","x5t":"\#(thumbprint)","x5c":["\#(escaped)"]"#
        let key = try JWK(parsing: "{\(members)}")
        #expect(try key.publicKey == authority.key.privateKeyOfTests.publicKey)
        let missing = JOSEError.keyInvalid(.member("n", .missing))
        #expect(throws: missing) { try JWK(parsing: #"{\#(members),"e":"AQAB"}"#) }
        #expect(throws: missing) { try JWK(parsing: #"{"kty":"RSA","kid":"A"}"#) }
        #expect(throws: Never.self) { try JWK(parsing: #"{\#(members),"n":null,"e":null,"oth":[]}"#) }
        let other = try Certificate(pem: authority.otherKey.pem)
        #expect(throws: JOSEError.keyInvalid(.member("x5c", .otherKey))) {
            try JWK(parsing: #"{"kty":"RSA","x5c":["\#(other.base64)"]}"#)
        }
        let wrong =
            #"{"kty":"RSA","x5t":"\#(thumbprint)","x5c":["\#(try Certificate(pem: authority.root.pem).base64)"]}"#
        #expect(throws: JOSEError.keyInvalid(.member("x5t", .otherCertificate))) { try JWK(parsing: wrong) }
    }
}

extension CertificateMaker.Issued {
    var privateKeyOfTests: PrivateKey { get throws { try PrivateKey(pem: keyPEM) } }
}
