import JOSE
import JOSECrypto
import JOSESupport
import JOSETokens
import Synchronization

/// A verifier of the requests that have one operation, one member `options` and one member `keys`.
final class CheckPlan: Sendable {
    enum Verifier: Sendable {
        case jws(JWSVerifier)
        case jwe(JWEDecrypter)
        case jwt(TokenVerifier)
        /// The operation parses a key.
        case none
    }
    let options: CheckOptions
    let keys: CheckKeys
    /// The verifier, or why the options are no policy.
    let verifier: Result<Verifier, TokenError>

    init(_ operation: CheckRequest.Operation, _ options: CheckOptions, _ keys: CheckKeys) {
        self.options = options
        self.keys = keys
        verifier = Result { () throws(TokenError) in
            try Self.verifier(operation, options, options.keys(beside: keys.set))
        }
    }

    private static func verifier(
        _ operation: CheckRequest.Operation, _ options: CheckOptions, _ keys: KeySet
    ) throws(TokenError) -> Verifier {
        switch operation {
        case .jwsVerify: return .jws(JWSVerifier(unexaminedKeys: keys, policy: options.signaturePolicy))
        case .jweDecrypt:
            return .jwe(JWEDecrypter(unexaminedKeys: keys, policy: options.encryptionPolicy(isOuter: false)))
        case .jwtVerify:
            let policy = TokenPolicy.signed(options.signaturePolicy, claims: options.claimPolicy)
            return .jwt(try TokenVerifier(policy, unexaminedKeys: keys))
        case .nestedVerify:
            let policy = TokenPolicy.nested(
                outer: options.encryptionPolicy(isOuter: true), inner: options.signaturePolicy,
                claims: options.claimPolicy)
            // The member `use` of each key tells the keys of the two layers apart.
            return .jwt(try TokenVerifier(policy, unexaminedKeys: keys, decryptionKeys: keys))
        case .jwkParse: return .none
        }
    }
}

/// The keys and the plans of the requests so far, bounded in number and size, so that a key that is in every line is
/// parsed once.
///
/// Entries are found by a SHA-256 digest, so that the bytes of a private key are not kept. Keys that are removed wipe
/// their secrets.
final class CheckPlans: Sendable {
    private struct Tables {
        var keys = ExpiringMap<[UInt8], CheckKeys>(
            countLimit: 64, weightLimit: 1 << 20, eviction: .leastRecentlyUsed)
        var plans = ExpiringMap<[UInt8], CheckPlan>(
            countLimit: 256, weightLimit: 1 << 20, eviction: .leastRecentlyUsed)
    }
    private let tables = Mutex(Tables())

    /// Returns the plan of a request.
    ///
    /// - Parameters:
    ///   - keys: The member `keys`, or nil.
    ///   - options: The member `options`, or nil.
    ///   - parse: Parses the options.
    func plan(
        _ operation: CheckRequest.Operation, keys: JSONValue?, options: JSONValue?, in line: Span<UInt8>,
        parse: () throws(CheckFailure) -> CheckOptions
    ) throws(CheckFailure) -> CheckPlan {
        var keyText = keys?.slice(in: line) ?? []
        defer { wipe(&keyText) }
        // The options may contain a secret, too.
        var optionText = options?.slice(in: line) ?? []
        defer { wipe(&optionText) }
        let weight = keyText.count + optionText.count
        guard let keyName = try? Hash.sha256.digest(keyText.span) else {
            let parsed = try parse()
            return CheckPlan(operation, parsed, try CheckKeys(keys, in: line, limits: parsed.limits))
        }
        var label = keyName + Array(operation.rawValue.utf8) + [0] + optionText
        defer { wipe(&label) }
        let name = (try? Hash.sha256.digest(label.span)) ?? label
        if let plan = tables.withLock({ $0.plans.use(name) }) { return plan }
        let parsed = try parse()
        // A set that one limit allows may be too large for another.
        let setName = keyName + Array("\(parsed.limits.keysInSet)".utf8)
        let set: CheckKeys
        if let found = tables.withLock({ $0.keys.use(setName) }) {
            set = found
        } else {
            set = try CheckKeys(keys, in: line, limits: parsed.limits)
            tables.withLock { _ = $0.keys.set(set, for: setName, weight: keyText.count) }
        }
        let plan = CheckPlan(operation, parsed, set)
        tables.withLock { _ = $0.plans.set(plan, for: name, weight: weight) }
        return plan
    }
}
