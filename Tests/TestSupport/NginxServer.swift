internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#endif

/// nginx as this user on loopback, over TLS with the fault server's certificate, with a generated configuration: an independent
/// server.
package final class NginxServer: Sendable {
    package struct Logged: Sendable, Equatable {
        package let path: String
        package let status: Int
        /// `HTTP/2.0`
        package let version: String
        package let ifNoneMatch: String
        package let connection: Int
    }

    package let port: Int
    /// The file of the authority that signed the server's certificate.
    package let ca: String
    private let folder: TemporaryFolder
    private let process: Tethered

    package static let tool = ["/usr/sbin/nginx", "/opt/homebrew/bin/nginx", "/usr/local/bin/nginx", "/usr/bin/nginx"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - cacheControl: The `Cache-Control` of every answer.
    ///   - requestsPerConnection: The number of requests after which a connection is closed; with a GOAWAY under HTTP/2.
    package init(
        cacheControl: String = "max-age=300", requestsPerConnection: Int = 1000, isHTTP2: Bool = true
    ) throws {
        let faults = try FaultServer.shared.get()
        guard let tool = Self.tool else { throw FaultServer.Complaint(description: "nginx is not here") }
        // Held by the fault server, which does not listen there: nobody else gets it in between.
        port = try faults.listen(.refused)
        ca = faults.place.ca
        folder = try TemporaryFolder()
        let place = folder.url.path
        try FileManager.default.createDirectory(atPath: place + "/www", withIntermediateDirectories: true)
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(place)/\($0);" }
        let text = """
            \(getuid() == 0 ? "user root;" : "")
            daemon off;
            worker_processes 1;
            pid \(place)/nginx.pid;
            error_log \(place)/error.log info;
            events { worker_connections 256; }
            http {
                \(temporary.joined(separator: " "))
                log_format plain '$uri $status $server_protocol $connection "$http_if_none_match"';
                access_log \(place)/access.log plain;
                etag on;
                keepalive_requests \(requestsPerConnection);
                types { application/jwk-set+json json; }
                server {
                    listen 127.0.0.1:\(port) ssl \(isHTTP2 ? "http2" : "") reuseport;
                    server_name localhost;
                    ssl_certificate \(faults.place.certificate);
                    ssl_certificate_key \(faults.place.certificateKey);
                    ssl_protocols TLSv1.2 TLSv1.3;
                    root \(place)/www;
                    add_header Cache-Control "\(cacheControl)";
                }
            }
            """
        try Data(text.utf8).write(to: folder.url.appending(path: "nginx.conf"))
        let script = Repository.root.appending(path: "Tests/Programs/Servers/nginx.sh")
        process = try Tethered("/bin/sh", [script.path, tool, place])
        let word = try process.line()
        guard word == "ready" else { throw FaultServer.Complaint(description: word) }
    }

    /// Replaces what is served under `/name` by a rename.
    package func put(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: folder.url.appending(path: "www/\(name)"), options: .atomic)
    }

    /// Starts new workers. The old ones close their connections when they are idle.
    package func reload() throws {
        guard try process.ask("reload") == "reloading" else { throw FaultServer.Complaint(description: "no reload") }
    }

    package func url(_ name: String) -> String { "https://localhost:\(port)/\(name)" }

    /// Returns the requests so far, once there are at least `count` or after five minutes: nginx writes a line of its log after it sent the
    /// answer.
    package func log(_ count: Int) async throws -> [Logged] {
        try await until { ((try? log().count) ?? 0) >= count }
        return try log()
    }

    /// Returns the requests so far, from nginx's own log.
    private func log() throws -> [Logged] {
        let text = try String(contentsOf: folder.url.appending(path: "access.log"), encoding: .utf8)
        return text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ", maxSplits: 4).map(String.init)
            guard words.count == 5, let status = Int(words[1]), let connection = Int(words[3]) else { return nil }
            return Logged(
                path: words[0], status: status, version: words[2],
                ifNoneMatch: words[4] == "\"-\"" ? "" : String(words[4].dropFirst().dropLast()), connection: connection)
        }
    }
}
