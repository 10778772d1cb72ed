import JOSE
import JOSEKeySets
import Synchronization

/// A clock that the tests move.
final class DeskClock: Sendable {
    private let seconds: Mutex<Double>
    init(_ seconds: Double = 1_000_000) { self.seconds = Mutex(seconds) }
    var now: Double {
        get { seconds.withLock { $0 } }
        set { seconds.withLock { $0 = newValue } }
    }
    var clock: RotationClock { .custom { self.now } }
}

enum Fixture {
    /// lead 700 s, trail 360 s.
    static let rules: RotationRules = {
        var rules = RotationRules()
        rules.documentLifetime = .seconds(600)
        rules.slack = .seconds(100)
        rules.tokenLifetime = .seconds(300)
        rules.leeway = .seconds(60)
        rules.quietTime = .seconds(1000)
        return rules
    }()
    static let lead = 700.0
    static let trail = 360.0

    static func signing(_ name: String?) throws -> PrivateKey { try .generate(.ed25519, keyID: name) }
    static func decryption(_ name: String?) throws -> PrivateKey { try .generate(.x25519, keyID: name) }
}

func refusal<Value>(_ step: () throws(KeyRotationError) -> Value) -> KeyRotationError? {
    do throws(KeyRotationError) {
        _ = try step()
        return nil
    } catch {
        return error
    }
}

func names(_ document: KeySetDocument) throws -> [String?] { try KeySet(parsing: document.body).keys.map(\.keyID) }
