internal import JOSE
internal import JOSESupport

/// The results of some tokens in their order, before their profiles accept them.
struct BatchResult: Sendable {
    var tokens: [Result<VerifiedToken, TokenError>] = []
    /// The origin of each token; empty if neither a profile nor an observer needs them.
    var origins: [TokenOrigin] = []
}

/// The driver of some tokens on one thread: they are read one after the other, and their signatures are verified
/// together. Where the policy chooses it, their content encryption keys are decrypted together before. Up to
/// `BatchSizes.tokens` wait for each other in a round, among up to `BatchSizes.tokensInRound` that do not all wait.
struct BatchRun: ~Copyable {
    private let evaluator: BatchEvaluator
    /// The buffer into which each encrypted token is decrypted; it is zeroed on release.
    private var scratch = SecretBytes(capacity: 0)
    private var round: TokenRound
    private var gathering = SignatureGathering()
    /// The index in the round of each signature that was gathered.
    private var gathered: [Int] = []
    /// The tokens whose content encryption keys are decrypted together, with their indices in the round.
    private var encrypted: [(index: Int, job: DecryptionJob)] = []
    /// The bytes of these tokens, each of which is in memory until its content is decrypted.
    private var encryptedBytes = 0
    private var result = BatchResult()

    /// - Parameter count: The number of tokens that will be added.
    init(_ evaluator: BatchEvaluator, count: Int) {
        self.evaluator = evaluator
        round = TokenRound(capacity: evaluator.worksAlone ? 0 : max(1, min(count, BatchSizes.tokensInRound)))
        result.tokens.reserveCapacity(count)
        if evaluator.isObserved { result.origins.reserveCapacity(count) }
    }

    /// Reads the next token, which is rejected at once if it fails before the signature.
    mutating func add(_ token: Span<UInt8>) {
        guard !evaluator.worksAlone else { return verify(token) }
        var process = TokenProcess()
        do throws(TokenError) {
            if let verified = try evaluator.verifier.begin(token, &scratch, &process) {
                process.result = .success(verified)
            }
        } catch {
            process.result = .failure(error)
        }
        add(process)
    }

    private mutating func verify(_ token: Span<UInt8>) {
        var process = TokenProcess()
        do throws(TokenError) {
            result.tokens.append(.success(try evaluator.verifier.verifyLayersAndClaims(token, &process)))
        } catch {
            result.tokens.append(.failure(error))
        }
        if evaluator.isObserved { result.origins.append(process.origin) }
    }

    /// Adds a token that was read.
    mutating func add(_ process: consuming TokenProcess) {
        var process = process
        let index = round.count
        let signature = process.signature.take()
        if let decryption = process.decryption.take() {
            encrypted.append((index, decryption))
            encryptedBytes += decryption.token.count
        }
        round.append(process)
        if let signature { gather(signature, index) }
        if encryptedBytes >= BatchSizes.bytes { decryptTogether() }
        if round.isFull || gathered.count + encrypted.count >= BatchSizes.tokens { endRound() }
    }

    private mutating func gather(_ job: consuming SignatureJob, _ index: Int) {
        gathered.append(index)
        gathering.add(job)
        finishVerified()
    }

    /// Decrypts the content encryption keys that are waiting, and then the tokens.
    private mutating func decryptTogether() {
        guard !encrypted.isEmpty else { return }
        let tokens = encrypted
        encrypted = []
        encryptedBytes = 0
        var outcomes = KeyUnwrapping.run(tokens.compactMap { $0.job.unwrapping }).makeIterator()
        for (index, job) in tokens {
            let outcome = job.unwrapping == nil ? nil : outcomes.next()
            if let signature = round.resume(index, job, outcome ?? .notCovered, by: evaluator) {
                gather(signature, index)
            }
        }
    }

    private mutating func finishVerified() {
        while let ticket = gathering.next() {
            let index = gathered[ticket]
            round.finish(index, &gathering[ticket], by: evaluator)
        }
    }

    /// Finishes all tokens of the round, and appends their results in their order.
    private mutating func endRound() {
        decryptTogether()
        gathering.finish()
        finishVerified()
        gathering.reset()
        gathered.removeAll(keepingCapacity: true)
        for index in 0..<round.count {
            let (token, origin) = round.takeResult(index)
            result.tokens.append(token)
            if evaluator.isObserved { result.origins.append(origin) }
        }
        round.removeAll()
    }

    /// Returns the results of all tokens, in their order.
    consuming func end() -> BatchResult {
        endRound()
        return result
    }
}
