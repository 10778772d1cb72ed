internal import Foundation
internal import Synchronization

/// `Tests/Programs/Servers/fault_server.py`, started for the tests and ended by the end of its input. Its own comment
/// describes its faults.
package final class FaultServer: Sendable {
    package enum Kind: String, Sendable {
        case https, http, expired, wrongName, untrusted, clientRequired, tls11, tls12, silent, refused, blackHole
    }

    package struct Complaint: Error, CustomStringConvertible {
        package let description: String
    }

    /// The addresses and files of the server: PEM files, which exist as long as it does, and two ports.
    package struct Place: Decodable, Sendable {
        package let ca, strangerCA, certificate, certificateKey: String
        package let client, clientKey, clientOfStranger, clientOfStrangerKey: String
        package let https, http: Int
    }

    package struct Traffic: Decodable, Sendable {
        /// Connections accepted so far, those still there, and those whose handshake failed on this side.
        package let connections, open, handshakesFailed: Int
    }

    package let place: Place
    private let process: Tethered

    /// The server of the whole run of tests, each of which uses paths and ports of its own.
    package static let shared = Result { try FaultServer() }

    package init() throws {
        let script = Repository.root.appending(path: "Tests/Programs/Servers/fault_server.py")
        process = try Tethered("/usr/bin/env", ["python3", script.path])
        place = try JSONDecoder().decode(Place.self, from: Data(process.line().utf8))
    }

    /// Opens a port of a kind, and returns it. An existing port changes its kind, and its connections are cut.
    @discardableResult package func listen(_ kind: Kind, port: Int = 0, host: String = "127.0.0.1") throws -> Int {
        struct Port: Decodable { let port: Int }
        return try ask(Command(do: "listen", port: port, kind: kind.rawValue, host: host), Port.self).port
    }

    /// Sets the answers for `path`: the nth request gets the nth answer, and later ones get the last.
    package func answer(_ path: String, _ answers: Answer...) throws { try answer(path, answers) }

    package func answer(_ path: String, _ answers: [Answer]) throws {
        _ = try ask(Command(do: "set", path: path, answers: answers), Nothing.self)
    }

    /// Returns the requests for `path` so far, on all ports.
    package func seen(_ path: String) throws -> Seen { try ask(Command(do: "seen", path: path), Seen.self) }

    package func traffic(port: Int) throws -> Traffic { try ask(Command(do: "traffic", port: port), Traffic.self) }

    /// Cuts the connections of a port.
    package func drop(port: Int) throws { _ = try ask(Command(do: "drop", port: port), Nothing.self) }

    package func url(_ path: String, port: Int? = nil) -> String { "https://localhost:\(port ?? place.https)\(path)" }

    private struct Nothing: Decodable {}

    private struct Failure: Decodable { let error: String? }

    private struct Command: Encodable {
        let `do`: String
        var path: String?
        var port: Int?
        var kind: String?
        var host: String?
        var answers: [Answer]?
    }

    private func ask<Reply: Decodable>(_ command: Command, _: Reply.Type) throws -> Reply {
        let line = String(decoding: try JSONEncoder().encode(command), as: UTF8.self)
        let reply = Data(try process.ask(line).utf8)
        if let error = try JSONDecoder().decode(Failure.self, from: reply).error { throw Complaint(description: error) }
        return try JSONDecoder().decode(Reply.self, from: reply)
    }
}

extension FaultServer {
    /// An answer, or the fault in its place.
    package struct Answer: Encodable, Sendable {
        package var status: Int
        package var headers: [[String]]
        package var body: String
        package var base64: String?
        /// The number of blanks after the body.
        package var fill: Int?
        package var gzip, chunked, unsized, hangUp, hangUpOnReuse: Bool?
        /// Milliseconds before the first byte, and after each.
        package var delay, dripHeaders, dripBody: Int?
        /// The number of bytes of the whole message that are sent.
        package var cut: Int?
        package var end: End?

        package enum End: String, Encodable, Sendable { case keep, close, quiet, abort }

        package init(
            _ body: String = "", status: Int = 200, headers: KeyValuePairs<String, String> = [:],
            _ change: (inout Answer) -> Void = { _ in }
        ) {
            self.body = body
            self.status = status
            self.headers = headers.map { [$0.key, $0.value] }
            change(&self)
        }

        package static func redirect(to place: String, status: Int = 302) -> Answer {
            Answer(status: status, headers: ["Location": place])
        }
    }

    package struct Seen: Decodable, Sendable {
        package let requests: Int
        /// The number of bytes written in answers, headers included.
        package let bytes: Int
        /// The latest hundred requests.
        package let list: [Request]

        package struct Request: Decodable, Sendable {
            package let method: String
            package let headers: [[String]]
            /// The port, and the number of its connection.
            package let port, connection: Int
            /// The time in seconds of a monotonic clock.
            package let at: Double
            /// `TLSv1.3`, or an empty text.
            package let tls: String
            /// The common name of the client's certificate, or an empty text.
            package let peer: String

            package func header(_ name: String) -> String? {
                headers.first { $0[0].lowercased() == name.lowercased() }?[1]
            }
        }
    }
}
