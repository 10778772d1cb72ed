#if Redis
    extension RedisLoginStore {
        /// Which server, and how it is spoken to. As it comes: TLS with the system's roots, port 6379, database 0, nobody's password.
        public struct Options: Sendable {
            /// What lies between the service and Redis.
            @nonexhaustive public enum Security: Sendable, Equatable {
                /// Nothing: logins and the password go over the wire as they are. For loopback, and for networks that are trusted as much.
                case plain
                /// TLS 1.2 or newer, the server's certificate checked.
                case tls(TLS = TLS())
            }

            /// How the two sides know each other.
            public struct TLS: Sendable, Equatable {
                /// Whose certificates are believed.
                public var trust = Trust.system
                /// Shown to a server that asks for one (`tls-auth-clients`).
                public var clientCertificate: ClientCertificate?
                /// The name or address that the certificate must have; nil: the host's.
                public var serverName: String?

                /// The values above.
                public init(
                    trust: Trust = .system, clientCertificate: ClientCertificate? = nil, serverName: String? = nil
                ) {
                    self.trust = trust
                    self.clientCertificate = clientCertificate
                    self.serverName = serverName
                }
            }

            /// Whose certificates are believed.
            @nonexhaustive public enum Trust: Sendable, Equatable {
                /// Those of the system's store.
                case system
                /// Those of a file of PEM certificates, and no others.
                case file(String)
                /// These PEM certificates, and no others.
                case pem([UInt8])
            }

            /// What the client proves itself with.
            @nonexhaustive public enum ClientCertificate: Sendable, Equatable {
                /// Of two PEM files; they may be one. The passphrase opens the key, where that is locked.
                case files(certificate: String, key: String, passphrase: String? = nil)
                /// PEM, of the certificate and those between it and its root, and of the private key.
                case pem(certificate: [UInt8], key: [UInt8], passphrase: String? = nil)
            }

            /// The replicas that must confirm a write before the store reports it.
            ///
            /// Redis replicates asynchronously: a failover to a replica that has not seen a write undoes it, so that a value that was taken
            /// can be taken again, and a mark against replay is gone.
            @nonexhaustive public enum Replication: Sendable, Equatable {
                /// None: a write is reported as soon as the primary has made it.
                case asynchronous
                /// At least `replicas` replicas, between 1 and 100, within `timeout`, at least 1 ms and less than half of
                /// ``Options/deadline``.
                ///
                /// The store sends `WAIT` after its writes, in the same batch. Where fewer replicas confirm, the call throws
                /// `StoreError.notReplicated`: the primary has made the write. A confirmed write can still be lost, where a replica
                /// that did not confirm it becomes the primary.
                ///
                /// A connection has one `WAIT` at a time. A write that comes while one is under way waits for its end, up to `timeout`, and
                /// then up to `timeout` for its own. Both must end before the deadline, which closes the connection.
                case acknowledgedBy(replicas: Int, timeout: Duration)
            }

            /// A name, or an address without brackets. The addresses of a name share ``connectDeadline``, and one that failed is tried
            /// after the others.
            public var host: String
            /// Redis's own unless told otherwise.
            public var port: UInt16 = 6379
            /// What lies between.
            public var security: Security
            /// The user of Redis's access lists; nil: its default user. It needs `SET`, `GET`, `GETDEL`, `PING` and `SELECT` on keys of
            /// the prefix, and `WAIT` where ``replication`` requires replicas.
            public var username: String?
            /// Sent on each new connection (`AUTH`).
            public var password: String?
            /// Chosen on each new connection, where it is not 0.
            public var database = 0
            /// Before the name of each key. All machines of one service have the same, and no other service has it.
            public var keyPrefix = "bulla:"

            /// How many connections there are at most; a second one is opened when 32 commands wait for an answer.
            public var connectionLimit = 2
            /// From the look-up of the name to the first answer.
            public var connectDeadline = Duration.seconds(2)
            /// From the call to its answer, whatever lies between. When it passes with the command sent, the connection is closed.
            public var deadline = Duration.seconds(2)
            /// The wait after a connection that failed; doubled for each that fails after it, up to ``longestRetryDelay``. Commands that come
            /// meanwhile wait for the next attempt, and fail with it.
            public var retryDelay = Duration.milliseconds(50)
            /// The longest of these waits.
            public var longestRetryDelay = Duration.seconds(1)
            /// Commands without an answer; one more is `unavailable` at once.
            public var queueLimit = 10_000
            /// Bytes of a value, in and out.
            public var valueByteLimit = 65_536
            /// The replicas that must confirm a write; none unless set.
            public var replication = Replication.asynchronous

            /// Numeric addresses in place of those that the resolver finds for ``host``. For tests.
            package var addresses: [String] = []

            /// A server at this host; all else as it comes.
            public init(host: String, security: Security = .tls()) {
                self.host = host
                self.security = security
            }
        }

        /// One of the ``Options``.
        @nonexhaustive public enum Option: String, Sendable {
            /// Empty, or not visible ASCII.
            case host
            /// 0.
            case port
            /// Certificates or keys that cannot be read, do not belong together, or have no file.
            case security
            /// Empty, or given without a password.
            case username
            /// Empty.
            case password
            /// Not between 0 and 1 000 000.
            case database
            /// Longer than 200 bytes.
            case keyPrefix
            /// Not between 1 and 64.
            case connectionLimit
            /// Not between 1 ms and an hour.
            case connectDeadline, deadline, retryDelay, longestRetryDelay
            /// Not between 1 and 1 000 000.
            case queueLimit
            /// Not between 1 byte and 16 MiB.
            case valueByteLimit
            /// Not between 1 and 100 replicas, or a timeout that is not at least 1 ms and less than half of the deadline.
            case replication
        }
    }
#endif
