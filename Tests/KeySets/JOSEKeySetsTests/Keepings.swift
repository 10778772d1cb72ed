import JOSEKeySets
import Synchronization

/// A recorder of the changes that a source reports for saving, one word for each.
final class Keepings: Sendable {
    private let heard = Mutex<[String]>([])
    var words: [String] { heard.withLock { $0 } }

    var note: @Sendable (DocumentKeeping) -> Void {
        { keeping in
            let word =
                switch keeping {
                case .taken: "taken"
                case .confirmed: "confirmed"
                case .dropped: "dropped"
                }
            self.heard.withLock { $0.append(word) }
        }
    }
}

/// A counter for each noted word.
final class Tally: Sendable {
    private let noted = Mutex<[String: Int]>([:])
    var counts: [String: Int] { noted.withLock { $0 } }

    func note(_ word: String) { noted.withLock { $0[word, default: 0] += 1 } }
}
