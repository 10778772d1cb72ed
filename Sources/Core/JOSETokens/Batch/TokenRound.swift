internal import JOSE

/// Tokens of a batch that wait for each other, in their order. There is no array of values that are not copied.
@safe struct TokenRound: ~Copyable {
    private let base: UnsafeMutablePointer<TokenProcess>
    private let capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        unsafe base = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    deinit {
        unsafe base.deinitialize(count: count)
        unsafe base.deallocate()
    }

    var isFull: Bool { count == capacity }

    mutating func append(_ process: consuming TokenProcess) {
        precondition(!isFull, "A round ends when it is full.")
        unsafe (base + count).initialize(to: process)
        count += 1
    }

    mutating func removeAll() {
        unsafe base.deinitialize(count: count)
        count = 0
    }

    /// Goes on with a token after the attempt to decrypt its content encryption key. Returns its signature, if that
    /// waits then.
    mutating func resume(
        _ index: Int, _ job: DecryptionJob, _ outcome: UnwrappingOutcome, by evaluator: BatchEvaluator
    ) -> SignatureJob? {
        precondition(index >= 0 && index < count)
        do throws(TokenError) {
            if let token = unsafe try evaluator.verifier.resume(job, outcome, &base[index]) {
                unsafe base[index].result = .success(token)
            }
        } catch {
            unsafe base[index].result = .failure(error)
        }
        return unsafe base[index].signature.take()
    }

    /// Finishes a token whose signature was verified.
    mutating func finish(_ index: Int, _ job: inout SignatureJob, by evaluator: BatchEvaluator) {
        precondition(index >= 0 && index < count)
        do throws(TokenError) {
            let token = unsafe try evaluator.verifier.finish(&job, &base[index])
            unsafe base[index].result = .success(token)
        } catch {
            unsafe base[index].result = .failure(error)
        }
    }

    /// Takes the outcome of a token for which nothing waits.
    mutating func takeResult(_ index: Int) -> (Result<VerifiedToken, TokenError>, TokenOrigin) {
        precondition(index >= 0 && index < count)
        guard let result = unsafe base[index].result.take() else {
            preconditionFailure("A round ends when every token of it is finished.")
        }
        let origin = unsafe base[index].origin
        return (result, origin)
    }
}
