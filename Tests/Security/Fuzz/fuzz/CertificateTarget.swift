import JOSE
import JOSETesting

/// Certificates, chains and the members of a JWK that hold them, mutated.
final class CertificateTarget {
    private let ders: [[UInt8]]
    private let good: CertificateChain
    private let trust: CertificateTrust
    private let named: CertificateTrust

    init() throws {
        let certificates = try Seeds.certificates.map { try Certificate(base64: $0) }
        ders = certificates.map(\.der)
        good = try CertificateChain([certificates[1], certificates[0]])
        let clock = WallClock.fixed(2_000_000_000)
        trust = try CertificateTrust(roots: [certificates[0]], clock: clock)
        named = try CertificateTrust(roots: [certificates[0]], clock: clock, name: .dns("leaf.test"))
        _ = try named.verify(good)
    }

    func run(_ dice: inout Dice, _ tally: inout Tally) {
        let place = dice.below(ders.count)
        var der = ders[place]
        for _ in 0...dice.below(3) { ByteMutator.change(&der, &dice) }
        let (refusal, certificate) = outcome { () throws(JOSEError) in try Certificate(der: der) }
        tally.count("certificate", refusal)
        if let certificate {
            tally.expect(certificate.der == der, "a certificate is not what was read")
            _ = (certificate.subject, certificate.issuer, certificate.notBefore, certificate.notAfter, "\(certificate)")
            let (_, key) = outcome { () throws(JOSEError) in try certificate.publicKey(members: [.x5c, .x5t, .x5tS256])
            }
            if let key, dice.once(in: 4) {
                let (again, read) = outcome { () throws(JOSEError) in try JWK(parsing: key.jwk()) }
                tally.expect(again == nil && read?.publicKey == key, "a key with x5c is another when it is read")
            }
            let (chained, chain) = outcome { () throws(JOSEError) in
                try CertificateChain(place == 0 ? [good.leaf, certificate] : [certificate, good.certificates[1]])
            }
            tally.count("certificate chain", chained)
            if let chain {
                let (trusted, _) = outcome { () throws(JOSEError) in try trust.verify(chain) }
                tally.count("certificate chain, trusted", trusted)
                // The signature of the issuer covers the whole leaf.
                tally.expect(place == 0 || trusted != nil || der == ders[1], "a changed certificate is trusted")
            }
        }
        guard dice.once(in: 4) else { return }
        let pem = try? (place == 0 ? good.certificates[1] : good.leaf).pem()
        var text = Array((pem ?? "").utf8)
        if dice.once(in: 2) { text += text }
        for _ in 0..<dice.below(3) { ByteMutator.change(&text, &dice) }
        let (other, _) = outcome { () throws(JOSEError) in try CertificateChain(pem: text.span) }
        tally.count("certificate chain, PEM", other)
        guard var key = try? good.publicKey(members: [.x5c, .x5t, .x5tS256]).jwk() else { return }
        key = String(decoding: JSONMutator.key.change(Array(key.utf8), &dice), as: UTF8.self)
        let (parsed, _) = outcome { () throws(JOSEError) in try JWK(parsing: key) }
        tally.count("JWK with x5c", parsed)
    }
}
