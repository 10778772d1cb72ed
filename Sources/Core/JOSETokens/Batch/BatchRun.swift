internal import JOSE
internal import JOSEBytes

/// What became of some tokens, in their order, but for what their profiles have to say.
struct BatchResult: Sendable {
    var tokens: [Result<VerifiedToken, TokenError>] = []
    /// By which verifier each was judged; empty where no profile will ask.
    var rows: [Int] = []
}

/// Some tokens on one thread: read one after the other, their signatures verified together.
struct BatchRun: ~Copyable {
    private struct Ticket {
        let place: Int
        let row: Int
        let outer: OuterHeader?
    }
    private let judge: BatchEvaluator
    private var recent = RecentHeaders()
    /// Where one encrypted token after the other is decrypted, and wiped with this.
    private var scratch = SecretBytes(capacity: 0)
    private var gathering = SignatureGathering()
    private var tickets: [Ticket] = []
    private var result = BatchResult()

    init(_ judge: BatchEvaluator, count: Int) {
        self.judge = judge
        result.tokens.reserveCapacity(count)
        if judge.admits { result.rows.reserveCapacity(count) }
    }

    /// The next token; refused at once for all that can be seen before the signature.
    mutating func add(_ token: Span<UInt8>) {
        var row = 0
        do throws(TokenError) {
            switch try judge.read(token, &recent, &scratch, row: &row) {
            case .opened(let opened):
                try judge.check(opened, row: row)
                result.tokens.append(.success(consume opened))
            case .pending(let jws, let outer):
                // Until it is settled nothing of it is here.
                tickets.append(Ticket(place: result.tokens.count, row: row, outer: outer))
                result.tokens.append(.failure(.jose(.backend, layer: .signature)))
                gathering.add(jws)
                settle()
            }
        } catch {
            result.tokens.append(.failure(error))
        }
        if judge.admits { result.rows.append(row) }
        if tickets.count == BatchVerifier.chunk { flush() }
    }

    /// Of all tokens, in their order.
    consuming func end() -> BatchResult {
        flush()
        return result
    }

    private mutating func flush() {
        gathering.finish()
        settle()
        gathering.reset()
        tickets.removeAll(keepingCapacity: true)
    }

    private mutating func settle() {
        while let next = gathering.next() {
            let ticket = tickets[next.ticket]
            do throws(TokenError) {
                let token = try VerifiedToken(
                    &gathering[next.ticket], holds: next.holds, within: ticket.outer)
                try judge.check(token, row: ticket.row)
                result.tokens[ticket.place] = .success(consume token)
            } catch {
                result.tokens[ticket.place] = .failure(error)
            }
        }
    }
}
