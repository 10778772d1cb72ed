#if Redis
    public import JOSE

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
            package var trust = TLSTrust.system
            /// The client certificate for a server that requests one (`tls-auth-clients`).
            package var clientCertificate: TLSClientCertificate?
            /// The name or address that the server's certificate must contain; nil for ``RedisOptions/host``.
            package var serverName: String?

            /// Creates a TLS configuration.
            ///
            /// - Parameters:
            ///   - trust: The certificate authorities that are trusted to issue the server's certificate.
            ///   - clientCertificate: The client certificate, if the server requires one.
            ///   - serverName: The name or address that the server's certificate must contain; nil for
            ///     ``RedisOptions/host``.
            public init(
                trust: TLSTrust = .system, clientCertificate: TLSClientCertificate? = nil, serverName: String? = nil
            ) {
                self.trust = trust
                self.clientCertificate = clientCertificate
                self.serverName = serverName
            }
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

        /// The host name, or an IP address without brackets: at most 253 visible ASCII characters. If a name has several
        /// addresses, all attempts together
        /// may take ``connectDeadline``, and an address that has failed is tried after the others.
        public var host: String
        /// The TCP port, which is not 0; by default 6379.
        public var port: UInt16 = 6379
        /// The protection of the connection.
        public var security: Security
        /// The user name in Redis's access control lists (ACL), with a password; nil for the default user. For a
        /// ``RedisLoginStore`` the user needs the commands `SET`, `GET`, `GETDEL`, `PING` and `SELECT` on keys with
        /// ``keyPrefix``, and `WAIT` if ``replication`` requires replicas.
        public var username: String?
        /// The password, which is not empty, and which is sent on each new connection (`AUTH`).
        public var password: String?
        /// A Boolean value that indicates whether the password may be sent in plaintext (``Security/plain``) to a
        /// host that is not a loopback address. Whoever can read the network then learns the password and every
        /// stored value, and whoever can change the traffic can let a used value be used again. The default is
        /// false.
        public var allowsPlaintextPassword = false
        /// The number of the database, up to 1,000,000, which is selected on each new connection unless it is 0.
        public var database = 0
        /// The prefix of all keys in Redis. All machines of one service must use the same prefix, and no other
        /// service may use it. It has at most 200 bytes.
        public var keyPrefix = "bulla:"

        /// The largest number of connections, 1 to 64. A further one is opened when more than 32 commands per open
        /// connection wait for a reply.
        public var connectionLimit = 2
        /// The time limit for establishing a connection, from the resolution of the host name to the first reply. All
        /// times of these options are 1 ms to an hour.
        public var connectDeadline = Duration.seconds(2)
        /// The time limit of a call. If it passes after the command was sent, the connection is closed.
        public var deadline = Duration.seconds(2)
        /// The delay after a failed connection attempt. It doubles with each further failure, up to
        /// ``longestRetryDelay``. Commands that arrive during the delay wait for the next attempt, and fail if it
        /// fails.
        public var retryDelay = Duration.milliseconds(50)
        /// The longest delay between connection attempts.
        public var longestRetryDelay = Duration.seconds(1)
        /// The largest number of commands that wait for a reply, up to 1,000,000. A further call throws `unavailable` at
        /// once.
        public var queueLimit = 10_000
        /// The size in bytes of the largest value that is stored or read, up to 16 MiB.
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

    // The options contain passwords and private keys.
    extension RedisOptions: Redacted {
        /// The host and the port.
        package var summary: String { "\(host):\(port)" }
    }
#endif
