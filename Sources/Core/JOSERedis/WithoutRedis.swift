#if !Redis
    public import JOSE
    public import JOSETokens

    /// The declaration of the options in a build without the package trait `Redis`: the compiler rejects each use with a
    /// message that names the trait.
    @available(
        *, unavailable,
        message: "RedisOptions needs the package trait Redis: .package(…, traits: [.defaults, \"Redis\"])"
    )
    public struct RedisOptions: Sendable {
        /// The protection of the connection between the service and Redis.
        public enum Security: Sendable {
            /// No protection.
            case plain
            /// TLS with the system's root certificates.
            case tls
        }
        /// Creates the options with their defaults.
        public init(host: String, security: Security = .tls) {}
    }

    /// The declaration of the store in a build without the package trait `Redis`: the compiler rejects each use with a
    /// message that names the trait.
    @available(
        *, unavailable,
        message: "RedisLoginStore needs the package trait Redis: .package(…, traits: [.defaults, \"Redis\"])"
    )
    public struct RedisLoginStore: LoginStore {
        /// Creates a store.
        public init(_ options: RedisOptions) throws(StoreError) {}
        /// Fails, because the build has no client of Redis.
        public func insert(_ value: [UInt8], for key: StoreKey, lifetime: Duration) async throws(StoreError) -> Bool {
            throw .unavailable
        }
        /// Fails, because the build has no client of Redis.
        public func take(_ key: StoreKey) async throws(StoreError) -> [UInt8]? { throw .unavailable }
        /// Fails, because the build has no client of Redis.
        public func value(for key: StoreKey) async throws(StoreError) -> [UInt8]? { throw .unavailable }
        /// Does nothing.
        public func shutdown() {}
    }

    /// The declaration of the replay store in a build without the package trait `Redis`: the compiler rejects each use
    /// with a message that names the trait.
    @available(
        *, unavailable,
        message: "RedisReplayStore needs the package trait Redis: .package(…, traits: [.defaults, \"Redis\"])"
    )
    public struct RedisReplayStore: ReplayStore {
        /// The server of the store.
        public struct Options: Sendable {
            /// Creates the options of a server.
            public init(server: RedisOptions) {}
        }
        /// Creates a store.
        public init(_ options: Options) throws(StoreError) {}
        /// Fails, because the build has no client of Redis.
        public func connect() async throws(StoreError) { throw .unavailable }
        /// Returns `unavailable`, because the build has no client of Redis.
        public func insert(_ mark: ReplayMark, now: NumericDate) async -> ReplayAnswer { .unavailable }
        /// Does nothing.
        public func shutdown() {}
    }
#endif
