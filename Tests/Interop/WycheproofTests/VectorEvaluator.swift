import JOSE
import JOSECrypto

/// What the library says to one case of a kind of file.
struct VectorEvaluator: Sendable {
    typealias Case = WycheproofFile.Case

    /// Whether JOSE has the parameters of the case: the hash, salt, label or nonce. What is valid with others is refused here.
    var fits: @Sendable (Case) -> Bool = { _ in true }
    /// Throws where the library refuses, or gives another value than the case has.
    let run: @Sendable (Case) throws -> Void

    enum Refused: Error { case otherValue, unreadable }

    struct Difference: Equatable, CustomStringConvertible {
        let id: Int
        let accepted: Bool
        let comment: String

        var description: String { "\(id) was \(accepted ? "accepted" : "refused"): \(comment)" }
    }

    /// The cases where the library does not do as it is told.
    func differences(_ file: WycheproofFile) -> [Difference] {
        file.cases.compactMap { test in
            let accepted = (try? run(test)) != nil
            guard accepted != mustAccept(test) else { return nil }
            return Difference(id: test.id, accepted: accepted, comment: test.comment)
        }
    }

    private func mustAccept(_ test: Case) -> Bool {
        guard fits(test) else { return false }
        return switch test.result {
        case .valid: true
        case .invalid: false
        case .acceptable: test.flags.isDisjoint(with: Policy.refusedFlags)
        }
    }
}

/// A value that the case has in hexadecimal.
func needed(_ bytes: [UInt8]?) throws -> [UInt8] {
    guard let bytes else { throw VectorEvaluator.Refused.unreadable }
    return bytes
}

func expect(_ value: [UInt8], _ wanted: [UInt8]?) throws {
    guard value == wanted else { throw VectorEvaluator.Refused.otherValue }
}
