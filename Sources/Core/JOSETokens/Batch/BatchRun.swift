internal import JOSE
internal import JOSEBytes

/// The results of some tokens in their order, before their profiles admit them.
struct BatchResult: Sendable {
    var tokens: [Result<VerifiedToken, TokenError>] = []
    /// The index of each token's verifier; empty if no profile needs it.
    var rows: [Int] = []
}

/// Some tokens on one thread: they are read one after the other, and their signatures are verified together.
struct BatchRun: ~Copyable {
    private struct Ticket {
        let place: Int
        let row: Int
        let outer: OuterHeader?
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
        if evaluator.admits { result.rows.reserveCapacity(count) }
    }

    /// Reads the next token, which is rejected at once if it fails before the signature.
    mutating func add(_ token: Span<UInt8>) {
        var row = 0
        do throws(TokenError) {
            switch try evaluator.read(token, &scratch, row: &row) {
            case .opened(let opened):
                try evaluator.check(opened, row: row)
                result.tokens.append(.success(consume opened))
            case .pending(let jws, let outer):
                // This result is replaced once the signature is verified; until then it contains nothing of the token.
                tickets.append(Ticket(place: result.tokens.count, row: row, outer: outer))
                result.tokens.append(.failure(.jose(.backend, layer: .signature)))
                gathering.add(jws)
                finishPending()
            }
        } catch {
            result.tokens.append(.failure(error))
        }
        if evaluator.admits { result.rows.append(row) }
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
                let token = try VerifiedToken(
                    &gathering[next.ticket], holds: next.holds, within: ticket.outer)
                try evaluator.check(token, row: ticket.row)
                result.tokens[ticket.place] = .success(consume token)
            } catch {
                result.tokens[ticket.place] = .failure(error)
            }
        }
    }
}
