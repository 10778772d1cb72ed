/// A property of a service's own JWK Set that a provider does not accept, or that makes logins slow or unsafe. Modules of
/// providers add functions to this type that find them.
///
/// Run the check before the set is registered and after each change of it, and show the findings to the operator.
public struct KeySetFinding: Equatable, Sendable, CustomStringConvertible {
    /// A problem of a JWK Set or of the response that contains it.
    package enum Problem: Equatable, Sendable {
        case notHTTPS, malformed, noSignatureKey, noEncryptionKey, shortCaching
        /// The size in bytes, and the largest one that the provider reads.
        case tooLarge(Int, limit: Int)
        case slowResponse(Duration)
        /// The index of a key, counted from 0.
        case notRSA(at: Int)
        case noUse(at: Int), isPrivate(at: Int), secondEncryptionKey(at: Int), weakKey(at: Int), noKeyID(at: Int)
        case repeatedKeyID(at: Int), algorithmMismatch(at: Int), publiclyKnownKey(at: Int)
    }
    package let problem: Problem
    /// Whether logins fail or are not safe. Otherwise they succeed, but may be slow or fail at times.
    public let isError: Bool

    package init(_ problem: Problem, isError: Bool = true) {
        self.problem = problem
        self.isError = isError
    }

    /// A stable code of the problem, such as `no_encryption_key`, by which a deployment check can accept a known
    /// finding.
    public var code: String { parts.code }

    /// The index of the key in the array `keys`, counted from 0; nil if the finding is about the whole set.
    public var keyIndex: Int? { parts.index }

    /// A text that says what is wrong. It begins with the index of the key if the finding is about one.
    public var description: String { (parts.index.map { "key \($0): " } ?? "") + parts.text }

    private var parts: (code: String, index: Int?, text: String) {
        switch problem {
        case .notHTTPS: ("not_https", nil, "the URL of the set is not https")
        case .malformed: ("malformed", nil, "the document is not a JSON object with an array keys of objects")
        case .tooLarge(let size, let limit):
            ("too_large", nil, "the document has \(size) bytes, and the provider reads \(limit)")
        case .noSignatureKey: ("no_signature_key", nil, "the set has no RSA key whose use is sig")
        case .noEncryptionKey: ("no_encryption_key", nil, "the set has no RSA key whose use is enc")
        case .slowResponse(let time): ("slow_response", nil, "the response took longer than a second: \(time)")
        case .shortCaching:
            ("short_caching", nil, "Cache-Control does not allow the provider to cache the set for 30 minutes")
        case .notRSA(let index): ("not_rsa", index, "it is not an RSA key")
        case .noUse(let index): ("no_use", index, "its use is neither sig nor enc")
        case .isPrivate(let index): ("is_private", index, "it has members of a private or symmetric key")
        case .secondEncryptionKey(let index):
            ("second_encryption_key", index, "it is an encryption key after the first one, which alone is used")
        case .weakKey(let index): ("weak_key", index, "it is an RSA key of fewer than 2048 bits")
        case .noKeyID(let index): ("no_key_id", index, "it has no kid")
        case .repeatedKeyID(let index): ("repeated_key_id", index, "an earlier key has its kid")
        case .algorithmMismatch(let index): ("algorithm_mismatch", index, "its alg does not match its use")
        case .publiclyKnownKey(let index): ("publicly_known_key", index, "its private half is publicly known")
        }
    }
}
