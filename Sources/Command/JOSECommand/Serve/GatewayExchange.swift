#if Server
    internal import CJOSEServe
    import JOSE
    import JOSEBytes
    import JOSETokens
    internal import Synchronization

    /// A request that has a route, and the place for its response.
    @safe struct GatewayExchange: @unchecked Sendable {  // a suspended request belongs to the one who resumes it
        let configuration: GatewayConfiguration
        let began: Double
        private let server: GatewayServer
        private let wanted: GatewayRequest
        private let policy: GatewayPolicy?
        /// The request, if it is suspended.
        private var suspended: OpaquePointer?

        init(
            _ server: GatewayServer, _ wanted: GatewayRequest, _ configuration: GatewayConfiguration,
            _ policy: GatewayPolicy?, _ began: Double
        ) {
            self.server = server
            self.wanted = wanted
            self.configuration = configuration
            self.policy = policy
            self.began = began
        }

        /// Suspends the request during a call of the handler, which then returns without a response.
        @unsafe mutating func suspend(_ request: OpaquePointer) {
            unsafe cjose_serve_request_suspend(request)
            server.suspended.add(1, ordering: .acquiringAndReleasing)
            unsafe suspended = request
        }

        /// Returns the job of verifying the token.
        func job(
            _ policy: GatewayPolicy, _ credentials: GatewayCredentials, began: Double,
            finish: @escaping @Sendable (Result<VerifiedToken, TokenError>) -> Void
        ) -> GatewayJob {
            GatewayJob(
                policy: policy, credentials: credentials, client: wanted.client, began: began, finish: finish)
        }

        /// Adds a job of this suspended request to the queue for its kind of work, and answers that of the job that has no room in it.
        func add(_ job: GatewayJob) {
            let workers = job.policy.cost == .proof ? server.proofs : server.decryptions
            workers.add(job)?.finish(.failure(.jose(.overloaded(.queueFull), layer: .encryption)))
        }

        /// Answers a suspended request, and resumes it.
        func finish(_ result: Result<VerifiedToken, TokenError>, _ credentials: GatewayCredentials) {
            guard let policy else { return }
            let headerBytes = configuration.headerBytes
            guard case .success(let token) = result, credentials.isBound, let proofs = policy.proofs, proofs.awaitsStore
            else { return finish(policy.decide(result, credentials, wanted, headerBytes: headerBytes)) }
            // While the store does not answer, at most `limiter.queued` requests wait for it.
            let waiting = server.marking.add(1, ordering: .relaxed).newValue
            guard waiting <= configuration.queued else {
                server.marking.subtract(1, ordering: .relaxed)
                return finish(.failure(.undecided(TokenError.replay(.storeUnavailable).code)))
            }
            Task { [self] in
                let decision = await policy.decideAwaitingStore(
                    token, proofs, credentials, wanted, headerBytes: headerBytes)
                server.marking.subtract(1, ordering: .relaxed)
                finish(decision)
            }
        }

        private func finish(_ decision: GatewayDecision) {
            guard let request = unsafe suspended else { return }
            unsafe respond(decision, cjose_serve_request_reply(request))
            unsafe cjose_serve_request_resume(request)
            server.suspended.subtract(1, ordering: .acquiringAndReleasing)
        }

        /// Writes the response for a decision, counts it, and logs it if the configuration says so.
        @unsafe func respond(_ decision: GatewayDecision, _ reply: OpaquePointer) {
            let response = GatewayResponse(decision, for: wanted.sender, under: policy, configuration)
            unsafe response.write(to: reply)
            let seconds = SystemClock.elapsed() - began
            server.metrics.record(response, seconds: seconds)
            switch configuration.logged {
            case .all: break
            case .rejected: if response.code == nil { return }
            case .none: return
            }
            server.log.write(response, path: wanted.path, policy: policy, seconds: seconds)
        }
    }
#endif
