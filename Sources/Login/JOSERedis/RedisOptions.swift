#if Redis
    /// The server, the credentials and the limits of a store. The defaults are TLS with the system's root
    /// certificates, port 6379, database 0, and no password.
    public struct RedisOptions: Sendable {
        /// The protection of the connection between the service and Redis.
        @nonexhaustive public enum Security: Sendable, Equatable {
            /// No protection: values, marks and the password are sent in plaintext. Use it only on the loopback
            /// interface, or on a network that you trust equally. A password for another host than a loopback address requires
            /// ``RedisOptions/allowsPlaintextPassword``.
            case plain
            /// TLS 1.2 or newer, with verification of the server's certificate.
            case tls(TLS = TLS())
        }

        /// The TLS configuration: how the store authenticates the server, and how it authenticates itself.
        public struct TLS: Sendable, Equatable {
            /// The certificate authorities that are trusted to issue the server's certificate.
            public var trust = Trust.system
            /// The client certificate for a server that requests one (`tls-auth-clients`).
            public var clientCertificate: ClientCertificate?
            /// The name or address that the server's certificate must contain; nil for ``RedisOptions/host``.
            public var serverName: String?

            /// Creates a TLS configuration.
            ///
            /// - Parameters:
            ///   - trust: The certificate authorities that are trusted to issue the server's certificate.
            ///   - clientCertificate: The client certificate, if the server requires one.
            ///   - serverName: The name or address that the server's certificate must contain; nil for
            ///     ``RedisOptions/host``.
            public init(
                trust: Trust = .system, clientCertificate: ClientCertificate? = nil, serverName: String? = nil
            ) {
                self.trust = trust
                self.clientCertificate = clientCertificate
                self.serverName = serverName
            }
        }

        /// The certificate authorities that are trusted to issue the server's certificate.
        @nonexhaustive public enum Trust: Sendable, Equatable {
            /// The certificate authorities in the system's certificate store.
            case system
            /// The certificate authorities in a file of PEM certificates, and no others.
            case file(String)
            /// The certificate authorities in these PEM certificates, and no others.
            case pem([UInt8])
        }

        /// A client certificate and its private key.
        @nonexhaustive public enum ClientCertificate: Sendable, Equatable {
            /// The paths of a PEM file with the certificate and one with the private key, which may be the same
            /// file, and the passphrase if the key is encrypted.
            case files(certificate: String, key: String, passphrase: String? = nil)
            /// The certificates of the client and of its intermediate authorities in PEM, the private key in PEM,
            /// and the passphrase if the key is encrypted.
            case pem(certificate: [UInt8], key: [UInt8], passphrase: String? = nil)
        }

        /// The number of replicas that must confirm a write before the store reports success.
        ///
        /// Redis replicates asynchronously: a failover to a replica that has not received a write loses that write.
        /// A value that was taken can then be taken again, and a value that was marked as used can be used again.
        @nonexhaustive public enum Replication: Sendable, Equatable {
            /// No replica has to confirm a write. The store reports success as soon as the primary has performed
            /// it.
            case asynchronous
            /// A write must be confirmed by at least `replicas` replicas within `timeout`. The number is 1 to 100.
            /// The timeout is at least 1 ms and less than half of ``RedisOptions/deadline``.
            ///
            /// The store sends `WAIT` after its writes, in the same batch. If too few replicas confirm, the call
            /// throws `StoreError.notReplicated`, although the primary has performed the write. Even a confirmed
            /// write can be lost, if a replica that did not confirm it becomes the primary.
            ///
            /// Each connection has one `WAIT` at a time. A write that arrives meanwhile first waits for that `WAIT`
            /// to end, and then for its own, up to `timeout` for each. If both have not ended by the deadline, the
            /// connection is closed.
            case acknowledgedBy(replicas: Int, timeout: Duration)
        }

        /// The host name, or an IP address without brackets. If a name has several addresses, all attempts together
        /// may take ``connectDeadline``, and an address that has failed is tried after the others.
        public var host: String
        /// The TCP port; by default 6379.
        public var port: UInt16 = 6379
        /// The protection of the connection.
        public var security: Security
        /// The user name in Redis's access control lists (ACL); nil for the default user. For a
        /// ``RedisLoginStore`` the user needs the commands `SET`, `GET`, `GETDEL`, `PING` and `SELECT` on keys with
        /// ``keyPrefix``, and `WAIT` if ``replication`` requires replicas.
        public var username: String?
        /// The password, which is sent on each new connection (`AUTH`).
        public var password: String?
        /// A Boolean value that indicates whether the password may be sent in plaintext (``Security/plain``) to a
        /// host that is not a loopback address. Whoever can read the network then learns the password and every
        /// stored value, and whoever can change the traffic can let a used value be used again. The default is
        /// false.
        public var allowsPlaintextPassword = false
        /// The number of the database, which is selected on each new connection unless it is 0.
        public var database = 0
        /// The prefix of all keys in Redis. All machines of one service must use the same prefix, and no other
        /// service may use it.
        public var keyPrefix = "bulla:"

        /// The largest number of connections. A further one is opened when more than 32 commands per open
        /// connection wait for a reply.
        public var connectionLimit = 2
        /// The time limit for establishing a connection, from the resolution of the host name to the first reply.
        public var connectDeadline = Duration.seconds(2)
        /// The time limit of a call. If it passes after the command was sent, the connection is closed.
        public var deadline = Duration.seconds(2)
        /// The delay after a failed connection attempt. It doubles with each further failure, up to
        /// ``longestRetryDelay``. Commands that arrive during the delay wait for the next attempt, and fail if it
        /// fails.
        public var retryDelay = Duration.milliseconds(50)
        /// The longest delay between connection attempts.
        public var longestRetryDelay = Duration.seconds(1)
        /// The largest number of commands that wait for a reply. A further call throws `unavailable` at once.
        public var queueLimit = 10_000
        /// The size in bytes of the largest value that is stored or read.
        public var valueByteLimit = 65_536
        /// The number of replicas that must confirm a write; by default none.
        public var replication = Replication.asynchronous

        /// The numeric addresses that replace those of the resolver for ``host``, for tests.
        package var addresses: [String] = []

        /// Creates options for a server, with default values for all others.
        ///
        /// - Parameters:
        ///   - host: The host name, or an IP address without brackets.
        ///   - security: The protection of the connection; by default TLS.
        public init(host: String, security: Security = .tls()) {
            self.host = host
            self.security = security
        }
    }

    /// The name of an option, for ``RedisStoreError/optionInvalid(_:)``.
    @nonexhaustive public enum RedisOption: String, Sendable {
        /// The host is empty, has more than 253 bytes, or contains characters other than visible ASCII.
        case host
        /// The port is 0.
        case port
        /// The certificates or keys cannot be read, do not belong together, or are in a file that does not exist.
        case security
        /// The user name is empty, or it is set without a password.
        case username
        /// The password is empty.
        case password
        /// The password would be sent in plaintext to a host that is not `localhost` or a loopback address, and
        /// ``RedisOptions/allowsPlaintextPassword`` is not set.
        case allowsPlaintextPassword
        /// The database is not between 0 and 1 000 000.
        case database
        /// The prefix is longer than 200 bytes.
        case keyPrefix
        /// The number of connections is not between 1 and 64.
        case connectionLimit
        /// The time is not between 1 ms and an hour.
        case connectDeadline, deadline, retryDelay, longestRetryDelay
        /// The number of commands is not between 1 and 1 000 000.
        case queueLimit
        /// The size is not between 1 byte and 16 MiB.
        case valueByteLimit
        /// The number of replicas is not between 1 and 100, or the timeout is not at least 1 ms and less than half
        /// of the deadline.
        case replication
        /// The number of marks of one client in a `RedisReplayStore` is not between 1 and 1 000 000 000.
        case shareLimit
        /// The clock tolerance of a `RedisReplayStore` is not between 1 ms and an hour.
        case clockTolerance
    }
#endif
