import Foundation
import JOSE
import Synchronization
import TestSupport

/// A root and an intermediate that sign revocation lists, leaves, and responders, generated once.
final class RevocationFixture: Sendable {
    typealias Issued = CertificateMaker.Issued
    typealias Words = CertificateMaker.Extensions

    static let made = Result { try RevocationFixture() }

    let maker: CertificateMaker
    let root, stranger, intermediate, leaf, other, rsaLeaf, responder: Issued
    /// A time at which all certificates, lists and responses are valid that are generated without further options.
    let now: NumericDate

    private init() throws {
        maker = try CertificateMaker()
        root = try maker.issue("Root", extensions: Words.root, days: 3650)
        stranger = try maker.issue("Stranger", extensions: Words.root, days: 3650)
        intermediate = try maker.issue("Issuer", by: root, extensions: Words.authority, days: 365)
        leaf = try maker.issue("leaf", by: intermediate, extensions: Words.leaf)
        other = try maker.issue("other", by: intermediate, extensions: Words.leaf)
        rsaLeaf = try maker.issue("rsa", by: intermediate, .rsa(2048), extensions: Words.leaf)
        responder = try maker.issue(
            "Responder", by: intermediate, extensions: Words.leaf + ["extendedKeyUsage=OCSPSigning"])
        now = .now + .seconds(86_400)
    }

    func chain(_ leaf: Issued? = nil) throws -> CertificateChain {
        try CertificateChain(pem: (leaf ?? self.leaf).pem + intermediate.pem)
    }

    func trust(_ revocation: CertificateRevocation? = nil, clock: WallClock? = nil) throws -> CertificateTrust {
        try CertificateTrust(
            roots: [Certificate(pem: root.pem)], clock: clock ?? .fixed(now), revocation: revocation)
    }

    func list(by issuer: Issued, _ revoked: Issued...) throws -> [UInt8] {
        try maker.revocationList(by: issuer, revoked: revoked)
    }

    /// Returns the DER of a PEM text with one block.
    static func der(_ pem: [UInt8]) -> [UInt8] {
        let lines = String(decoding: pem, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("-") }
        return Array(Data(base64Encoded: lines.joined()) ?? Data())
    }
}

/// A clock that a test moves.
final class MovableClock: Sendable {
    private let time: Mutex<NumericDate>

    init(_ now: NumericDate) { time = Mutex(now) }

    var now: NumericDate {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }
    var wallClock: WallClock { .custom { self.now } }
}
