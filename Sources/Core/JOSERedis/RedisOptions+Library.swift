#if Redis
    internal import CJOSERedis

    extension RedisOptions {
        func check() throws(RedisStoreError) {
            let times: ClosedRange<Duration> = .milliseconds(1) ... .seconds(3600)
            let checks: [(String, Bool)] = [
                ("host", Self.isName(host)), ("port", port > 0), ("security", isSecurityWhole),
                ("username", username.map { !$0.isEmpty && password != nil } ?? true),
                ("password", password.map { !$0.isEmpty } ?? true),
                ("allowsPlaintextPassword", !sendsPasswordInPlaintext || allowsPlaintextPassword),
                ("database", (0...1_000_000).contains(database)),
                ("keyPrefix", keyPrefix.utf8.count <= 200), ("connectionLimit", (1...64).contains(connectionLimit)),
                ("connectDeadline", times.contains(connectDeadline)), ("deadline", times.contains(deadline)),
                ("retryDelay", times.contains(retryDelay)), ("longestRetryDelay", times.contains(longestRetryDelay)),
                ("queueLimit", (1...1_000_000).contains(queueLimit)),
                ("valueByteLimit", (1...16 << 20).contains(valueByteLimit)),
                ("replication", isReplicationValid),
            ]
            if let wrong = checks.first(where: { !$0.1 }) { throw .optionInvalid(wrong.0) }
        }

        /// Whether the password leaves this machine in plaintext.
        private var sendsPasswordInPlaintext: Bool { security == .plain && password != nil && !isLoopback }

        /// Whether the host is `localhost` (RFC 6761, 6.3) or a loopback address. Other names are not resolved here,
        /// because a name may have another address at the next connection.
        private var isLoopback: Bool {
            let name = host.lowercased()
            if name == "localhost" || name == "::1" { return true }
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            // An octet with a leading zero is octal for `getaddrinfo`.
            let octets = parts.compactMap { part in UInt8(part).flatMap { "\($0)" == part ? $0 : nil } }
            return parts.count == 4 && octets.count == 4 && octets[0] == 127
        }

        private var isReplicationValid: Bool {
            switch replication {
            case .asynchronous: true
            case .acknowledgedBy(let replicas, let timeout):
                // A write waits for the WAIT that is under way, and then for its own.
                (1...100).contains(replicas) && timeout >= .milliseconds(1) && timeout < deadline / 2
            }
        }

        private static func isName(_ text: String) -> Bool {
            (1...253).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        }

        /// Whether the paths and the server name can be passed to C: a path that is empty or contains a null byte names
        /// no file. libssl checks the contents.
        private var isSecurityWhole: Bool {
            guard case .tls(let tls) = security else { return true }
            var texts: [String] = []
            if case .file(let path) = tls.trust { texts.append(path) }
            if case .files(let certificate, let key, _) = tls.clientCertificate { texts += [certificate, key] }
            return texts.allSatisfy { !$0.isEmpty && !$0.utf8.contains(0) } && tls.serverName.map(Self.isName) ?? true
        }

        /// Passes the options to the shim. Returns false if memory is exhausted.
        @unsafe func apply(to handle: OpaquePointer) -> Bool {
            let numbers: [(cjose_redis_number, Int64)] =
                [
                    (.port, Int64(port)), (.tls, security == .plain ? 0 : 1), (.database, Int64(database)),
                    (.connections, Int64(connectionLimit)), (.connect_ms, connectDeadline.wholeMilliseconds),
                    (.command_ms, deadline.wholeMilliseconds), (.retry_ms, retryDelay.wholeMilliseconds),
                    (.retry_max_ms, longestRetryDelay.wholeMilliseconds), (.queue, Int64(queueLimit)),
                    (.reply, Int64(valueByteLimit)),
                ] + replication.numbers
            for (which, number) in numbers { unsafe cjose_redis_set_number(handle, which, number) }
            var texts: [(cjose_redis_text, [UInt8]?)] = [
                (.host, Array(host.utf8)), (.username, username.map { Array($0.utf8) }),
                (.password, password.map { Array($0.utf8) }),
                (.addresses, addresses.isEmpty ? nil : Array(addresses.joined(separator: ",").utf8)),
            ]
            if case .tls(let tls) = security { texts += tls.texts }
            for case (let which, let text?) in texts {
                guard unsafe cjose_redis_set_text(handle, which, text, text.count) else { return false }
            }
            return true
        }
    }

    extension RedisOptions.TLS {
        fileprivate var texts: [(cjose_redis_text, [UInt8]?)] {
            var texts: [(cjose_redis_text, [UInt8]?)] = [(.server_name, serverName.map { Array($0.utf8) })]
            switch trust {
            case .system: break
            case .file(let path): texts.append((.ca_file, Array(path.utf8)))
            case .pem(let bytes): texts.append((.ca, bytes))
            }
            switch clientCertificate {
            case nil: break
            case .files(let certificate, let key, let passphrase):
                texts.append((.certificate_file, Array(certificate.utf8)))
                texts.append((.key_file, Array(key.utf8)))
                texts.append((.passphrase, passphrase.map { Array($0.utf8) }))
            case .pem(let certificate, let key, let passphrase):
                texts.append((.certificate, certificate))
                texts.append((.key, key))
                texts.append((.passphrase, passphrase.map { Array($0.utf8) }))
            }
            return texts
        }
    }

    extension RedisOptions.Replication {
        fileprivate var numbers: [(cjose_redis_number, Int64)] {
            switch self {
            case .asynchronous: []
            case .acknowledgedBy(let replicas, let timeout):
                [(.replicas, Int64(replicas)), (.replicas_ms, timeout.wholeMilliseconds)]
            }
        }
    }

    extension Duration {
        var wholeMilliseconds: Int64 {
            components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
        }
    }
#endif
