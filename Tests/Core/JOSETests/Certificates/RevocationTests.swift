import Foundation
import JOSE
import TestSupport
import Testing

@Suite("Revocation of certificates") struct RevocationTests {
    private typealias Words = CertificateMaker.Extensions
    private typealias Rule = CertificateRevocation.Rule
    private let fixture: RevocationFixture
    init() throws { fixture = try RevocationFixture.made.get() }

    /// Verifies the leaf's chain, and returns the fault.
    private func fault(
        lists: [[UInt8]] = [], responses: [[UInt8]] = [], _ rule: Rule = .required, at time: NumericDate? = nil,
        leaf: CertificateMaker.Issued? = nil
    ) throws -> CertificateFault? {
        var trust = try fixture.trust(CertificateRevocation(lists: lists, responses: responses, rule: rule))
        if let time { trust.clock = .fixed(time) }
        let chain = try fixture.chain(leaf)
        do throws(JOSEError) {
            try trust.verify(chain)
            return nil
        } catch .certificateInvalid(let fault) { return fault }
    }

    private func response(
        _ status: CertificateMaker.Status, of subject: CertificateMaker.Issued? = nil,
        issuer: CertificateMaker.Issued? = nil, by responder: CertificateMaker.Issued? = nil
    ) throws -> [UInt8] {
        try fixture.maker.status(
            of: subject ?? fixture.leaf, status, issuer: issuer ?? fixture.intermediate,
            by: responder ?? issuer ?? fixture.intermediate)
    }

    @Test("a leaf that its issuer's CRL lists is rejected as revoked, and another leaf is not (RFC 5280, 6.3)")
    func revokedByList() throws {
        let above = try fixture.list(by: fixture.root)
        let lists = [above, try fixture.list(by: fixture.intermediate, fixture.leaf)]
        for rule in [Rule.required, .ifProvided] {
            #expect(try fault(lists: lists, rule) == .revoked)
            #expect(try fault(lists: lists, rule, leaf: fixture.other) == nil)
        }
        #expect(try fault(lists: [above, fixture.list(by: fixture.intermediate)]) == nil)
        // DER and PEM are the same list, and a PEM text may have several.
        #expect(try fault(lists: lists.map { RevocationFixture.der($0) }) == .revoked)
        #expect(try fault(lists: [lists[0] + lists[1]]) == .revoked)
        #expect(try fault(lists: [lists[0] + lists[1]], leaf: fixture.other) == nil)
        // Without revocation data the leaf is accepted.
        _ = try fixture.trust().verify(fixture.chain())
    }

    @Test("an intermediate that the root's CRL lists is rejected as revoked, with every leaf below it")
    func revokedIntermediate() throws {
        let below = try fixture.list(by: fixture.intermediate)
        for rule in [Rule.required, .ifProvided] {
            let revoked = [try fixture.list(by: fixture.root, fixture.intermediate), below]
            #expect(try fault(lists: revoked, rule) == .revoked)
            #expect(try fault(lists: revoked, rule, leaf: fixture.other) == .revoked)
            #expect(try fault(lists: [fixture.list(by: fixture.root, fixture.stranger), below], rule) == nil)
        }
        let status = try response(.revoked, of: fixture.intermediate, issuer: fixture.root)
        #expect(try fault(responses: [status], .ifProvided) == .revoked)
        let good = try response(.good, of: fixture.intermediate, issuer: fixture.root)
        #expect(try fault(responses: [good], .ifProvided) == nil)
    }

    @Test("an OCSP response decides by its status, and a revocation counts before a good status (RFC 6960, 2.2)")
    func responses() throws {
        let above = [try fixture.list(by: fixture.root)]
        let (good, revoked) = (try response(.good), try response(.revoked))
        let (unknown, others) = (try response(.unknown), try response(.revoked, of: fixture.other))
        for rule in [Rule.required, .ifProvided] {
            #expect(try fault(lists: above, responses: [good], rule) == nil)
            #expect(try fault(lists: above, responses: [good, others], rule) == nil)
            #expect(try fault(lists: above, responses: [revoked], rule) == .revoked)
            #expect(try fault(lists: above, responses: [good, revoked], rule) == .revoked)
            #expect(try fault(lists: above, responses: [revoked, good], rule) == .revoked)
            #expect(try fault(lists: above, responses: [unknown], rule) == .statusUnknown)
        }
        let pem =
            "-----BEGIN OCSP RESPONSE-----\n" + Data(revoked).base64EncodedString(options: .lineLength64Characters)
            + "\n-----END OCSP RESPONSE-----\n"
        #expect(try fault(lists: above, responses: [Array(pem.utf8)]) == .revoked)
        // A list and a response complete each other, and one of them that revokes is enough.
        let list = try fixture.list(by: fixture.intermediate, fixture.leaf)
        #expect(try fault(lists: above + [list], responses: [good]) == .revoked)
        let all = [good, try response(.good, of: fixture.intermediate, issuer: fixture.root)]
        #expect(try fault(responses: all) == nil)
    }

    @Test("a certificate without data is rejected if data is required, and accepted if data is used where provided")
    func missing() throws {
        let above = try fixture.list(by: fixture.root)
        let below = try fixture.list(by: fixture.intermediate)
        let foreign = try fixture.list(by: fixture.stranger, fixture.leaf)
        for lists in [[], [above], [below], [foreign], [above, foreign], [below, foreign]] as [[[UInt8]]] {
            #expect(try fault(lists: lists, .required) == .statusUnknown)
            #expect(try fault(lists: lists, .ifProvided) == nil)
        }
        let others = [try response(.good, of: fixture.other)]
        #expect(try fault(lists: [above], responses: others, .required) == .statusUnknown)
        #expect(try fault(lists: [above], responses: others, .ifProvided) == nil)
        #expect(try fault(lists: [above, below]) == nil)
        // A list for certificates of authorities only says nothing about the leaf.
        let scope = try fixture.maker.revocationList(
            by: fixture.intermediate, extensions: ["issuingDistributionPoint=critical,onlyCA:TRUE"])
        #expect(try fault(lists: [above, scope], .required) == .statusUnknown)
        #expect(try fault(lists: [above, scope], .ifProvided) == nil)
        let users = try fixture.maker.revocationList(
            by: fixture.intermediate, revoked: [fixture.leaf],
            extensions: ["issuingDistributionPoint=critical,onlyuser:TRUE"])
        #expect(try fault(lists: [above, users]) == .revoked)
        #expect(try fault(lists: [above, users], leaf: fixture.other) == nil)
    }

    @Test("data is used from its beginning until before nextUpdate, and rejects the certificate outside of that")
    func outdated() throws {
        let above = try fixture.list(by: fixture.root)
        let below = try fixture.maker.revocationList(
            by: fixture.intermediate,
            validity: ["-crl_lastupdate", "20500101000000Z", "-crl_nextupdate", "20500201000000Z"])
        #expect(try fault(lists: [above, below]) == .statusOutdated)
        #expect(try fault(lists: [above, below], .ifProvided) == .statusOutdated)
        let current = try fixture.list(by: fixture.intermediate)
        // The one that is valid is used.
        #expect(try fault(lists: [above, below, current]) == nil)
        let day = Duration.seconds(86_400)
        for rule in [Rule.required, .ifProvided] {
            #expect(try fault(lists: [above, current], rule, at: fixture.now + day * 5) == nil)
            #expect(try fault(lists: [above, current], rule, at: fixture.now + day * 7) == .statusOutdated)
            let responses = [try response(.good)]
            #expect(try fault(responses: responses, .ifProvided, at: fixture.now + day * 5) == nil)
            #expect(try fault(responses: responses, rule, at: fixture.now + day * 7) == .statusOutdated)
        }
        // A response that is outdated does not matter beside one that is valid.
        let brief = try fixture.maker.status(
            of: fixture.leaf, .good, issuer: fixture.intermediate, by: fixture.intermediate, validity: ["-nmin", "5"])
        #expect(try fault(responses: [brief], .ifProvided) == .statusOutdated)
        #expect(try fault(responses: [brief, response(.good)], .ifProvided) == nil)
    }

    @Test("a CRL that the issuer did not sign, or may not sign, rejects the certificate (RFC 5280, 6.3.3)")
    func forgedLists() throws {
        let above = try fixture.list(by: fixture.root)
        let namesake = try fixture.maker.issue(
            "Namesake", by: fixture.stranger, extensions: Words.authority.filter { !$0.contains("KeyIdentifier") },
            subject: "/O=Test/CN=Issuer")
        // By its key identifier it is the list of another issuer, and revokes nothing.
        let forged = try fixture.list(by: namesake, fixture.leaf)
        #expect(try fault(lists: [above, forged], .required) == .statusUnknown)
        #expect(try fault(lists: [above, forged], .ifProvided) == nil)
        #expect(try fault(lists: [above, forged, fixture.list(by: fixture.intermediate)]) == nil)
        let settings = ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign"] + Words.identifiers
        let silent = try fixture.maker.issue("Silent", by: fixture.root, extensions: settings, days: 365)
        for rule in [Rule.required, .ifProvided] {
            var altered = RevocationFixture.der(try fixture.list(by: fixture.intermediate))
            #expect(try fault(lists: [above, altered], rule) == nil)
            altered[altered.count - 1] ^= 1
            #expect(try fault(lists: [above, altered], rule) == .statusUntrusted)
        }
        let leaf = try fixture.maker.issue("below", by: silent, extensions: Words.leaf)
        let chain = try CertificateChain(pem: leaf.pem + silent.pem)
        let list = try fixture.list(by: silent)
        let trust = try fixture.trust(CertificateRevocation(lists: [above, list]))
        #expect(throws: JOSEError.certificateInvalid(.statusUntrusted)) { try trust.verify(chain) }
        _ = try fixture.trust(CertificateRevocation(lists: [above], rule: .ifProvided)).verify(chain)
    }

    @Test("an OCSP response of a stranger is not trusted, and that of an authorized responder is (RFC 6960, 4.2.2.2)")
    func responders() throws {
        let above = [try fixture.list(by: fixture.root)]
        let plain = try fixture.maker.issue("Plain", by: fixture.intermediate, extensions: Words.leaf)
        for rule in [Rule.required, .ifProvided] {
            for stranger in [fixture.stranger, plain, fixture.root] {
                let forged = try response(.good, by: stranger)
                #expect(try fault(lists: above, responses: [forged], rule) == .statusUntrusted)
                // It does not hide that of the issuer, and cannot revoke.
                #expect(try fault(lists: above, responses: [forged, response(.good)], rule) == nil)
                let hostile = try response(.revoked, by: stranger)
                #expect(try fault(lists: above, responses: [hostile, response(.good)], rule) == nil)
            }
            #expect(try fault(lists: above, responses: [response(.good, by: fixture.responder)], rule) == nil)
            #expect(try fault(lists: above, responses: [response(.revoked, by: fixture.responder)], rule) == .revoked)
            // Without certificates, the response ends with its signature.
            var altered = try fixture.maker.status(
                of: fixture.leaf, .good, issuer: fixture.intermediate, by: fixture.intermediate, ["-resp_no_certs"])
            #expect(try fault(lists: above, responses: [altered], rule) == nil)
            altered[altered.count - 1] ^= 1
            #expect(try fault(lists: above, responses: [altered], rule) == .statusUntrusted)
        }
        // The status of one certificate says nothing about another.
        #expect(try fault(lists: above, responses: [response(.good, of: fixture.other)]) == .statusUnknown)
    }

    @Test("the root is trusted as it is: no data about it is required, and none revokes it (RFC 5280, 6.1)")
    func root() throws {
        let below = try fixture.list(by: fixture.intermediate)
        let lists = [try fixture.list(by: fixture.root, fixture.root), below]
        #expect(try fault(lists: lists) == nil)
        // An intermediate that is given as a root needs no list of its issuer.
        let roots = [try Certificate(pem: fixture.intermediate.pem)]
        func verify(_ lists: [[UInt8]]) throws {
            let trust = try CertificateTrust(
                roots: roots, clock: .fixed(fixture.now), revocation: CertificateRevocation(lists: lists))
            try trust.verify(CertificateChain(pem: fixture.leaf.pem))
        }
        try verify([below])
        #expect(throws: JOSEError.certificateInvalid(.statusUnknown)) { try verify([]) }
        #expect(throws: JOSEError.certificateInvalid(.revoked)) {
            try verify([fixture.list(by: fixture.intermediate, fixture.leaf)])
        }
        let leaf = try CertificateTrust(
            roots: [Certificate(pem: fixture.leaf.pem)], clock: .fixed(fixture.now), revocation: CertificateRevocation()
        )
        try leaf.verify(fixture.chain())
    }
}
