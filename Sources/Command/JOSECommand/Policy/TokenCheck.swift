import JOSE
import JOSEKeySets
import JOSESettings
import JOSETokens

/// When a token of a batch or a queue was read.
struct TokenReading: Sendable {
    /// The time, in seconds of `SystemClock.elapsed`.
    let readAt: Double
    /// The seconds by which the key of the token may be published later than the token.
    let keyLag: Double
    /// Whether whoever sent the token sends it again if the result is `retry`.
    let isRepeatable: Bool

    /// The time at which or after which a fetch must have begun that shows that the key of the token does not exist.
    var proof: Double { readAt + keyLag }
}

/// The check of every token of a run.
enum TokenCheck: Sendable {
    case token(TokenVerifier, BatchVerifier)
    /// The payload is bytes: the layers that the token has, the outer one first.
    case layers(JWEDecrypter?, JWSVerifier?)
    /// The payload is bytes: one layer in the JSON serialization.
    case json(JWEDecrypter?, JWSVerifier?)
    /// The payload is claims, with the checks of their own specification.
    case profile(ProfileSettings.Check)
    /// A check with the keys of a remote JWKS.
    indirect case fetched(TokenCheck, KeySetSource)

    /// Verifies a token and returns its payload.
    func run(_ token: Span<UInt8>) throws(TokenError) -> [UInt8] {
        switch self {
        case .token(let verifier, _): return try verifier.verify(token).claims.payload
        case .layers(let decrypter, let verifier):
            guard let decrypter else { return try Self.verified(verifier, token) }
            let plaintext = try inLayer(.encryption, decrypter.decrypt(token).plaintext)
            return verifier == nil ? plaintext : try Self.verified(verifier, plaintext.span)
        case .profile(let check): return try check(token)
        case .fetched(let check, let source):
            return try source.keys.withNewKeys(of: .signature, timeout: source.timeout) { () throws(TokenError) in
                try check.run(token)
            }
        case .json(let decrypter?, _):
            return try inLayer(.encryption, decrypter.decrypt(json: token).plaintext)
        case .json(nil, let verifier?):
            return try inLayer(.signature, verifier.verify(json: token).payload)
        case .json(nil, nil): return []
        }
    }

    /// Verifies tokens of a batch or a queue and returns their payloads, in their order.
    ///
    /// Because a rejection is final there, a key that is missing does not exist only if a fetch which began late enough
    /// has not found it. Otherwise the error is `keysUnavailable`, and a fetch begins as soon as the cooldown allows
    /// it. A signature that failed is final, where tokens are sent again, once a fetch which began after the token was
    /// read has confirmed its key.
    ///
    /// - Parameters:
    ///   - tokens: The ranges of the tokens in `bytes`.
    ///   - readings: For each token, when it was read.
    func run(_ bytes: [UInt8], _ tokens: [Range<Int>], _ readings: [TokenReading]) -> [Result<[UInt8], TokenError>] {
        let span = bytes.span
        switch self {
        case .token(_, let verifier):
            return verifier.verifySynchronously(span, tokens).map { $0.map(\.claims.payload) }
        case .fetched(let check, let source):
            // The time is read before the keys are, which are then of this fetch or of a later one.
            let known = source.keys.confirmedFrom
            var results = check.run(bytes, tokens, readings)
            let failed = results.indices.compactMap { index -> (index: Int, error: TokenError)? in
                if case .failure(let error) = results[index] { (index, error) } else { nil }
            }
            // A fetch that has not begun is not awaited here, because other batches go on meanwhile. One that has begun
            // ends by its own time limit, before that of the wait does.
            let hasNewKeys = source.keys.blockForNewKeys(
                after: failed.map(\.error), of: .signature, timeout: source.timeout * 2, awaitsNext: false)
            let renewed = source.keys.confirmedFrom
            for ((index, error), isRenewed) in zip(failed, hasNewKeys) {
                let result = isRenewed ? check.one(span.extracting(tokens[index])) : .failure(error)
                let fetched = isRenewed ? renewed : known
                results[index] = result.mapError { source.batchError($0, fetchedFrom: fetched, readings[index]) }
            }
            return results
        case .layers, .json, .profile: return tokens.map { one(span.extracting($0)) }
        }
    }

    private func one(_ token: Span<UInt8>) -> Result<[UInt8], TokenError> {
        Result { () throws(TokenError) in try run(token) }
    }

    private static func verified(_ verifier: JWSVerifier?, _ token: Span<UInt8>) throws(TokenError) -> [UInt8] {
        guard let verifier else { return [] }
        return try inLayer(.signature, verifier.verify(token).payload)
    }

    /// Whether the payloads are JSON, in which line feeds are white space.
    var givesClaims: Bool {
        switch self {
        case .token, .profile: true
        case .layers, .json: false
        case .fetched(let check, _): check.givesClaims
        }
    }
}
