import JOSE
import JOSECrypto

/// Evaluates the cases of one kind of file with the library.
struct VectorEvaluator: Sendable {
    typealias Case = WycheproofFile.Case

    /// Whether JOSE has the parameters of the case: the hash, salt, label or nonce. A valid case with others must be rejected.
    var fits: @Sendable (Case) -> Bool = { _ in true }
    /// Throws if the library rejects the case or returns another value than it has.
    let run: @Sendable (Case) throws -> Void

    enum Refused: Error { case otherValue, unreadable }

    struct Difference: Equatable, CustomStringConvertible {
        let id: Int
        let accepted: Bool
        let comment: String

        var description: String { "\(id) was \(accepted ? "accepted" : "refused"): \(comment)" }
    }

    /// Returns the cases for which the library's result is not the expected one.
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

/// Returns a hexadecimal value of the case.
func needed(_ bytes: [UInt8]?) throws -> [UInt8] {
    guard let bytes else { throw VectorEvaluator.Refused.unreadable }
    return bytes
}

func expect(_ value: [UInt8], _ wanted: [UInt8]?) throws {
    guard value == wanted else { throw VectorEvaluator.Refused.otherValue }
}
