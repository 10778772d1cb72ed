#if Redis
    import JOSE
    import JOSERedis
    import JOSESettings

    /// The address of a server: `redis://` or `rediss://`, a user, a host, a port and the number of a database.
    struct RedisAddress: Sendable {
        /// Whether the text has a password, which is not accepted, and is not printed; the other properties are then of
        /// no use.
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
            guard let authority = parts.first, parts.count <= 2 else { return nil }
            let number = parts.count == 2 ? parts[1] : ""
            guard let database = number.isEmpty ? 0 : Int(number), database >= 0 else { return nil }
            self.database = database
            let sides = authority.split(separator: "@", omittingEmptySubsequences: false)
            guard let last = sides.last, sides.count <= 2, !sides[0].isEmpty else { return nil }
            user = sides.count == 2 ? String(sides[0]) : nil
            // An IPv6 address has brackets, and no colon is part of a name.
            let isBracketed = last.hasPrefix("[")
            let ends = last.split(separator: isBracketed ? "]" : ":", omittingEmptySubsequences: false)
            guard let name = ends.first, ends.count <= 2, !name.isEmpty else { return nil }
            host = String(isBracketed ? name.dropFirst() : name)
            let remainder = ends.count == 2 ? (isBracketed ? ends[1].dropFirst() : ends[1]) : ""
            guard !isBracketed || ends.count == 2 && (ends[1].isEmpty || ends[1].hasPrefix(":")), !host.isEmpty,
                let port = remainder.isEmpty ? 6379 : UInt16(remainder), port > 0
            else { return nil }
            self.port = port
        }

        /// Whether there is a colon before the last `@`, behind the scheme if there is one: also in a text that is no
        /// address.
        private static func hasPassword(_ text: String) -> Bool {
            let bytes = Array(text.utf8)
            guard let end = bytes.lastIndex(of: UInt8(ascii: "@")) else { return false }
            let start = bytes.indices.first { bytes[$0...].starts(with: "://".utf8) }.map { $0 + 3 } ?? 0
            return start < end && bytes[start..<end].contains(UInt8(ascii: ":"))
        }
    }

    extension RedisAddress {
        /// Returns options for the server, with the password, the certificates and the replicas that the arguments
        /// name.
        ///
        /// - Parameters:
        ///   - deadline: The time limit of a call. It is extended to twice the timeout of the replicas.
        ///   - replicaTimeout: The time in which replicas must confirm, if the arguments have none.
        ///   - isService: Whether the files are read again and again, and must be regular ones.
        func options(
            _ arguments: Arguments, deadline: Duration, replicaTimeout: Duration, isService: Bool = false
        ) throws(CommandFailure) -> RedisOptions {
            guard !hasPassword else { throw .usage("--redis takes no password; use --redis-password-file") }
            var options = RedisOptions(host: host, security: isTLS ? .tls() : .plain)
            options.port = port
            options.database = database
            options.deadline = deadline
            if let authorities = try arguments.value(Options.redisAuthority) {
                guard isTLS else { throw .usage("--redis-ca requires a rediss: address") }
                let roots = try Descriptor.contents(of: authorities, isRegular: true, maximumBytes: 1 << 24)
                options.security = .tls(.init(trust: .pem(roots)))
            }
            if let passwordFile = try arguments.value(Options.redisPassword) {
                var bytes = try Descriptor.contents(of: passwordFile, isRegular: isService, maximumBytes: 4_096)
                while bytes.last == 0x0A || bytes.last == 0x0D { bytes.removeLast() }
                options.password = String(decoding: bytes, as: UTF8.self)
                options.username = user
            } else if user != nil {
                throw .usage("a user name in --redis requires --redis-password-file")
            }
            options.allowsPlaintextPassword = arguments.has(Options.allowPlainPassword)
            let timeout = try arguments.value(Options.replicaTimeout)
            guard let replicas = try arguments.value(Options.replicas) else {
                guard timeout == nil else { throw .usage("--replica-timeout requires --replicas") }
                return options
            }
            options.replication = .acknowledgedBy(replicas: replicas, timeout: timeout ?? replicaTimeout)
            options.deadline = max(deadline, (timeout ?? replicaTimeout) * 2 + .milliseconds(100))
            return options
        }
    }

    extension CommandFailure {
        /// Creates the failure of options that the library does not accept.
        init(_ error: RedisStoreError) {
            guard error == .optionInvalid("allowsPlaintextPassword") else {
                self.init("--redis: \(error)")
                return
            }
            self.init(
                "--redis: the password would be sent in plaintext to a host that is not this machine: use rediss://, or"
                    + " --allow-plain-redis-password on a network that you trust as much as this machine")
        }
    }

    extension Options {
        static let redis = Option(
            "redis", "URL", "the server: redis://host:port/database, or rediss:// for TLS, with a user as user@host"
        ) { RedisAddress($0) }
        static let redisPassword = Option("redis-password-file", "FILE", "file with the password for Redis", text)
        static let redisAuthority = Option(
            "redis-ca", "FILE", "root certificates (PEM) for Redis, in place of the system's", text)
        static let allowPlainPassword = OptionSpec(
            "allow-plain-redis-password", nil,
            "send the password by redis:// also to another machine: who reads the network can then use Redis")
        static let replicas = Option(
            "replicas", "COUNT", "replicas that must confirm each write to Redis, 1 to 100 (none)", integer(1...100))
        static let replicaTimeout = Option(
            "replica-timeout", "SECONDS", "time in which the replicas must confirm, 0.01 to 30", time(0.01...30))
        static let allowVolatile = OptionSpec(
            "allow-volatile", nil,
            "also use a server that may remove or lose what it has confirmed: without append-only file or noeviction")
    }

    extension RedisFault {
        /// A clause that says what is wrong with the server, and the option that accepts it.
        var advice: String {
            switch self {
            case .evicting, .notPersistent: text + "; --allow-volatile accepts this"
            default: text
            }
        }
    }
#endif
