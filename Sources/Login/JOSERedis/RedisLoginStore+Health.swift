#if Redis
    internal import CJOSERedis
    internal import JOSERelyingParty

    extension RedisLoginStore {
        /// For gauges and logs; it holds no key and no value.
        public struct Health: Sendable, Equatable {
            /// Connections that are open now.
            public let connections: Int
            /// Commands without an answer now.
            public let outstanding: Int
            /// Connections that came about since the store was made: many more than there may be at a time tell of a server that goes away.
            public let connects: Int
            /// Commands that were answered, and those that failed.
            public let answered: Int, failed: Int
            /// The reason why the last connection, attempt or command failed; nil once one has succeeded since.
            ///
            /// A connection or a read does not end ``Fault/readOnly`` and ``Fault/replicas``. A write that the server accepts does, also an
            /// insert of a key that is taken and a take of one that is not there. Where replicas did not confirm a write, only a write that
            /// they confirm does.
            public let fault: Fault?
        }

        /// Why a connection or a command failed, for who runs the service.
        @nonexhaustive public enum Fault: Sendable, Equatable {
            /// The host's name has no address.
            case name
            /// Nobody listens there, or the way there is closed.
            case connect
            /// Not connected, or no answer, in time.
            case deadline
            /// It ended in the middle.
            case lost
            /// The certificate is of nobody who is believed.
            case untrusted
            /// The certificate is of another server.
            case serverName
            /// The server wants a certificate of ours, or another one.
            case clientCertificate
            /// Not TLS, or no version or cipher that both speak.
            case handshake
            /// Wrong user or password, none where one is needed, or a user who may not.
            case credentials
            /// A command, or a database, that the server does not have.
            case command
            /// It loads its data, has no connection or memory left, or has lost its primary or its cluster.
            case busy
            /// The server is a replica, which accepts no writes (`READONLY`): a failover demoted it, and the address has not moved yet.
            case readOnly
            /// Too few replicas confirmed a write, or the server has fewer than it requires (`NOREPLICAS`).
            case replicas
            /// What came is no answer of Redis's, or larger than a value may be.
            case reply
            /// The store was shut down.
            case closed
            /// Out of memory or descriptors.
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
        /// Nil: it is none.
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
