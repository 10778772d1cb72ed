import JOSE
import JOSEKeySets
import JOSESettings
import JOSESupport

#if Server
    internal import CJOSEServe
    internal import Synchronization
#endif

extension Command {
    static let keysServe = Command(
        "keys serve", operands: "DIR | FILE…", maximumOperands: .max,
        summary: "serve key sets over http on loopback, for tests",
        details: """
            Each FILE, or each file of DIR whose name ends with .json, .jwk or .jwks, is served at /NAME if it is a JWK Set or a
            JWK, its public keys only: private members and symmetric keys are never sent. Files are read again for each
            request: to rotate a key, write its file.
            The path / has the keys of all files, and issuer metadata for --issuer refers to it. Prints a line for each
            file, its URL first, and serves until it is interrupted. Only this machine reaches it: it listens on
            127.0.0.1.
            """,
        options: [Options.port.spec, Options.servedAge.spec, Options.quiet], blocked: .ends
    ) { (arguments) throws(CommandFailure) in
        guard !arguments.operands.isEmpty else { throw .usage("needs a DIR, or a FILE with a JWK Set or a JWK") }
        let files = try KeyFiles(arguments.operands, maximumAge: try arguments.value(Options.servedAge) ?? 60)
        let port = try arguments.value(Options.port) ?? 0
        #if Server
            return try KeyServer(files, isQuiet: arguments.has(Options.quiet)).run(port)
        #else
            throw .usage("bulla was built without the package's trait Server")
        #endif
    }
}

extension Options {
    static let port = Option("port", "NUMBER", "port to listen at; 0 is any free port (0)") { UInt16($0) }
    static let servedAge = Option(
        "max-age", "SECONDS", "max-age of the responses, 0 to 86400 (60)", integer(0...86_400))
}

#if Server
    final class KeyServer: Sendable {
        private let files: KeyFiles
        private let isQuiet: Bool
        /// The origin of the server, empty until its port is known.
        private let origin = Mutex("")

        init(_ files: KeyFiles, isQuiet: Bool) {
            self.files = files
            self.isQuiet = isQuiet
        }

        func run(_ port: UInt16) throws(CommandFailure) -> ExitStatus {
            let (served, others) = try files.files()
            // A file that was named must be usable; a folder may contain others.
            if files.folder == nil, let other = others.first { throw CommandFailure(other) }
            for other in others { Output.complain("bulla keys serve: left out: \(other)") }
            let context = unsafe Unmanaged.passUnretained(self).toOpaque()
            var options = unsafe cjose_serve_options()
            unsafe options.port = port
            unsafe options.limits.connections = 64
            unsafe (options.limits.idle_seconds, options.limits.request_seconds) = (10, 10)
            let started = unsafe cjose_serve_start(
                &options,
                { context, request, reply in
                    guard let context = unsafe context else { return }
                    unsafe Unmanaged<KeyServer>.fromOpaque(context).takeUnretainedValue().answer(request, reply)
                }, context)
            guard let server = unsafe started else {
                throw CommandFailure("cannot listen on 127.0.0.1:\(port): \(Process.fault())")
            }
            let origin = unsafe "http://127.0.0.1:\(cjose_serve_port(server))"
            self.origin.withLock { $0 = origin }
            for file in served {
                Output.standard("\(origin)/\(file.name.percentEncoded)  \(Self.contents(file))\n")
            }
            Output.standard("\(origin)/  all keys\n")
            while !Signals.isEndWanted { Process.sleep(milliseconds: 20) }
            unsafe cjose_serve_stop(server)
            withExtendedLifetime(self) {}
            return .valid
        }

        @unsafe private func answer(_ request: OpaquePointer, _ reply: OpaquePointer) {
            let path = unsafe String(cString: cjose_serve_request_path(request))
            let method = unsafe String(cString: cjose_serve_request_method(request))
            let tags = unsafe cjose_serve_request_field(request, "If-None-Match").map { unsafe String(cString: $0) }
            let response =
                method == "GET" || method == "HEAD"
                ? files.answer(path, ifNoneMatch: tags, origin: origin.withLock { $0 })
                : TransportResponse(status: 405, headers: [TransportHeaderField("Allow", "GET, HEAD")])
            unsafe GatewayResponse(response).write(to: reply)
            if !isQuiet { Output.complain("bulla keys serve: \(response.status) \(path)") }
        }

        private static func contents(_ file: KeyFiles.File) -> String {
            var text = "\(file.keys.count) \(file.keys.count == 1 ? "key" : "keys")"
            if file.secrets > 0 { text += ", \(file.secrets) private or symmetric in the file" }
            if file.unusable > 0 { text += ", \(file.unusable) unusable" }
            return text
        }
    }
#endif
