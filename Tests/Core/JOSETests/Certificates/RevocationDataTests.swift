import Foundation
import JOSE
import JOSECrypto
import TestSupport
import Testing

@Suite("Reading of revocation data") struct RevocationDataTests {
    private let fixture: RevocationFixture
    init() throws { fixture = try RevocationFixture.made.get() }

    private func list(_ extensions: String...) throws -> [UInt8] {
        try fixture.maker.revocationList(by: fixture.intermediate, revoked: [fixture.leaf], extensions: extensions)
    }

    private func refusal(lists: [[UInt8]] = [], responses: [[UInt8]] = []) -> JOSEError? {
        do throws(JOSEError) {
            _ = try CertificateRevocation(lists: lists, responses: responses)
            return nil
        } catch { return error }
    }

    @Test("bytes that are not exactly CRLs are rejected when the value is created") func lists() throws {
        let pem = try list()
        let der = RevocationFixture.der(pem)
        let notDER = JOSEError.malformed(ParseFailure(.revocationList, .der))
        let notPEM = JOSEError.malformed(ParseFailure(.revocationList, .pem))
        #expect(refusal(lists: [pem, der, pem + pem]) == nil)
        for bad in [der + [0], Array(der.dropLast()), [0x30], [0x30, 0], try Certificate(pem: fixture.leaf.pem).der] {
            #expect(refusal(lists: [bad]) == notDER)
            #expect(refusal(lists: [der, bad]) == notDER)
        }
        let cut = Array(pem.prefix(pem.count / 2))
        for bad in [
            [], Array("text".utf8), Array(fixture.leaf.pem.utf8), Array(fixture.leaf.keyPEM.utf8), pem + cut,
        ] {
            #expect(refusal(lists: [bad]) == notPEM)
        }
        #expect(refusal(lists: [cut]) == .malformed(ParseFailure(.revocationList, .pemEnd)))
        // A response is no list.
        let response = try fixture.maker.status(
            of: fixture.leaf, .good, issuer: fixture.intermediate, by: fixture.intermediate)
        #expect(refusal(lists: [response]) == notDER)
        #expect(refusal(responses: [response]) == nil)
        #expect(refusal(lists: [der], responses: [der]) == .malformed(ParseFailure(.statusResponse, .der)))
    }

    @Test("CRLs that are not complete, have no nextUpdate or a critical unknown extension are rejected (RFC 5280, 5)")
    func incomplete() throws {
        let unsupported = JOSEError.malformed(ParseFailure(.revocationList, .der))
        for accepted in ["crlNumber=DER:020105", "1.2.3.4=DER:0500", "issuingDistributionPoint=critical,onlyuser:TRUE"]
        {
            #expect(refusal(lists: [try list(accepted)]) == nil, "\(accepted)")
        }
        for rejected in [
            "2.5.29.27=critical,DER:020101", "issuingDistributionPoint=critical,indirectCRL:TRUE",
            "issuingDistributionPoint=critical,onlysomereasons:keyCompromise",
            "issuingDistributionPoint=critical,onlyAA:TRUE", "1.2.3.4=critical,DER:0500",
            "2.5.29.28=critical,DER:0500",
        ] {
            #expect(refusal(lists: [try list(rejected)]) == unsupported, "\(rejected)")
        }
        let der = RevocationFixture.der(try list())
        #expect(refusal(lists: [Self.rewritten(der, withNextUpdate: true)]) == nil)
        #expect(refusal(lists: [Self.rewritten(der, withNextUpdate: false)]) == unsupported)
        let weak = try fixture.maker.revocationList(by: fixture.intermediate, hash: "sha1")
        #expect(refusal(lists: [weak]) == .certificateInvalid(.weak))
        let backwards = ["-crl_lastupdate", "20300101000000Z", "-crl_nextupdate", "20290101000000Z"]
        if let list = try? fixture.maker.revocationList(by: fixture.intermediate, validity: backwards) {
            #expect(refusal(lists: [list]) == unsupported)
        }
    }

    @Test("OCSP responses that report no status, have no nextUpdate or are weakly signed are rejected (RFC 6960, 4.2)")
    func responses() throws {
        let malformed = JOSEError.malformed(ParseFailure(.statusResponse, .der))
        func response(_ more: [String] = [], validity: [String] = ["-ndays", "7"]) throws -> [UInt8] {
            try fixture.maker.status(
                of: fixture.leaf, .good, issuer: fixture.intermediate, by: fixture.intermediate, more,
                validity: validity)
        }
        let good = try response()
        #expect(refusal(responses: [good]) == nil)
        // `tryLater` has no status (RFC 6960, 2.3).
        for bad in [[0x30, 3, 0x0A, 1, 3], good + [0], Array(good.dropLast()), try response(validity: [])] {
            #expect(refusal(responses: [bad]) == malformed)
        }
        #expect(refusal(responses: [try response(["-rmd", "sha1"])]) == .certificateInvalid(.weak))
        #expect(
            refusal(responses: [Array(fixture.leaf.pem.utf8)]) == .malformed(ParseFailure(.statusResponse, .pem)))
    }

    @Test("the response for one certificate has at most 64 KiB (RFC 6960, 4.2.1)") func responseBytes() throws {
        let good = try fixture.maker.status(
            of: fixture.leaf, .good, issuer: fixture.intermediate, by: fixture.intermediate)
        let (leaf, issuer) = (
            try Certificate(pem: fixture.leaf.pem), try Certificate(pem: fixture.intermediate.pem)
        )
        func check(_ response: [UInt8]) throws(X509StatusFault) {
            try leaf.checkStatus(response, issuer: issuer, at: NumericDate.now.secondsSince1970, within: 86_400)
        }
        #expect(throws: Never.self) { try check(good) }
        // A signature that is too long is read, and found to be invalid.
        let rest = 65_536 - Self.padded(good, by: 60_000).count
        for (count, isRead) in [(65_536, true), (65_537, false)] {
            let response = Self.padded(good, by: 60_000 + rest + count - 65_536)
            #expect(response.count == count)
            let fault = #expect(throws: X509StatusFault.self) { try check(response) }
            #expect((fault != .malformed) == isRead, "\(count)")
        }
    }

    @Test("the number and the bytes of revocation data are limited") func limits() throws {
        let der = RevocationFixture.der(try list())
        let most = CertificateRevocation.maximumCount
        #expect(refusal(lists: Array(repeating: der, count: most)) == nil)
        #expect(refusal(lists: Array(repeating: der, count: most + 1)) == .limitExceeded(.revocationData))
        let pem = try list()
        let many = Array(repeating: pem, count: most + 1).flatMap { $0 }
        #expect(refusal(lists: [many]) == .limitExceeded(.revocationData))
        // A PEM text may be longer than its content.
        let lines = [UInt8](repeating: 0x0A, count: 2 * CertificateRevocation.maximumBytes - pem.count)
        #expect(refusal(lists: [lines + pem]) == nil)
        #expect(refusal(lists: [lines + [0x0A] + pem]) == .limitExceeded(.revocationData))
        let large = [0x30] + [UInt8](repeating: 0, count: CertificateRevocation.maximumBytes)
        #expect(refusal(lists: [large]) == .limitExceeded(.revocationData))
        #expect(refusal(lists: [Array(large.dropLast())]) == .malformed(ParseFailure(.revocationList, .der)))
        let response = [0x30] + [UInt8](repeating: 0, count: 65_536)
        #expect(refusal(responses: [response]) == .limitExceeded(.revocationData))
        #expect(refusal(responses: [Array(response.dropLast())]) == .malformed(ParseFailure(.statusResponse, .der)))
    }

    @Test("a description names the numbers and the rule, and nothing of the data") func description() throws {
        let value = try CertificateRevocation(lists: [list()], rule: .ifProvided)
        #expect("\(value)" == "CertificateRevocation(1 lists, 0 responses, ifProvided)")
    }

    /// Writes a list again, with or without `nextUpdate`, which is the second time in it.
    private static func rewritten(_ der: [UInt8], withNextUpdate: Bool) -> [UInt8] {
        let outer = elements(in: elements(in: der)[0].contents)
        var fields = elements(in: outer[0].contents)
        let times = fields.indices.filter { fields[$0].tag == 0x17 }
        if !withNextUpdate { fields.remove(at: times[1]) }
        let inner = element(0x30, fields.flatMap { element($0.tag, $0.contents) })
        return element(0x30, inner + outer.dropFirst().flatMap { element($0.tag, $0.contents) })
    }

    /// Writes an OCSP response again, with zeros after its signature.
    private static func padded(_ der: [UInt8], by count: Int) -> [UInt8] {
        let outer = elements(in: elements(in: der)[0].contents)
        let response = elements(in: elements(in: outer[1].contents)[0].contents)
        var basic = elements(in: elements(in: response[1].contents)[0].contents)
        basic[2].contents += [UInt8](repeating: 0, count: count)
        func joined(_ all: [(tag: UInt8, contents: [UInt8])]) -> [UInt8] {
            all.flatMap { element($0.tag, $0.contents) }
        }
        let written = element(0x04, element(0x30, joined(basic)))
        let whole = element(0x30, element(response[0].tag, response[0].contents) + written)
        return element(0x30, element(outer[0].tag, outer[0].contents) + element(0xA0, whole))
    }

    private static func elements(in bytes: [UInt8]) -> [(tag: UInt8, contents: [UInt8])] {
        var found: [(tag: UInt8, contents: [UInt8])] = []
        var place = 0
        while place + 1 < bytes.count {
            let tag = bytes[place]
            var length = Int(bytes[place + 1])
            place += 2
            if length > 0x80 {
                let digits = bytes[place..<place + length - 0x80]
                place += digits.count
                length = digits.reduce(0) { $0 << 8 | Int($1) }
            }
            found.append((tag, Array(bytes[place..<place + length])))
            place += length
        }
        return found
    }

    private static func element(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        let n = contents.count
        let length: [UInt8] =
            n < 128 ? [UInt8(n)] : n < 256 ? [0x81, UInt8(n)] : [0x82, UInt8(n >> 8), UInt8(n & 255)]
        return [tag] + length + contents
    }
}
