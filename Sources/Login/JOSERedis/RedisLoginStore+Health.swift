#if Redis
    internal import CJOSERedis
    internal import JOSERelyingParty

    extension RedisLoginStore {
        /// The counters and the current state of a store, for metrics and logs. It contains no key and no value.
        public struct Health: Sendable, Equatable {
            /// The number of open connections.
            public let connections: Int
            /// The number of commands that have no reply yet.
            public let outstanding: Int
            /// The number of connections that were established since the store was created. A number much greater than
            /// ``Options/connectionLimit`` indicates that the server closes connections.
            public let connects: Int
            /// The numbers of commands that succeeded, and of commands that failed, since the store was created.
            public let answered: Int, failed: Int
            /// The reason why the last connection, connection attempt or command failed; nil once one has succeeded since.
            ///
            /// ``Fault/readOnly`` and ``Fault/replicas`` remain after a successful connection or read. They end with a write that
            /// the server accepts, including an insert of an existing key and a take of a missing one. If replicas did not
            /// confirm a write, only a write that they confirm ends the fault.
            public let fault: Fault?
        }

        /// The reason why a connection or a command failed, for the operator of the service.
        @nonexhaustive public enum Fault: Sendable, Equatable {
            /// The host name has no address.
            case name
            /// The server refused the connection, or is not reachable.
            case connect
            /// The connection or the reply did not come in time.
            case deadline
            /// The connection ended before the reply was complete.
            case lost
            /// No trusted authority has issued the server's certificate.
            case untrusted
            /// The server's certificate is for another name.
            case serverName
            /// The server requires a client certificate, or rejected the one that it received.
            case clientCertificate
            /// The TLS handshake failed: the server does not speak TLS, or shares no version or cipher with the store.
            case handshake
            /// The user name or password is wrong or missing, or the user lacks a permission.
            case credentials
            /// The server does not have the command or the database.
            case command
            /// The server is loading its data, has no connection or memory left, or has lost its primary or its cluster.
            case busy
            /// The server is a replica, which accepts no writes (`READONLY`): a failover demoted it, and the address still leads
            /// to it.
            case readOnly
            /// Too few replicas confirmed a write, or the server has fewer than it requires (`NOREPLICAS`).
            case replicas
            /// The reply is not valid in the protocol of Redis, or exceeds ``Options/valueByteLimit``.
            case reply
            /// The store was shut down.
            case closed
            /// Memory or descriptors are exhausted.
            case backend
        }
    }

    extension RedisLoginStore.Health {
        init(_ health: cjose_redis_health) {
            self.init(
                connections: Int(health.connections), outstanding: Int(health.outstanding),
                connects: Int(health.connects), answered: Int(health.answered), failed: Int(health.failed),
                fault: RedisLoginStore.Fault(health.fault))
        }
    }

    extension RedisLoginStore.Fault {
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
            case .command, .settings: self = .command
            case .busy, .memory: self = .busy
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
            case .tls_untrusted, .tls_name, .tls_refused, .tls_handshake, .credentials, .command, .settings:
                self = .refused
            case .name, .connect, .connect_deadline, .deadline, .lost, .busy, .read_only, .replicas, .reply, .queue,
                .closed,
                .backend:
                self = .unavailable
            }
        }
    }
#endif
