public import JOSE
internal import JOSESupport

/// Issues many tokens at once, with the tokens and the errors that a `TokenIssuer` gives one by one, in the order of
/// the claims.
///
/// RSA signatures are computed four at a time if `privateKeyOperations` is `vectorized` and available. Otherwise, and
/// for all other algorithms, each signature is computed by OpenSSL or libsodium. An issuer is created once, is
/// immutable and can be shared between tasks.
public struct BatchIssuer: Sendable {
    package let issuer: TokenIssuer
    let kernels: SigningKernels?
    let workers: Int

    enum Content: Sendable {
        case claims(ClaimsBuilder)
        case json([UInt8])
    }

    /// Creates an issuer that issues as another one does.
    ///
    /// - Parameters:
    ///   - issuer: The issuer of single tokens, with everything that it was created with. Its keys may rotate. If its
    ///     key is outside the process, every result is `awaitRequired`, from the asynchronous methods as well, because a
    ///     batch calls no such key: issue these tokens with `TokenIssuer.issue(_:options:timeout:)`.
    ///   - operations: The code that computes RSA signatures. `vectorized` covers RS256 to RS512 and PS256 to PS512
    ///     with keys of 2048, 3072 and 4096 bits that are in the memory of this process; libcrypto computes all others,
    ///     and that of a token that is alone. Without AVX-512 IFMA it has no effect.
    ///   - workers: The maximum number of threads for the asynchronous methods; nil for one per processor core.
    public init(
        _ issuer: TokenIssuer, privateKeyOperations operations: PrivateKeyOperations = .libcrypto, workers: Int? = nil
    ) {
        self.issuer = issuer
        kernels = operations == .vectorized ? SigningKernels() : nil
        self.workers = max(1, min(workers ?? WorkerThreads.shared.count, WorkerThreads.shared.count))
    }

    /// Issues tokens on the current thread, which is busy meanwhile.
    ///
    /// - Parameters:
    ///   - claims: The claims of each token. Absent ones are added as by `TokenIssuer.issue(_:options:)`.
    ///   - options: What differs for these tokens, such as header parameters or an `nbf` in the future.
    /// - Returns: The compact serialization of each token, or its error, in the order of the claims.
    public func issueSynchronously(
        _ claims: [ClaimsBuilder], options: TokenOptions = TokenOptions()
    ) -> [Result<String, TokenError>] {
        issueInChunks(claims.map(Content.claims), options)
    }

    /// Issues tokens with the members of JSON objects as claims, which are kept byte for byte, on the current thread,
    /// as the method that takes claims does. The texts are in UTF-8, one for each token. Absent claims are added.
    public func issueSynchronously(
        json: [[UInt8]], options: TokenOptions = TokenOptions()
    ) -> [Result<String, TokenError>] {
        issueInChunks(json.map(Content.json), options)
    }

    /// Issues tokens on the worker threads.
    ///
    /// - Parameters:
    ///   - claims: The claims of each token. Absent ones are added as by `TokenIssuer.issue(_:options:)`.
    ///   - options: What differs for these tokens, such as header parameters or an `nbf` in the future.
    /// - Returns: The compact serialization of each token, or its error, in the order of the claims.
    /// - Throws: `CancellationError` if the task is cancelled. At most 128 tokens per thread are completed first.
    public func issue(
        _ claims: [ClaimsBuilder], options: TokenOptions = TokenOptions()
    ) async throws(CancellationError) -> [Result<String, TokenError>] {
        try await issueInParallel(claims.map(Content.claims), options)
    }

    /// Issues tokens with the members of JSON objects as claims, which are kept byte for byte, on the worker threads,
    /// as the method that takes claims does. The texts are in UTF-8, one for each token. Absent claims are added.
    public func issue(
        json: [[UInt8]], options: TokenOptions = TokenOptions()
    ) async throws(CancellationError) -> [Result<String, TokenError>] {
        try await issueInParallel(json.map(Content.json), options)
    }

    /// Issues the tokens of a sequence of any length in bounded memory, on the worker threads. The sequence is read at
    /// the pace at which the tokens are read.
    ///
    /// - Parameters:
    ///   - claims: The claims of each token. Absent ones are added as by `TokenIssuer.issue(_:options:)`.
    ///   - options: What differs for these tokens, such as header parameters or an `nbf` in the future.
    /// - Returns: The tokens, in the order of the claims.
    public func results<Claims: AsyncSequence & Sendable>(
        of claims: Claims, options: TokenOptions = TokenOptions()
    ) -> some AsyncSequence<Result<String, TokenError>, any Error> & Sendable
    where Claims.Element == ClaimsBuilder {
        BatchResults(IssuingWork(issuer: self, options: options), workers: workers, claims) { .claims($0) }
    }

    /// Issues the tokens of a sequence of JSON objects, whose members become claims and are kept byte for byte, as the
    /// method that takes claims does. The texts are in UTF-8, one for each token. Absent claims are added.
    public func results<Claims: AsyncSequence & Sendable>(
        ofJSON json: Claims, options: TokenOptions = TokenOptions()
    ) -> some AsyncSequence<Result<String, TokenError>, any Error> & Sendable
    where Claims.Element == [UInt8] {
        BatchResults(IssuingWork(issuer: self, options: options), workers: workers, json) { .json($0) }
    }

    private func issueInChunks(_ contents: [Content], _ options: TokenOptions) -> [Result<String, TokenError>] {
        var results: [Result<String, TokenError>] = []
        results.reserveCapacity(contents.count)
        for start in stride(from: 0, to: contents.count, by: BatchSizes.tokens) {
            results += issue(contents[start..<min(start + BatchSizes.tokens, contents.count)], options)
        }
        return results
    }

    private func issueInParallel(
        _ contents: [Content], _ options: TokenOptions
    ) async throws(CancellationError) -> [Result<String, TokenError>] {
        let array = ParallelArray(
            count: contents.count, workers: workers, width: BatchSizes.privateOperations
        ) { [self] in issue(contents[$0], options) }
        return try await array.run().flatMap { $0 }
    }

    /// Issues tokens whose signatures are computed together.
    func issue(_ contents: ArraySlice<Content>, _ options: TokenOptions) -> [Result<String, TokenError>] {
        var signing = SigningBatch(kernels)
        // The plan of each token that awaits its signature, or the result without one.
        var steps: [Result<(plan: IssuingPlan, unsigned: [UInt8]?), TokenError>] = []
        for content in contents {
            do throws(TokenError) {
                let (plan, signer) = try issuer.ready(options)
                let payload =
                    switch content {
                    case .claims(let claims): try plan.payload(claims)
                    case .json(let json): try plan.payload(json)
                    }
                if let signer { signing.add(payload.span, signer) }
                steps.append(.success((plan, signer == nil ? payload : nil)))
            } catch {
                steps.append(.failure(error))
            }
        }
        var signed = signing.end().makeIterator()
        return steps.map { step in
            Result { () throws(TokenError) in
                let (plan, unsigned) = try step.get()
                let token =
                    if let unsigned {
                        unsigned
                    } else {
                        try inLayer(.signature, (signed.next() ?? .failure(.backend)).get())
                    }
                return String(decoding: try plan.token(token), as: UTF8.self)
            }
        }
    }
}
