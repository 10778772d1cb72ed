import JOSE
import JOSETokens
import Testing

/// A batch's answers, in each of its ways, are those of one by one; `valid` of them are good ones.
func expectSame(
    _ tokens: [[UInt8]], _ batch: BatchVerifier, _ one: ([UInt8]) throws(TokenError) -> VerifiedToken,
    _ comment: Comment, valid: Int
) async throws {
    let alone = tokens.map { token in Seen { () throws(TokenError) in try one(token) } }
    #expect(alone.count { $0.error == nil } == valid, comment)
    let here = batch.verifySynchronously(tokens).map(Seen.init)
    let spread = try await batch.verify(tokens).map(Seen.init)
    var streamed: [Seen] = []
    for try await result in batch.results(of: Listed(tokens)) { streamed.append(Seen(result)) }
    for (name, answers) in [("in place", here), ("on all cores", spread), ("of a sequence", streamed)] {
        #expect(answers.count == alone.count, comment)
        for (place, (left, right)) in zip(alone, answers).enumerated() {
            let isSame = left == right
            #expect(isSame, "\(comment), \(name), token \(place): \(String(describing: left.error))")
        }
    }
}

/// The comparable part of a result.
struct Seen: Equatable {
    let error: TokenError?
    var payload: [UInt8] = []
    var header: [UInt8] = []
    var outer: [UInt8]?
    var algorithm: SignatureAlgorithm?
    var key: JWK?
    var keyID: String?

    init(_ result: Result<VerifiedToken, TokenError>) {
        switch result {
        case .failure(let failure): error = failure
        case .success(let token):
            error = nil
            payload = token.claims.payload
            header = token.header.bytes
            outer = token.encryptionHeader?.bytes
            algorithm = token.algorithm
            key = token.key
            keyID = token.key?.keyID
        }
    }

    init(_ verify: () throws(TokenError) -> VerifiedToken) {
        do throws(TokenError) { self.init(.success(try verify())) } catch { self.init(.failure(error)) }
    }
}

/// An array as a sequence that others wait for.
struct Listed: AsyncSequence, Sendable {
    let tokens: [[UInt8]]
    init(_ tokens: [[UInt8]]) { self.tokens = tokens }
    func makeAsyncIterator() -> Iterator { Iterator(tokens: tokens[...]) }
    struct Iterator: AsyncIteratorProtocol {
        var tokens: ArraySlice<[UInt8]>
        mutating func next() async -> [UInt8]? { tokens.popFirst() }
    }
}
