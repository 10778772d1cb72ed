#if HTTP
    import Foundation
    import TestSupport
    import Testing

    /// `openssl s_server` with the fault server's certificate, which responds to any GET and sends alerts.
    struct AlertingServer {
        let port: Int
        private let folder: TemporaryFolder
        private let process: Tethered

        init(_ arguments: String...) throws {
            let place = try FaultServer.shared.get().place
            folder = try TemporaryFolder()
            let script = Repository.root.appending(path: "Tests/Programs/Servers/openssl.sh")
            let own = ["-cert", place.certificate, "-key", place.certificateKey, "-CAfile", place.ca]
            process = try Tethered("/bin/sh", [script.path, folder.url.path] + own + arguments)
            let line = try process.line()
            port = try #require(Int(line), "\(line)")
        }

        var url: String { "https://localhost:\(port)/" }
    }
#endif
