#if Redis
    internal import CJOSERedis
    internal import JOSETokens

    /// The counters and the current state of a store, for metrics and logs. It contains no keys or values of the
    /// store.
    public struct RedisHealth: Sendable, Equatable {
        /// The number of open connections.
        public let connections: Int
        /// The number of commands that have no reply yet.
        public let outstanding: Int
        /// The number of connections that were established since the store was created. A number much greater than
        /// ``RedisOptions/connectionLimit`` indicates that the server closes connections.
        public let connects: Int
        /// The number of commands that have succeeded (`answered`) or failed (`failed`) since the store was
        /// created.
        public let answered: Int, failed: Int
        /// A text for the operator of the service that says why the last command or connection failed, such as `the
        /// server is a replica, which accepts no writes`. It is nil if a later one has succeeded. Its wording may
        /// change; ``faultCode`` does not.
        ///
        /// That the server is a replica or has too few replicas is not cleared by a successful connection or read, but
        /// when the server accepts a write, even if its key exists already (insert) or does not exist (take). If the
        /// reason was that replicas did not confirm a write, only a write that they confirm clears the fault.
        public var fault: String? { cause?.text }
        /// The stable code of ``fault``, for alerts and metrics; nil if there is no fault.
        ///
        /// | code | what the operator does |
        /// |---|---|
        /// | `name` | correct the host name, or the resolver |
        /// | `connect` | start the server; correct the host and the port, or the firewall |
        /// | `deadline`, `lost` | look at the load of the server and at the network |
        /// | `untrusted` | configure the authority that issued the server's certificate |
        /// | `server_name` | correct the host, or `serverName` of the TLS configuration |
        /// | `client_certificate` | configure a client certificate that the server accepts |
        /// | `handshake` | use the port on which the server speaks TLS |
        /// | `credentials` | correct the user name, the password or the user's permissions (ACL) |
        /// | `command` | use a supported version of the server, an existing database, and another prefix of the keys |
        /// | `busy` | wait; raise `maxclients` or the memory of the server; repair its cluster |
        /// | `read_only` | let the host name lead to the primary |
        /// | `replicas` | repair the replicas of the server |
        /// | `reply` | look at what listens on the port, and at ``RedisOptions/valueByteLimit`` |
        /// | `disk` | free space on the disk of the server |
        /// | `evicting` | set `maxmemory-policy noeviction` |
        /// | `not_persistent` | set `appendonly yes` |
        /// | `closed` | nothing: the service has shut the store down |
        /// | `backend` | give the process more memory or file descriptors |
        public var faultCode: String? { cause?.rawValue }
        package let cause: RedisFault?
    }

    /// The reason why a connection or a command of the store failed.
    package enum RedisFault: String, Sendable, CaseIterable {
        // The raw values are the codes of `RedisHealth.faultCode`, which do not change.
        /// The host name could not be resolved to an address.
        case name
        /// The server refused the connection, or cannot be reached.
        case connect
        /// The connection was not established, or the reply did not arrive, before the deadline.
        case deadline
        /// The connection ended before the reply was complete.
        case lost
        /// No trusted certificate authority has issued the server's certificate.
        case untrusted
        /// The server's certificate does not contain the expected name.
        case serverName = "server_name"
        /// The server requires a client certificate, or rejected the one that it received.
        case clientCertificate = "client_certificate"
        /// The TLS handshake failed: the server does not speak TLS, or shares no version or cipher with the store.
        case handshake
        /// The user name or password is wrong or missing, or the user lacks a permission.
        case credentials
        /// The server does not support the command, or does not have the database.
        case command
        /// The server is loading its data, has no connection or memory left, or has lost its primary or its
        /// cluster.
        case busy
        /// The server is a replica, which rejects writes (`READONLY`): a failover demoted it, and the host name
        /// still leads to it.
        case readOnly = "read_only"
        /// Too few replicas confirmed a write, or too few are connected to the primary (`NOREPLICAS`).
        case replicas
        /// The reply violates the Redis protocol, or exceeds ``RedisOptions/valueByteLimit``.
        case reply
        /// The server accepts no writes, because it cannot write to its disk (`MISCONF`), which may be full.
        case disk
        /// The server removes keys to free memory (its `maxmemory-policy` is not `noeviction`), which a
        /// `RedisReplayStore` does not accept.
        case evicting
        /// The server writes no append-only file (`appendonly no`), which a `RedisReplayStore` does not accept.
        case notPersistent = "not_persistent"
        /// The store was shut down.
        case closed
        /// Memory or file descriptors are exhausted.
        case backend

        /// A clause that says what is wrong.
        package var text: String {
            switch self {
            case .evicting:
                "the server's maxmemory-policy is not noeviction, so that it may remove what it has confirmed"
            case .notPersistent:
                "the server writes no append-only file (appendonly no), so that it loses what it has confirmed when it ends"
            case .name: "the server's name has no address"
            case .connect: "the server refuses connections, or cannot be reached"
            case .deadline: "the server did not answer in time"
            case .lost: "the connection ended before the answer"
            case .untrusted: "no trusted authority has issued the server's certificate"
            case .serverName: "the server's certificate has another name"
            case .clientCertificate: "the server requires another certificate of the client"
            case .handshake: "the TLS handshake failed"
            case .credentials: "the user name or password is wrong or missing, or the user lacks a permission"
            case .command:
                "the server does not have the command or the database, or one of the keys has another type"
            case .busy: "the server loads its data, or has no connection left"
            case .readOnly: "the server is a replica, which accepts no writes"
            case .replicas: "the server has too few replicas"
            case .disk: "the server cannot write to its disk, which may be full"
            case .reply: "the server's answer cannot be read"
            case .closed: "the store was shut down"
            case .backend: "memory or file descriptors are exhausted"
            }
        }
    }

    extension RedisHealth {
        init(_ health: cjose_redis_health) {
            self.init(
                connections: Int(health.connections), outstanding: Int(health.outstanding),
                connects: Int(health.connects), answered: Int(health.answered), failed: Int(health.failed),
                cause: RedisFault(health.fault))
        }
    }

    extension RedisFault {
        init?(_ status: cjose_redis_status) {
            switch status {
            case .ok: return nil
            case .name: self = .name
            case .connect: self = .connect
            case .connect_deadline, .deadline: self = .deadline
            case .lost, .cancelled, .queue: self = .lost
            case .tls_untrusted: self = .untrusted
            case .tls_name: self = .serverName
            case .tls_refused: self = .clientCertificate
            case .tls_handshake: self = .handshake
            case .credentials: self = .credentials
            case .command, .settings, .no_script: self = .command
            case .evicting: self = .evicting
            case .not_persistent: self = .notPersistent
            case .busy, .memory: self = .busy
            case .disk: self = .disk
            case .read_only: self = .readOnly
            case .replicas, .unreplicated: self = .replicas
            case .reply: self = .reply
            case .closed: self = .closed
            case .backend: self = .backend
            }
        }
    }

    extension StoreError {
        /// Creates the error for a status of the shim. Nil for success.
        init?(_ status: cjose_redis_status) {
            switch status {
            case .ok: return nil
            case .memory: self = .full
            case .unreplicated: self = .notReplicated
            case .cancelled: self = .cancelled
            case .tls_untrusted, .tls_name, .tls_refused, .tls_handshake, .credentials, .command, .settings, .evicting,
                .not_persistent, .no_script:
                self = .refused
            case .name, .connect, .connect_deadline, .deadline, .lost, .busy, .read_only, .replicas, .disk, .reply,
                .queue, .closed, .backend:
                self = .unavailable
            }
        }
    }
#endif
