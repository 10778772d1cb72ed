import JOSE
import JOSETokens
import TestSupport
import Testing

@Suite("Every configuration gives the same results in every way to verify", .serialized) struct CompositionTests {
    private static let fixture = Result { try CompositionFixture() }

    @Test(
        "a batch, a sequence and concurrent requests honour every part of a verifier's configuration",
        arguments: CompositionFixture.Configuration.all)
    func sameResults(_ configuration: CompositionFixture.Configuration) async throws {
        let fixture = try Self.fixture.get()
        let tokens = try fixture.tokens(configuration)
        let wanted = tokens.map(\.isValid)
        // The list is verified twice, because caches and replay stores remember the first time.
        let bytes = (tokens + tokens).map(\.bytes)
        let plain = try await answers(fixture.verifier(configuration), bytes)
        let firstTime = plain.prefix(tokens.count).map { $0.error == nil }
        #expect(
            firstTime == wanted,
            "\(configuration): \(zip(tokens, plain).map { "\($0.name): \($1.error?.code ?? "valid")" })")
        let secondTime = plain.suffix(tokens.count).map { $0.error == nil }
        #expect(secondTime == (configuration.replay == .none ? wanted : wanted.map { _ in false }))

        for way in CompositionFixture.Way.allCases {
            let verifier = try fixture.verifier(configuration)
            let answers = try await way.answers(verifier, bytes)
            let expected: [Seen?] = way.waits ? plain : plain.map { configuration.needsWait ? nil : $0 }
            try #require(answers.count == expected.count, "\(configuration), \(way)")
            for (place, (answer, wanted)) in zip(answers, expected).enumerated() {
                let name = tokens[place % tokens.count].name
                guard let wanted else {
                    // A call that does not wait accepts nothing here, and says so of a valid token.
                    #expect(answer.error != nil, "\(configuration), \(way), \(name)")
                    if plain[place].error == nil { #expect(answer.error == .awaitRequired, "\(configuration), \(way)") }
                    continue
                }
                #expect(
                    answer == wanted,
                    "\(configuration), \(way), \(name): \(answer.error?.code ?? "valid"), not \(wanted.error?.code ?? "valid")"
                )
            }
        }
    }

    private func answers(_ verifier: TokenVerifier, _ tokens: [[UInt8]]) async throws -> [Seen] {
        var answers: [Seen] = []
        for token in tokens {
            answers.append(try await Seen.awaited { try await verifier.verify(token, timeout: .ample) })
        }
        return answers
    }
}

extension Seen {
    /// The outcome of a call that waits.
    static func awaited(_ verify: () async throws -> VerifiedToken) async throws -> Seen {
        do { return Seen(.success(try await verify())) } catch let error as TokenError { return Seen(.failure(error)) }
    }
}
