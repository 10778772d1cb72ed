internal import JOSE
internal import JOSESupport

/// The verifier of a batch, which is that of single tokens. It is a class so that it is passed to each token without
/// being copied.
final class BatchEvaluator: Sendable {
    let verifier: TokenVerifier
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
        isObserved = verifier.additions != nil
        let verifiers = verifier.verifiers
        gathers = verifiers.contains { $0.layers.hasAlgorithm(where: \.gathers) }
        decrypts = verifiers.contains { $0.layers.decrypts }
        vectorizes = verifiers.contains { $0.layers.vectorizes }
        worksAlone = !vectorizes && !verifiers.contains { $0.layers.hasAlgorithm(where: \.isBatched) }
    }

    /// Makes the profiles' checks and marks tokens as used in the replay stores, in the order of the tokens, and tells
    /// the observer.
    func accept(_ results: inout BatchResult) {
        guard isObserved else { return }
        for index in results.tokens.indices {
            let origin = results.origins[index]
            if case .success(let token) = results.tokens[index] {
                do throws(TokenError) { try verifier.accept(token, origin) } catch {
                    results.tokens[index] = .failure(error)
                }
            }
            report(results, index)
        }
    }

    private func report(_ results: borrowing BatchResult, _ index: Int) {
        verifier.additions?.report(
            results.tokens[index], results.origins[index], nil, batchCount: results.tokens.count)
    }

    /// Verifies the tokens once more whose outcome waiting may change.
    ///
    /// - Parameters:
    ///   - tokens: The tokens of the results.
    ///   - wait: What the tokens wait for.
    func awaitOutcomes(
        _ results: inout BatchResult, _ tokens: ArraySlice<[UInt8]>, _ wait: TokenWait
    ) async throws(CancellationError) {
        let waiting = results.tokens.indices.compactMap { index -> Awaited? in
            guard case .failure(let error) = results.tokens[index],
                wait.end == nil ? error == .awaitRequired : verifier.mayWait(after: error)
            else { return nil }
            return (index, error, isObserved ? results.origins[index] : TokenOrigin())
        }
        guard !waiting.isEmpty else { return }
        for awaited in await outcomes(of: waiting, tokens, wait) {
            results.tokens[awaited.index] = awaited.result
            if isObserved { results.origins[awaited.index] = awaited.origin }
        }
        if Task.isCancelled { throw CancellationError() }
    }

    /// Makes the profiles' checks and marks tokens as used, as `accept` does, and awaits replay stores that answer
    /// asynchronously. A batch that is cancelled before has marked no token. Afterwards it is completed: the marks are
    /// made in a task that is not cancelled, because a token whose mark was made without a result could never be used
    /// again.
    ///
    /// - Parameter parts: The parts of a batch, in their order.
    func acceptAwaiting(_ parts: inout [BatchResult]) async throws(CancellationError) {
        if Task.isCancelled { throw CancellationError() }
        guard isObserved else { return }
        guard verifier.awaitsMarks else {
            for index in parts.indices { accept(&parts[index]) }
            return
        }
        let verified = parts
        parts = await Task { [self] in
            var parts = verified
            for index in parts.indices { await mark(&parts[index]) }
            return parts
        }.value
    }

    private func mark(_ results: inout BatchResult) async {
        for index in results.tokens.indices {
            if case .success(let token) = results.tokens[index] {
                do throws(TokenError) { try await verifier.acceptAwaiting(token, results.origins[index]) } catch {
                    results.tokens[index] = .failure(error)
                }
            }
            report(results, index)
        }
    }

    /// A token that waits, with the error of the first attempt.
    private typealias Awaited = (index: Int, error: TokenError, origin: TokenOrigin)
    private typealias Outcome = (index: Int, result: Result<VerifiedToken, TokenError>, origin: TokenOrigin)

    private func outcomes(
        of waiting: [Awaited], _ tokens: ArraySlice<[UInt8]>, _ wait: TokenWait
    ) async -> [Outcome] {
        // More would fill the queue of a limiter, whose other callers, or these tokens themselves, would then be
        // rejected.
        let limit = min(BatchSizes.waiting, verifier.smallestLimit ?? .max)
        return await withTaskGroup(of: Outcome.self) { group in
            var all: [Outcome] = []
            for (number, one) in waiting.enumerated() {
                if number >= limit, let next = await group.next() { all.append(next) }
                let token = tokens[tokens.startIndex + one.index]
                group.addTask { [verifier] in
                    var process = TokenProcess(one.origin)
                    do throws(TokenError) {
                        let verified = try await verifier.verify(token, &process, after: one.error, wait)
                        return (one.index, .success(verified), process.origin)
                    } catch {
                        // A cancelled batch has no results.
                        return (one.index, .failure(error), process.origin)
                    }
                }
            }
            for await next in group { all.append(next) }
            return all
        }
    }
}

extension TokenVerifier {
    /// The verifiers of the issuers, or this one.
    fileprivate var verifiers: [TokenVerifier] { additions?.issuers?.rows.map(\.verifier) ?? [self] }

    /// The number of decryptions that every limiter has room for, running or in its queue; at least 1, and nil without
    /// a limiter.
    fileprivate var smallestLimit: Int? {
        verifiers.compactMap { $0.policy.limiter.map { max(1, min($0.maxConcurrent, $0.maxQueued)) } }.min()
    }

    /// Whether a replay store answers asynchronously.
    fileprivate var awaitsMarks: Bool { verifiers.contains { $0.additions?.awaitsMarks ?? false } }
}

extension TokenVerifier.Layers {
    /// Returns whether the policy of the signature layer, if there is one, has such an algorithm.
    fileprivate func hasAlgorithm(where isWanted: (SignatureAlgorithm) -> Bool) -> Bool {
        switch self {
        case .encrypted: false
        case .signed(let verifier), .nested(_, let verifier):
            verifier.shared.policy.algorithms.contains(where: isWanted)
        }
    }
}

extension SignatureAlgorithm {
    /// Whether several signatures take less time together than one by one; under a table, ES256 is as fast for one.
    fileprivate var gathers: Bool { self != .es256 && batchVerificationImplementation == .vectorized }
}
