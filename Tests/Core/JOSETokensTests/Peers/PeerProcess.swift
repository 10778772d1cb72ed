import Foundation
import Synchronization
import TestSupport
import Testing

/// An implementation in another language: one process for the whole run, spoken to in lines of JSON.
final class Peer: Sendable, CustomTestStringConvertible {
    static let jwcrypto = Peer("jwcrypto")
    static let joserfc = Peer("joserfc")
    static let jose = Peer("jose", command: "jose")

    let name: String
    var testDescription: String { name }
    /// The missing program or library, without which the tests of this peer are skipped; nil if nothing is missing.
    let missing: String?
    let keys = Mutex<[PeerKeyKind: String]>([:])
    private let supported = Mutex<PeerSupport?>(nil)
    private let connection = Mutex<Connection?>(nil)
    /// The waiting is done here: the threads that run the tests are as few as the cores.
    private let queue: DispatchQueue

    private init(_ name: String, command: String? = nil) {
        self.name = name
        queue = DispatchQueue(label: name)
        if !Peers.areHere {
            missing = "SKIPPED: Python or its packages are missing; `make test` installs them"
        } else if let command, !Self.isOnPath(command) {
            missing = "SKIPPED: the command `\(command)` is missing; `make test` installs it"
        } else {
            missing = nil
        }
    }

    private static func isOnPath(_ command: String) -> Bool {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return path.split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(command)")
        }
    }

    var why: Comment { Comment(rawValue: missing ?? "") }

    /// Returns what the peer supports, which is requested once.
    func support() async throws -> PeerSupport {
        if let known = supported.withLock({ $0 }) { return known }
        let support = try await PeerSupport(self)
        supported.withLock { $0 = support }
        return support
    }

    func ask(_ question: Question) async throws -> Answer {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try self.askNow(question) }) }
        }
    }

    private func askNow(_ question: Question) throws -> Answer {
        try connection.withLock { connection in
            if connection == nil { connection = try Connection(peer: name) }
            let answer = try connection!.exchange(question)  // set in the line above
            if let fault = answer.error { throw Refusal(peer: name, operation: question.op, text: fault) }
            return answer
        }
    }

    /// The peer's own "no".
    struct Refusal: Error {
        let peer: String, operation: String, text: String
    }

    struct Question: Encodable, Sendable {
        var op: String
        var key: String?, kind: String?, passphrase: String?, pem: String?
        var `private`: Bool?
        /// JSON text, as each header is.
        var header: String?, unprotected: String?
        var entries: [Entry]?
        var algs: [String]?, keys: [String]?
        var flattened: Bool?, detached: Bool?
        var aad: String?
        var alg: String?, enc: String?
        var payload: String?, token: String?
        var iss: String?, aud: String?
    }

    /// A signature or a recipient.
    struct Entry: Encodable, Sendable {
        var protected: String?
        var header: String, key: String
    }

    struct Answer: Decodable, Sendable {
        var error: String?
        var key: String?, pem: String?, thumbprint: String?
        var token: String?, payload: String?, claims: String?
        var algs: [String]?, encs: [String]?, features: [String]?
    }
}

private final class Connection {
    private let process = Process()
    private let input = Pipe(), output = Pipe()
    private var read = Data()

    init(peer: String) throws {
        process.executableURL = URL(filePath: Peers.python)
        process.arguments = [Peers.script("peer.py"), peer]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    func exchange(_ question: Peer.Question) throws -> Peer.Answer {
        let line = try JSONEncoder().encode(question) + Data("\n".utf8)
        try input.fileHandleForWriting.write(contentsOf: line)
        while true {
            if let end = read.firstIndex(of: UInt8(ascii: "\n")) {
                let answer = Data(read[..<end])
                read = Data(read[read.index(after: end)...])
                return try JSONDecoder().decode(Peer.Answer.self, from: answer)
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Gone() }
            read += more
        }
    }

    /// The process ended; its last words are on standard error.
    struct Gone: Error {}
}
