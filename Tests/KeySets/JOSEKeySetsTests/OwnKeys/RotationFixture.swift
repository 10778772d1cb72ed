import JOSE
import JOSEKeySets
import Synchronization

/// A clock that tests set.
final class SettableClock: Sendable {
    private let date: Mutex<NumericDate>
    init(_ now: NumericDate = 1_000_000) { date = Mutex(now) }
    var now: NumericDate {
        get { date.withLock { $0 } }
        set { date.withLock { $0 = newValue } }
    }
    var wallClock: WallClock { .custom { self.now } }
}

enum Fixture {
    /// The lead is 700 s and the trail 360 s.
    static let rules: RotationRules = {
        var rules = RotationRules()
        rules.documentLifetime = .seconds(600)
        rules.slack = .seconds(100)
        rules.tokenLifetime = .seconds(300)
        rules.leeway = .seconds(60)
        rules.quietTime = .seconds(1000)
        return rules
    }()
    static let lead = Duration.seconds(700)
    static let trail = Duration.seconds(360)

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
