internal import JOSE
internal import JOSEBytes

/// Some tokens on one thread: read one after the other, their signatures verified together. Made anew or used again.
struct BatchRun: ~Copyable {
    private struct Ticket {
        let place: Int
        let row: Int
        let outer: Header?
    }
    private let judge: BatchJudge
    private var recent = RecentHeaders()
    private var gathering = SignatureGathering()
    private var tickets: [Ticket] = []
    private var verdicts: [Verdict] = []

    init(_ judge: BatchJudge) { self.judge = judge }

    /// What became of one token, but for what its profile has to say.
    struct Verdict: Sendable {
        var result: Result<VerifiedToken, TokenError>
        var row: Int
    }

    private static let open = Verdict(result: .failure(.jose(.backend, layer: .signature)), row: 0)

    /// The next token; refused at once for all that can be seen before the signature.
    mutating func add(_ token: Span<UInt8>) {
        var row = 0
        let place = verdicts.count
        do throws(TokenError) {
            switch try judge.read(token, &recent, row: &row) {
            case .opened(let opened):
                verdicts.append(Self.open)
                conclude(opened, place, row)
            case .pending(let jws, let outer):
                verdicts.append(Self.open)
                tickets.append(Ticket(place: place, row: row, outer: outer))
                _ = gathering.add(jws)
                settle()
            }
        } catch {
            verdicts.append(Verdict(result: .failure(error), row: row))
        }
    }

    /// Of all tokens since the last time, in their order.
    mutating func end() -> [Verdict] {
        gathering.finish()
        settle()
        gathering.reset()
        tickets.removeAll(keepingCapacity: true)
        var ended: [Verdict] = []
        swap(&ended, &verdicts)
        return ended
    }

    private mutating func settle() {
        while let next = gathering.next() {
            let ticket = tickets[next.ticket]
            do throws(TokenError) {
                let opened = try judge.settled(next.jws, holds: next.holds, within: ticket.outer, row: ticket.row)
                conclude(opened, ticket.place, ticket.row)
            } catch {
                verdicts[ticket.place] = Verdict(result: .failure(error), row: ticket.row)
            }
        }
    }

    private mutating func conclude(_ opened: VerifiedToken, _ place: Int, _ row: Int) {
        do throws(TokenError) {
            try judge.check(opened, row: row)
            verdicts[place] = Verdict(result: .success(opened), row: row)
        } catch {
            verdicts[place] = Verdict(result: .failure(error), row: row)
        }
    }
}

extension BatchJudge {
    /// In the order of the tokens, of all batches.
    func admitted(_ verdict: BatchRun.Verdict) -> Result<VerifiedToken, TokenError> {
        guard admits, case .success(let token) = verdict.result else { return verdict.result }
        do throws(TokenError) {
            try admit(token, row: verdict.row)
            return verdict.result
        } catch {
            return .failure(error)
        }
    }
}
