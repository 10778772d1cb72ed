import JOSE
import TestSupport

@testable import JOSETokens

/// A way to verify tokens: a driver of the process.
enum MatrixDriver: CaseIterable, Sendable {
    case span, bytes, string, substring
    case waiting, waitingString, waitingSubstring
    case batch, batchOfStrings, batchOfRanges
    case batchOnThreads, batchOfStringsOnThreads, batchOfSubstringsOnThreads, batchWaiting
    case sequence, sequenceWaiting
    /// Calls of the concurrent verifier that go alone, and calls that go through its groups.
    case coalescingAlone, coalescingAloneWaiting
    case coalescing, coalescingTogether, coalescingWaiting, coalescingWaitingTogether
    case layers, layersWaiting
    case explain, explainWaiting

    /// The things that a call waits for.
    enum Patience { case nothing, externalKeysAndStores, everything }

    var patience: Patience {
        switch self {
        case .span, .bytes, .string, .substring, .batch, .batchOfStrings, .batchOfRanges, .coalescing,
            .coalescingAlone, .coalescingTogether, .layers, .explain:
            .nothing
        case .batchOnThreads, .batchOfStringsOnThreads, .batchOfSubstringsOnThreads, .sequence: .externalKeysAndStores
        case .waiting, .waitingString, .waitingSubstring, .batchWaiting, .sequenceWaiting, .coalescingAloneWaiting,
            .coalescingWaiting, .coalescingWaitingTogether, .layersWaiting, .explainWaiting:
            .everything
        }
    }

    /// Whether the way calls another one, or differs from it only in the type of the text.
    var isVariant: Bool {
        switch self {
        case .span, .string, .substring, .waitingString, .waitingSubstring, .batchOfStrings, .batchOfRanges,
            .batchOfStringsOnThreads, .batchOfSubstringsOnThreads, .coalescingAlone, .coalescingAloneWaiting:
            true
        default: false
        }
    }

    var explains: Bool { self == .explain || self == .explainWaiting }
    var readsLayersAlone: Bool { self == .layers || self == .layersWaiting }
    /// Whether calls end in any order.
    var isConcurrent: Bool { self == .coalescingTogether || self == .coalescingWaitingTogether }

    /// Whether the way can be used with a setting.
    func applies(to setting: MatrixSetting, _ form: MatrixForm) -> Bool {
        if isVariant { return [.plain, .observer, .together].contains(setting) }
        guard readsLayersAlone else { return true }
        // Layers are verified with keys alone: there is nothing else to configure.
        let isOfKeys = [.plain, .vectorizedKeys, .arrivingSignatureKeys, .arrivingDecryptionKeys].contains(setting)
        return isOfKeys && form != .certified
    }
}

extension MatrixDriver {
    /// Verifies the tokens in their order, or those of one wave after the other together.
    ///
    /// - Parameters:
    ///   - waves: The tokens. No token of a wave depends on another one of the same wave.
    ///   - party: The verifier of all calls. Where keys arrive, each call of one token has a new one, without keys.
    ///   - makers: The maker of verifiers.
    func outcomes(
        of waves: [[MatrixRow]], _ party: MatrixParty, _ makers: MatrixVerifiers
    ) async throws -> [MatrixOutcome] {
        let tokens = waves.joined().map(\.token)
        switch self {
        case .layers, .layersWaiting: return try await layers(tokens, makers)
        case .batch, .batchOfStrings, .batchOfRanges, .batchOnThreads, .batchOfStringsOnThreads,
            .batchOfSubstringsOnThreads, .batchWaiting, .sequence, .sequenceWaiting:
            return try await batch(tokens, party)
        case .coalescingTogether, .coalescingWaitingTogether:
            return try await together(waves.map { $0.map(\.token) }, party)
        default: break
        }
        var coalescing = coalescing(party)
        var verifier = party.verifier
        var outcomes: [MatrixOutcome] = []
        for token in tokens {
            if makers.setting.arrivesAt != nil {
                let party = try makers.party()
                (verifier, coalescing) = (party.verifier, self.coalescing(party))
            }
            outcomes.append(try await outcome(of: token, verifier, coalescing))
        }
        return outcomes
    }

    /// Returns a verifier that measures whether groups are faster, before which calls go alone, or one whose calls are
    /// grouped as soon as one is busy.
    private func coalescing(_ party: MatrixParty) -> CoalescingVerifier {
        if self == .coalescingAlone || self == .coalescingAloneWaiting { return CoalescingVerifier(party.verifier) }
        return CoalescingVerifier(party.verifier, isMeasured: false, processors: 1)
    }

    private func outcome(
        of token: String, _ verifier: TokenVerifier, _ coalescing: CoalescingVerifier
    ) async throws -> MatrixOutcome {
        let (bytes, limit) = (Array(token.utf8), Duration.ample)
        switch self {
        case .span: return MatrixOutcome { () throws(TokenError) in try verifier.verify(bytes.span) }
        case .bytes: return MatrixOutcome { () throws(TokenError) in try verifier.verify(bytes) }
        case .string: return MatrixOutcome { () throws(TokenError) in try verifier.verify(token) }
        case .substring: return MatrixOutcome { () throws(TokenError) in try verifier.verify(Self.part(token)) }
        case .waiting:
            return await .awaited { () throws(TokenError) in try await verifier.verify(bytes, timeout: limit) }
        case .waitingString:
            return await .awaited { () throws(TokenError) in try await verifier.verify(token, timeout: limit) }
        case .waitingSubstring:
            return await .awaited { () throws(TokenError) in
                try await verifier.verify(Self.part(token), timeout: limit)
            }
        case .coalescing, .coalescingAlone:
            return await .awaited { () throws(TokenError) in try await coalescing.verify(bytes) }
        case .coalescingWaiting, .coalescingAloneWaiting:
            return await .awaited { () throws(TokenError) in try await coalescing.verify(bytes, timeout: limit) }
        case .explain: return MatrixOutcome(verifier.explain(bytes))
        case .explainWaiting: return MatrixOutcome(try await verifier.explain(bytes, timeout: limit))
        default: preconditionFailure("no way for one token")
        }
    }

    /// Returns the token as a part of a longer text.
    private static func part(_ token: String) -> Substring { "Bearer \(token)\n".dropFirst(7).dropLast() }

    private func layers(_ tokens: [String], _ makers: MatrixVerifiers) async throws -> [MatrixOutcome] {
        var verifier = try makers.layers()
        var outcomes: [MatrixOutcome] = []
        for token in tokens {
            if makers.setting.arrivesAt != nil { verifier = try makers.layers() }
            let bytes = Array(token.utf8)
            let one = verifier
            if self == .layersWaiting {
                outcomes.append(
                    await .awaited { () throws(TokenError) in try await one.verify(bytes, timeout: .ample) })
            } else {
                outcomes.append(MatrixOutcome { () throws(TokenError) in try one.verify(bytes.span) })
            }
        }
        return outcomes
    }

    private func batch(_ tokens: [String], _ party: MatrixParty) async throws -> [MatrixOutcome] {
        let batch = BatchVerifier(party.verifier)
        let bytes = tokens.map { Array($0.utf8) }
        let results: [Result<VerifiedToken, TokenError>]
        switch self {
        case .batch: results = batch.verifySynchronously(bytes)
        case .batchOfStrings: results = batch.verifySynchronously(tokens)
        case .batchOfRanges:
            var (text, ranges): ([UInt8], [Range<Int>]) = ([], [])
            for token in bytes {
                ranges.append(text.count..<text.count + token.count)
                text += token + [0x0A]
            }
            results = batch.verifySynchronously(text.span, ranges)
        case .batchOnThreads: results = try await batch.verify(bytes)
        case .batchOfStringsOnThreads: results = try await batch.verify(tokens)
        case .batchOfSubstringsOnThreads: results = try await batch.verify(tokens.map(Self.part))
        case .batchWaiting: results = try await batch.verify(bytes, timeout: .ample)
        case .sequence: results = try await Self.all(batch.results(of: Listed(bytes)))
        case .sequenceWaiting: results = try await Self.all(batch.results(of: Listed(bytes), timeout: .ample))
        default: preconditionFailure("no way for many tokens")
        }
        return results.map { MatrixOutcome($0) }
    }

    private static func all(
        _ results: some AsyncSequence<Result<VerifiedToken, TokenError>, any Error>
    ) async throws -> [Result<VerifiedToken, TokenError>] {
        var all: [Result<VerifiedToken, TokenError>] = []
        for try await result in results { all.append(result) }
        return all
    }

    private func together(_ waves: [[String]], _ party: MatrixParty) async throws -> [MatrixOutcome] {
        let coalescing = coalescing(party)
        var outcomes: [MatrixOutcome] = []
        for wave in waves {
            let found = try await withThrowingTaskGroup(of: (Int, MatrixOutcome).self) { group in
                for (number, token) in wave.enumerated() {
                    group.addTask { (number, try await outcome(of: token, coalescing)) }
                }
                return try await group.reduce(into: [Int: MatrixOutcome]()) { $0[$1.0] = $1.1 }
            }
            outcomes += wave.indices.compactMap { found[$0] }
        }
        return outcomes
    }

    private func outcome(of token: String, _ coalescing: CoalescingVerifier) async throws -> MatrixOutcome {
        let bytes = Array(token.utf8)
        if self == .coalescingTogether {
            return await .awaited { () throws(TokenError) in try await coalescing.verify(bytes) }
        }
        return await .awaited { () throws(TokenError) in try await coalescing.verify(bytes, timeout: .ample) }
    }
}
