internal import JOSE
internal import JOSEBytes

/// The verifier of a batch, which is that of single tokens. It is a class so that it is passed to each token without being
/// copied.
final class BatchEvaluator: Sendable {
    let verifier: TokenVerifier
    /// The issuers, if there are several.
    private let issuers: IssuerTable?
    /// Whether there are several issuers: testing this counts no reference.
    private let isSeveral: Bool
    /// Whether something is to be done with the results beside returning them: a profile or an observer.
    let isObserved: Bool
    /// Whether a signature may be of an algorithm that is faster to verify with others.
    let gathers: Bool
    /// Whether a token may be encrypted.
    let decrypts: Bool
    /// Whether content encryption keys of several tokens are decrypted together.
    let vectorizes: Bool
    /// Whether no step of a token is done together with those of others.
    let worksAlone: Bool

    init(_ verifier: TokenVerifier) {
        self.verifier = verifier
        issuers = verifier.additions?.issuers
        isSeveral = issuers != nil
        isObserved = verifier.additions != nil
        let rows = issuers?.rows.map(\.verifier) ?? [verifier]
        gathers = rows.contains { $0.layers.gathers }
        decrypts = rows.contains { $0.layers.decrypts }
        vectorizes = rows.contains { $0.layers.vectorizedDecrypter != nil }
        worksAlone = !vectorizes && !rows.contains { $0.layers.batches }
    }

    /// Reads a token up to its signature.
    ///
    /// - Parameters:
    ///   - scratch: The buffer into which the token is decrypted.
    ///   - facts: Receives the index of the issuer, as soon as it is known.
    func read(
        _ token: Span<UInt8>, _ scratch: inout SecretBytes, _ facts: inout TokenFacts
    ) throws(TokenError) -> ReadToken {
        guard isSeveral, let issuers else { return try verifier.read(token, &scratch, &facts) }
        if let row = try issuers.named(token, &facts) {
            return try row.verifier.read(token, &scratch, &facts)
        }
        let row = try issuers.decrypt(token, into: &scratch, &facts, within: nil)
        guard row.sharesDecryptionKeys else { return try row.verifier.read(token, &scratch, &facts) }
        let read = try row.verifier.layers.read(scratch, decryptedFrom: token)
        return try row.verifier.checked(read, nil, token, decryptionKey: nil, facts)
    }

    /// Verifies the layers of a token by itself and checks its claims. It is called here because a caller would copy the verifier.
    func opened(_ token: Span<UInt8>, _ facts: inout TokenFacts) throws(TokenError) -> VerifiedToken {
        guard isObserved else { return try verifier.opened(token, within: nil) }
        return try verifier.opened(token, &facts, within: nil)
    }

    /// Returns the token once its signature was verified, after the checks of its claims.
    func finish(
        _ job: inout SignatureJob, _ rest: UnfinishedToken
    ) throws(TokenError) -> VerifiedToken {
        guard isSeveral, let issuers, let row = rest.facts.row else {
            return try verifier.finish(&job, rest)
        }
        return try issuers.rows[row].verifier.finish(&job, rest)
    }

    /// Makes the profiles' checks and marks tokens as used in the replay stores, in the order of the tokens, and tells the
    /// observer.
    func admit(_ results: inout BatchResult) {
        guard isObserved else { return }
        for place in results.tokens.indices {
            let facts = results.facts[place]
            if case .success(let token) = results.tokens[place] {
                do throws(TokenError) { try verifier.admit(token, facts) } catch {
                    results.tokens[place] = .failure(error)
                }
            }
            report(results, place)
        }
    }

    private func report(_ results: borrowing BatchResult, _ place: Int) {
        verifier.additions?.report(
            results.tokens[place], results.facts[place], nil, batchCount: results.tokens.count)
    }

    /// The largest number of tokens that wait at the same time.
    private static let mostWaiting = 64

    /// Verifies the tokens once more whose outcome waiting may change.
    ///
    /// - Parameters:
    ///   - tokens: The tokens of the results.
    ///   - end: The time until which tokens wait for keys and the limiter; nil to wait for external keys alone.
    func awaitOutcomes(
        _ results: inout BatchResult, _ tokens: ArraySlice<[UInt8]>, until end: ContinuousClock.Instant?
    ) async throws(CancellationError) {
        let waiting = results.tokens.indices.compactMap { place -> Awaited? in
            guard case .failure(let error) = results.tokens[place],
                end == nil ? error == .awaitRequired : verifier.mayWait(after: error)
            else { return nil }
            return (place, results.tokens[place], isObserved ? results.facts[place] : TokenFacts())
        }
        guard !waiting.isEmpty else { return }
        for awaited in await awaited(waiting, tokens, until: end) {
            results.tokens[awaited.place] = awaited.result
            if isObserved { results.facts[awaited.place] = awaited.facts }
        }
        if Task.isCancelled { throw CancellationError() }
    }

    /// Makes the profiles' checks and marks tokens as used, as `admit` does, and awaits replay stores that answer
    /// asynchronously. A batch that is cancelled before has marked no token. Afterwards it is completed: the marks are made in a task
    /// that is not cancelled, because a token whose mark was made without a result could never be used again.
    ///
    /// - Parameter parts: The parts of a batch, in their order.
    func admitAwaiting(_ parts: inout [BatchResult]) async throws(CancellationError) {
        if Task.isCancelled { throw CancellationError() }
        guard isObserved else { return }
        guard verifier.awaitsMarks else {
            for place in parts.indices { admit(&parts[place]) }
            return
        }
        let opened = parts
        parts = await Task { [self] in
            var parts = opened
            for place in parts.indices { await mark(&parts[place]) }
            return parts
        }.value
    }

    private func mark(_ results: inout BatchResult) async {
        for place in results.tokens.indices {
            if case .success(let token) = results.tokens[place] {
                do throws(TokenError) { try await verifier.admitAwaiting(token, results.facts[place]) } catch {
                    results.tokens[place] = .failure(error)
                }
            }
            report(results, place)
        }
    }

    private typealias Awaited = (place: Int, result: Result<VerifiedToken, TokenError>, facts: TokenFacts)

    private func awaited(
        _ waiting: [Awaited], _ tokens: ArraySlice<[UInt8]>, until end: ContinuousClock.Instant?
    ) async -> [Awaited] {
        // More would fill the queue of a limiter, whose other callers, or these tokens themselves, would then be rejected.
        let most = min(Self.mostWaiting, verifier.leastRoom ?? .max)
        return await withTaskGroup(of: Awaited.self) { group in
            var all: [Awaited] = []
            for (number, one) in waiting.enumerated() {
                if number >= most, let next = await group.next() { all.append(next) }
                guard case .failure(let error) = one.result else { continue }
                let token = tokens[tokens.startIndex + one.place]
                group.addTask { [verifier] in
                    var facts = one.facts
                    do throws(TokenError) {
                        let opened = try await verifier.opened(token, &facts, after: error, until: end)
                        return (one.place, .success(opened), facts)
                    } catch {
                        // A cancelled batch has no results.
                        return (one.place, .failure(error), facts)
                    }
                }
            }
            for await next in group { all.append(next) }
            return all
        }
    }
}

extension TokenVerifier {
    private var verifiers: [TokenVerifier] { additions?.issuers?.rows.map(\.verifier) ?? [self] }

    /// The number of decryptions that every limiter has room for, running or in its queue; at least 1, and nil without a limiter.
    fileprivate var leastRoom: Int? {
        verifiers.compactMap { $0.policy.limiter.map { max(1, min($0.maxConcurrent, $0.maxQueued)) } }.min()
    }

    /// Whether a replay store answers asynchronously.
    fileprivate var awaitsMarks: Bool { verifiers.contains { $0.additions?.awaitsMarks ?? false } }
}

extension TokenVerifier.Layers {
    fileprivate var decrypts: Bool {
        switch self {
        case .signed: false
        case .encrypted, .nested: true
        }
    }

    fileprivate var batches: Bool {
        switch self {
        case .encrypted: false
        case .signed(let verifier), .nested(_, let verifier): verifier.policy.algorithms.contains { $0.isBatched }
        }
    }

    fileprivate var gathers: Bool {
        switch self {
        case .encrypted: false
        case .signed(let verifier), .nested(_, let verifier): verifier.policy.algorithms.contains { $0.gathers }
        }
    }
}

extension SignatureAlgorithm {
    /// Whether several signatures take less time together than one by one; under a table, ES256 is as fast for one.
    fileprivate var gathers: Bool { self != .es256 && batchVerificationImplementation == .vectorized }
}
