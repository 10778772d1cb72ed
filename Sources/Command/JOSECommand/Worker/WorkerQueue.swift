#if Redis
    import JOSE
    import JOSERedis

    /// The queue of a fleet: the server, and the names of its keys.
    struct WorkerQueue: Sendable {
        let scripts: RedisScripts
        let stream: String
        let server: String

        /// The largest size of an entry. Eight of them are less than a reply may have.
        static let mostEntryBytes = 1 << 20

        static let options = [
            Options.redis.spec, Options.stream.spec, Options.redisPassword.spec, Options.redisAuthority.spec,
            Options.allowVolatile,
        ]

        init(_ arguments: Arguments) throws(CommandFailure) {
            guard let address = try arguments.value(Options.redis) else {
                throw .usage("needs --redis, such as redis://127.0.0.1:6379")
            }
            guard !address.hasPassword else { throw .usage("--redis takes no password; use --redis-password-file") }
            guard let stream = try arguments.value(Options.stream) else { throw .usage("needs --stream") }
            var options = RedisLoginStore.Options(host: address.host, security: address.isTLS ? .tls() : .plain)
            options.port = address.port
            options.database = address.database
            if let file = try arguments.value(Options.redisAuthority) {
                guard address.isTLS else { throw .usage("--redis-ca requires a rediss: address") }
                options.security = .tls(.init(trust: .file(file)))
            }
            if let path = try arguments.value(Options.redisPassword) {
                var bytes = try Descriptor(reading: path).readAll(most: 4_096, name: path)
                while bytes.last == 0x0A || bytes.last == 0x0D { bytes.removeLast() }
                options.password = String(decoding: bytes, as: UTF8.self)
                options.username = address.user
            } else if address.user != nil {
                throw .usage("a user name in --redis requires --redis-password-file")
            }
            // A reply has up to eight entries, and a busy server takes its time for them.
            options.deadline = .seconds(5)
            options.valueByteLimit = 16 << 20
            // After an outage each worker must say that it lives before others look, which is a second later at the earliest.
            options.longestRetryDelay = .milliseconds(250)
            do throws(RedisStoreError) {
                scripts = try RedisScripts(options, requiresDurability: !arguments.has(Options.allowVolatile))
            } catch {
                throw .usage("--redis: \(error)")
            }
            self.stream = stream
            server = "\(address.host):\(address.port)"
        }

        var later: String { stream + ":later" }
        var working: String { stream + ":working" }
        var answers: String { stream + ":answers" }
        var dead: String { stream + ":dead" }
        func session(_ name: String) -> String { stream + ":added:" + name }
        func lease(_ consumer: String) -> String { stream + ":lease:" + consumer }

        /// The keys of `WorkerScripts.begin`, without the lease.
        var keys: [String] { [stream, answers, later, working, dead] }

        /// Returns the text of a failed call.
        func failure(_ failure: RedisScripts.Failure) -> CommandFailure {
            CommandFailure("Redis at \(Output.printable(server)): \(Self.reason(failure))")
        }

        static func reason(_ failure: RedisScripts.Failure) -> String {
            if failure.isOutOfMemory { return "it has no memory left" }
            return switch failure.fault {
            case .evicting:
                "its maxmemory-policy is not noeviction, so that it may remove tokens; --allow-volatile accepts this"
            case .notPersistent:
                "it writes no append-only file (appendonly no), so that it loses tokens when it ends;"
                    + " --allow-volatile accepts this"
            case .name: "its name has no address"
            case .connect: "it refuses connections, or cannot be reached"
            case .deadline: "it did not answer in time"
            case .lost: "the connection ended before the answer"
            case .untrusted: "no trusted authority has issued its certificate"
            case .serverName: "its certificate has another name"
            case .clientCertificate: "it requires another certificate of the client"
            case .handshake: "the TLS handshake failed"
            case .credentials: "the user name or password is wrong or missing, or the user lacks a permission"
            case .command: "it does not have the command or the database, or a key of the queue has another type"
            case .busy: "it loads its data, or has no connection left"
            case .readOnly: "it is a replica, which accepts no writes"
            case .replicas: "it has too few replicas"
            case .reply: "its answer cannot be read"
            case .closed, .backend, nil: "memory or file descriptors are exhausted"
            }
        }
    }

    /// The address of a server: `redis://` or `rediss://`, a user, a host, a port and the number of a database.
    struct RedisAddress: Sendable {
        /// Whether the text has a password, which is not accepted, and is not printed; the other properties are then of no use.
        let hasPassword: Bool
        let isTLS: Bool
        let user: String?
        let host: String
        let port: UInt16
        let database: Int

        init?(_ text: String) {
            let scheme = ["redis://", "rediss://"].first { text.hasPrefix($0) }
            isTLS = scheme == "rediss://"
            hasPassword = Self.hasPassword(text)
            guard !hasPassword else {
                (user, host, port, database) = (nil, "", 0, 0)
                return
            }
            guard let scheme else { return nil }
            let parts = text.dropFirst(scheme.utf8.count).split(separator: "/", omittingEmptySubsequences: false)
            guard let place = parts.first, parts.count <= 2 else { return nil }
            let number = parts.count == 2 ? parts[1] : ""
            guard let database = number.isEmpty ? 0 : Int(number), database >= 0 else { return nil }
            self.database = database
            let sides = place.split(separator: "@", omittingEmptySubsequences: false)
            guard let last = sides.last, sides.count <= 2, !sides[0].isEmpty else { return nil }
            user = sides.count == 2 ? String(sides[0]) : nil
            // An IPv6 address has brackets, and no colon is part of a name.
            let isBracketed = last.hasPrefix("[")
            let ends = last.split(separator: isBracketed ? "]" : ":", omittingEmptySubsequences: false)
            guard let name = ends.first, ends.count <= 2, !name.isEmpty else { return nil }
            host = String(isBracketed ? name.dropFirst() : name)
            let rest = ends.count == 2 ? (isBracketed ? ends[1].dropFirst() : ends[1]) : ""
            guard !isBracketed || ends.count == 2 && (ends[1].isEmpty || ends[1].hasPrefix(":")), !host.isEmpty,
                let port = rest.isEmpty ? 6379 : UInt16(rest), port > 0
            else { return nil }
            self.port = port
        }

        /// Whether there is a colon before the last `@`, behind the scheme if there is one: also in a text that is no address.
        private static func hasPassword(_ text: String) -> Bool {
            let bytes = Array(text.utf8)
            guard let end = bytes.lastIndex(of: UInt8(ascii: "@")) else { return false }
            let start = bytes.indices.first { bytes[$0...].starts(with: "://".utf8) }.map { $0 + 3 } ?? 0
            return start < end && bytes[start..<end].contains(UInt8(ascii: ":"))
        }
    }

    extension Options {
        static let redis = Option(
            "redis", "URL", "the server: redis://host:port/database, or rediss:// for TLS, with a user as user@host"
        ) { RedisAddress($0) }
        static let stream = Option("stream", "NAME", "the stream of tokens; other keys are NAME:answers and the like") {
            $0.isEmpty || $0.utf8.count > 200 ? nil : $0
        }
        static let redisPassword = Option("redis-password-file", "FILE", "file with the password for Redis") {
            $0.isEmpty ? nil : $0
        }
        static let redisAuthority = Option(
            "redis-ca", "FILE", "root certificates (PEM) for Redis, in place of the system's"
        ) { $0.isEmpty ? nil : $0 }
        static let allowVolatile = OptionSpec(
            "allow-volatile", nil,
            "also use a server that may remove or lose tokens: without append-only file or noeviction")
    }
#endif
