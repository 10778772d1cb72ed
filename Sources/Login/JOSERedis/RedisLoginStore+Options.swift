#if Redis
    extension RedisLoginStore {
        /// The server and the limits of a store. The defaults are TLS with the system's root certificates, port 6379, database 0,
        /// and no password.
        public struct Options: Sendable {
            /// The protection of the connection between the service and Redis.
            @nonexhaustive public enum Security: Sendable, Equatable {
                /// No protection: logins and the password are sent in clear. Use it on the loopback interface, and on networks
                /// that are trusted as much.
                case plain
                /// TLS 1.2 or newer, with verification of the server's certificate.
                case tls(TLS = TLS())
            }

            /// The authentication of both parties in TLS.
            public struct TLS: Sendable, Equatable {
                /// The authorities whose server certificates are trusted.
                public var trust = Trust.system
                /// The client certificate for a server that requests one (`tls-auth-clients`).
                public var clientCertificate: ClientCertificate?
                /// The name or address that the server's certificate must contain; nil for ``Options/host``.
                public var serverName: String?

                /// Creates a TLS configuration.
                ///
                /// - Parameters:
                ///   - trust: The trusted authorities.
                ///   - clientCertificate: The client certificate, if the server requires one.
                ///   - serverName: The name or address that the server's certificate must contain; nil for the host.
                public init(
                    trust: Trust = .system, clientCertificate: ClientCertificate? = nil, serverName: String? = nil
                ) {
                    self.trust = trust
                    self.clientCertificate = clientCertificate
                    self.serverName = serverName
                }
            }

            /// The authorities whose server certificates are trusted.
            @nonexhaustive public enum Trust: Sendable, Equatable {
                /// The authorities of the system's certificate store.
                case system
                /// The authorities in a file of PEM certificates, and no others.
                case file(String)
                /// The authorities in these PEM certificates, and no others.
                case pem([UInt8])
            }

            /// A client certificate and its private key.
            @nonexhaustive public enum ClientCertificate: Sendable, Equatable {
                /// The paths of two PEM files, or of one that contains both, and the passphrase of an encrypted key.
                case files(certificate: String, key: String, passphrase: String? = nil)
                /// The PEM certificates of the client and its intermediate authorities, the PEM private key, and the passphrase
                /// of an encrypted key.
                case pem(certificate: [UInt8], key: [UInt8], passphrase: String? = nil)
            }

            /// The replicas that must confirm a write before the store reports it.
            ///
            /// Redis replicates asynchronously: a failover to a replica that has not received a write undoes it. A value that was
            /// taken can then be taken again, and a replay mark is gone.
            @nonexhaustive public enum Replication: Sendable, Equatable {
                /// No replica: a write is reported as soon as the primary has performed it.
                case asynchronous
                /// At least `replicas` replicas, between 1 and 100, within `timeout`, which is at least 1 ms and less than half
                /// of ``Options/deadline``.
                ///
                /// The store sends `WAIT` after its writes, in the same batch. If fewer replicas confirm, the call throws
                /// `StoreError.notReplicated`, although the primary has performed the write. A confirmed write can still be lost
                /// if a replica that did not confirm it becomes the primary.
                ///
                /// A connection has one `WAIT` at a time. A write that arrives meanwhile waits up to `timeout` for its end, and
                /// then up to `timeout` for its own `WAIT`. Both must end before the deadline, after which the connection is
                /// closed.
                case acknowledgedBy(replicas: Int, timeout: Duration)
            }

            /// The host name, or an address without brackets. The addresses of a name share ``connectDeadline``, and one that
            /// failed is tried after the others.
            public var host: String
            /// The port, by default that of Redis.
            public var port: UInt16 = 6379
            /// The protection of the connection.
            public var security: Security
            /// The user of Redis's access lists (ACL); nil for its default user. The user needs `SET`, `GET`, `GETDEL`, `PING`
            /// and `SELECT` on keys with ``keyPrefix``, and `WAIT` if ``replication`` requires replicas.
            public var username: String?
            /// The password, which is sent on each new connection (`AUTH`).
            public var password: String?
            /// The database, which is selected on each new connection unless it is 0.
            public var database = 0
            /// The prefix of all keys. All machines of one service share it, and no other service uses it.
            public var keyPrefix = "bulla:"

            /// The largest number of connections. A second one is opened when 32 commands wait for a reply.
            public var connectionLimit = 2
            /// The time within which a connection is established: from the resolution of the name to the first reply.
            public var connectDeadline = Duration.seconds(2)
            /// The time within which a call ends. If it passes after the command was sent, the connection is closed.
            public var deadline = Duration.seconds(2)
            /// The delay after a failed connection attempt. It doubles with each further failure, up to ``longestRetryDelay``.
            /// Commands that arrive meanwhile wait for the next attempt, and fail with it.
            public var retryDelay = Duration.milliseconds(50)
            /// The longest delay between connection attempts.
            public var longestRetryDelay = Duration.seconds(1)
            /// The largest number of commands without a reply. A further call throws `unavailable` at once.
            public var queueLimit = 10_000
            /// The largest value that is stored or read, in bytes.
            public var valueByteLimit = 65_536
            /// The replicas that must confirm a write; by default none.
            public var replication = Replication.asynchronous

            /// The numeric addresses that replace those of the resolver for ``host``, for tests.
            package var addresses: [String] = []

            /// Creates options for a server, with default values for all others.
            ///
            /// - Parameters:
            ///   - host: The host name, or an address without brackets.
            ///   - security: The protection of the connection.
            public init(host: String, security: Security = .tls()) {
                self.host = host
                self.security = security
            }
        }

        /// The name of an option, for ``RedisStoreError/optionInvalid(_:)``.
        @nonexhaustive public enum Option: String, Sendable {
            /// The host is empty, has more than 253 bytes, or contains other characters than visible ASCII.
            case host
            /// The port is 0.
            case port
            /// The certificates or keys cannot be read, do not belong together, or are in a file that does not exist.
            case security
            /// The user name is empty, or there is no password.
            case username
            /// The password is empty.
            case password
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
            /// The number of replicas is not between 1 and 100, or the timeout is not at least 1 ms and less than half of the
            /// deadline.
            case replication
        }
    }
#endif
