internal import JOSE
internal import JOSEBytes

/// The results of some tokens in their order, before their profiles admit them.
struct BatchResult: Sendable {
    var tokens: [Result<VerifiedToken, TokenError>] = []
    /// The facts of each token; empty if neither a profile nor an observer needs them.
    var facts: [TokenFacts] = []
}

/// Some tokens on one thread: they are read one after the other, and their signatures are verified together.
struct BatchRun: ~Copyable {
    private struct Ticket {
        let place: Int
        let rest: UnfinishedToken
    }
    private let evaluator: BatchEvaluator
    /// The buffer into which each encrypted token is decrypted; it is zeroed on release.
    private var scratch = SecretBytes(capacity: 0)
    private var gathering = SignatureGathering()
    private var tickets: [Ticket] = []
    private var result = BatchResult()

    init(_ evaluator: BatchEvaluator, count: Int) {
        self.evaluator = evaluator
        result.tokens.reserveCapacity(count)
        if evaluator.isObserved { result.facts.reserveCapacity(count) }
    }

    /// Reads the next token, which is rejected at once if it fails before the signature.
    mutating func add(_ token: Span<UInt8>) {
        var facts = TokenFacts()
        do throws(TokenError) {
            switch try evaluator.read(token, &scratch, &facts) {
            case .opened(let opened): result.tokens.append(.success(consume opened))
            case .pending(let jws, let rest):
                // This result is replaced once the signature is verified; until then it contains nothing of the token.
                tickets.append(Ticket(place: result.tokens.count, rest: rest))
                result.tokens.append(.failure(.jose(.backend, layer: .signature)))
                gathering.add(jws)
                finishPending()
            }
        } catch {
            result.tokens.append(.failure(error))
        }
        if evaluator.isObserved { result.facts.append(facts) }
        if tickets.count == BatchVerifier.chunk { flush() }
    }

    /// Returns the results of all tokens, in their order.
    consuming func end() -> BatchResult {
        flush()
        return result
    }

    private mutating func flush() {
        gathering.finish()
        finishPending()
        gathering.reset()
        tickets.removeAll(keepingCapacity: true)
    }

    private mutating func finishPending() {
        while let next = gathering.next() {
            let ticket = tickets[next.ticket]
            do throws(TokenError) {
                let token = try evaluator.finish(&gathering[next.ticket], holds: next.holds, ticket.rest)
                result.tokens[ticket.place] = .success(consume token)
            } catch {
                result.tokens[ticket.place] = .failure(error)
            }
        }
    }
}
