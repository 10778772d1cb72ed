internal import JOSE
internal import JOSEBytes

/// The results of some tokens in their order, before their profiles admit them.
struct BatchResult: Sendable {
    var tokens: [Result<VerifiedToken, TokenError>] = []
    /// The facts of each token; empty if neither a profile nor an observer needs them.
    var facts: [TokenFacts] = []
}

/// Some tokens on one thread: they are read one after the other, and their signatures are verified together. Where the policy
/// chooses it, their content encryption keys are decrypted together before.
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
    /// The tokens whose content encryption keys are decrypted together.
    private var sealed: [(place: Int, token: SealedToken, facts: TokenFacts)] = []
    /// The bytes of these tokens, each of which is in memory until its content is decrypted.
    private var sealedBytes = 0
    private static var mostSealedBytes: Int { 4 << 20 }
    private var result = BatchResult()

    init(_ evaluator: BatchEvaluator, count: Int) {
        self.evaluator = evaluator
        result.tokens.reserveCapacity(count)
        if evaluator.isObserved { result.facts.reserveCapacity(count) }
    }

    /// Reads the next token, which is rejected at once if it fails before the signature.
    mutating func add(_ token: Span<UInt8>) {
        guard !evaluator.worksAlone else { return verify(token) }
        var facts = TokenFacts()
        do throws(TokenError) {
            switch try evaluator.begin(token, &scratch, &facts) {
            case .read(.opened(let opened)): result.tokens.append(.success(consume opened))
            case .read(.pending(let jws, let rest)):
                // This result is replaced once the signature is verified; until then it contains nothing of the token.
                result.tokens.append(.failure(.jose(.backend, layer: .signature)))
                gather(jws, rest, result.tokens.count - 1)
            case .sealed(let token): place(token, facts)
            }
        } catch {
            result.tokens.append(.failure(error))
        }
        if evaluator.isObserved { result.facts.append(facts) }
        if sealed.count == KeyUnwrapping.most || sealedBytes >= Self.mostSealedBytes { unseal() }
        if tickets.count >= BatchVerifier.chunk { flush() }
    }

    private mutating func verify(_ token: Span<UInt8>) {
        var facts = TokenFacts()
        do throws(TokenError) {
            result.tokens.append(.success(try evaluator.opened(token, &facts)))
        } catch {
            result.tokens.append(.failure(error))
        }
        if evaluator.isObserved { result.facts.append(facts) }
    }

    /// Adds a token that was read up to the decryption of its content encryption key.
    mutating func add(_ token: SealedToken, _ facts: TokenFacts) {
        place(token, facts)
        if evaluator.isObserved { result.facts.append(facts) }
    }

    private mutating func place(_ token: SealedToken, _ facts: TokenFacts) {
        sealed.append((result.tokens.count, token, facts))
        sealedBytes += token.jwe.token.count
        result.tokens.append(.failure(.jose(.backend, layer: .encryption)))
    }

    private mutating func gather(_ jws: consuming SignatureJob, _ rest: UnfinishedToken, _ place: Int) {
        tickets.append(Ticket(place: place, rest: rest))
        gathering.add(jws)
        finishPending()
    }

    /// Decrypts the content encryption keys that are waiting, and then the tokens.
    private mutating func unseal() {
        guard !sealed.isEmpty else { return }
        let tokens = sealed
        sealed = []
        sealedBytes = 0
        var outcomes = KeyUnwrapping.run(tokens.compactMap(\.token.jwe.unwrapping)).makeIterator()
        for (place, token, facts) in tokens {
            let outcome = token.jwe.unwrapping == nil ? nil : outcomes.next()
            defer { token.jwe.wipe() }
            do throws(TokenError) {
                switch try evaluator.resume(token, outcome ?? .notCovered, facts) {
                case .opened(let opened): result.tokens[place] = .success(opened)
                case .pending(let jws, let rest): gather(jws, rest, place)
                }
            } catch {
                result.tokens[place] = .failure(error)
            }
        }
    }

    /// Returns the results of all tokens, in their order.
    consuming func end() -> BatchResult {
        unseal()
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
        while let number = gathering.next() {
            let ticket = tickets[number]
            do throws(TokenError) {
                let token = try evaluator.finish(&gathering[number], ticket.rest)
                result.tokens[ticket.place] = .success(consume token)
            } catch {
                result.tokens[ticket.place] = .failure(error)
            }
        }
    }
}
