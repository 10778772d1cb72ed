package import JOSE
internal import JOSERelyingParty
internal import Synchronization

/// A key source with the broker's keys of one role. The broker publishes a single key set: keys that sign ID tokens
/// have self-signed certificates, and keys that sign transaction tokens have certificates of an authority. A key of the
/// other role is reported as unsuitable, not as missing.
package final class MitIDKeyRoles: KeySource {
    package enum Role: Sendable { case login, transaction }

    private let source: any KeySource
    private let role: Role
    private let cached: Mutex<(whole: KeySet, part: KeySet)?> = Mutex(nil)

    package init(_ source: any KeySource, for role: Role) {
        self.source = source
        self.role = role
    }

    package func current() throws(JOSEError) -> KeySet {
        let whole = try source.current()
        if let cached = cached.withLock({ $0 }), cached.whole.isSame(as: whole) { return cached.part }
        var keys: [JWK] = []
        var others = whole.unusable
        for (index, key) in whole.keys.enumerated() {
            if Self.role(of: key) == role {
                keys.append(key)
            } else {
                others.append(UnusableKey(index: index, keyID: key.keyID, reason: .keyUnsuitable(.use)))
            }
        }
        let part = KeySet(keys, unusable: others)
        cached.withLock { $0 = (whole, part) }
        return part
    }

    private static func role(of key: JWK) -> Role {
        guard let leaf = key.certificates?.leaf, !leaf.namesItself else { return .login }
        return .transaction
    }

    package func reportMissing(keyID: [UInt8]?) { source.reportMissing(keyID: keyID) }
    package func outage(ofMissing keyID: [UInt8]?) -> KeysUnavailableReason? { source.outage(ofMissing: keyID) }
    package func reportFailedSignature(keyID: [UInt8]?) { source.reportFailedSignature(keyID: keyID) }
    package func reportUse(of key: JWK) { source.reportUse(of: key) }
    package func awaitRefresh(timeout limit: Duration) async throws -> Bool {
        try await source.awaitRefresh(timeout: limit)
    }
    package func awaitMissingKey(timeout limit: Duration) async throws -> Bool {
        try await source.awaitMissingKey(timeout: limit)
    }
    package func awaitReplacedKey(timeout limit: Duration) async throws -> Bool {
        try await source.awaitReplacedKey(timeout: limit)
    }
}
