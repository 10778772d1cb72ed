#if HTTP
    import Foundation
    import JOSE
    import TestSupport

    /// A suite whose tests let the command fetch a key set that changes from one fetch to the next.
    protocol ChangingKeySet {
        var server: FaultServer { get }
        var folder: TemporaryFolder { get }
    }

    extension ChangingKeySet {
        static func set(_ keys: PrivateKey...) -> FaultServer.Answer {
            .init(
                KeySet(keys.map { .privateKey($0) }).jwks(),
                headers: ["Content-Type": "application/json", "Cache-Control": "max-age=600"])
        }

        func token(_ key: PrivateKey, keyID: String? = nil) throws -> String {
            var key = key
            if let keyID { key.keyID = keyID }
            return try JWSSigner(key: key, algorithm: .es256).sign(#"{"iss":"i","aud":"a","exp":4000000000}"#)
        }

        func row(_ id: String, _ token: String) -> String { #"{"id":"\#(id)","token":"\#(token)"}"# + "\n" }

        /// Sets the answers of a path of this test: the first fetch, and each later one. The last answer stays.
        func keys(_ name: String, _ answers: FaultServer.Answer...) throws -> (path: String, words: [String]) {
            let path = "/changing/\(folder.url.lastPathComponent)/\(name)"
            try server.answer(path, answers)
            let policy = ["--alg", "ES256", "--aud", "a", "--iss", "i"]
            return (path, ["--keys", server.url(path), "--ca", server.place.ca] + policy)
        }

        /// Runs a program on a thread of its own, because it waits for half a minute and more: the few threads that tasks share stay free for
        /// other tests.
        func runAside(
            _ tool: String, _ words: [String], stdin: String = ""
        ) async throws -> (status: Int32, stdout: String, stderr: String) {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(with: Result { try TestSupport.run(tool, words, stdin: stdin) })
                }
            }
        }
    }
#endif
