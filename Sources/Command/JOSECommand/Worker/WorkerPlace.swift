#if Redis
    import JOSE
    import JOSERedis

    /// The queue of a fleet: the server, and the names of its keys.
    struct WorkerPlace: Sendable {
        let scripts: RedisScripts
        let stream: String
        let server: String

        static let options = [
            Options.redis.spec, Options.stream.spec, Options.redisPassword.spec, Options.redisAuthority.spec,
            Options.allowVolatile,
        ]

        init(_ arguments: Arguments) throws(CommandFailure) {
            guard let address = try arguments.value(Options.redis) else {
                throw .usage("needs --redis, such as redis://127.0.0.1:6379")
            }
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
            // A worker waits for the server, and an entry may have a megabyte.
            options.deadline = .seconds(5)
            options.valueByteLimit = 16 << 20
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
        func lease(_ consumer: String) -> String { stream + ":lease:" + consumer }

        /// Returns the failure of a call that cannot succeed later either.
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
            case let fault?: "\(fault)"
            case nil: "failed"
            }
        }
    }

    /// The address of a server: `redis://` or `rediss://`, a user, a host, a port and the number of a database.
    struct RedisAddress: Sendable {
        let isTLS: Bool
        let user: String?
        let host: String
        let port: UInt16
        let database: Int

        init?(_ text: String) {
            let scheme = ["redis://", "rediss://"].first { text.hasPrefix($0) }
            guard let scheme else { return nil }
            isTLS = scheme == "rediss://"
            let parts = text.dropFirst(scheme.utf8.count).split(separator: "/", omittingEmptySubsequences: false)
            guard let place = parts.first, parts.count <= 2 else { return nil }
            let number = parts.count == 2 ? parts[1] : ""
            guard let database = number.isEmpty ? 0 : Int(number), database >= 0 else { return nil }
            self.database = database
            let sides = place.split(separator: "@", omittingEmptySubsequences: false)
            guard let last = sides.last, sides.count <= 2, !sides[0].isEmpty,
                !sides[0].contains(":") || sides.count == 1
            else { return nil }
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
