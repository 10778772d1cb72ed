#if Server
    internal import CJOSEServe
    import JOSE
    import JOSESupport
    import JOSETokens
    internal import Synchronization

    /// A request that has a route, and where its response goes.
    @safe struct GatewayExchange: @unchecked Sendable {  // a suspended request belongs to the one who resumes it
        let configuration: GatewayConfiguration
        let wanted: GatewayRequest
        private let began: Double
        private let server: GatewayServer
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

        /// Checks a proof whose store is awaited. While the store does not answer, at most `limiter.queued` requests
        /// wait for it.
        func marking(_ check: () async -> GatewayRejection?) async -> GatewayRejection? {
            defer { server.marking.subtract(1, ordering: .relaxed) }
            guard server.marking.add(1, ordering: .relaxed).newValue <= configuration.settings.queued else {
                return .undecided(TokenError.replay(.storeUnavailable).code)
            }
            return await check()
        }

        /// Answers a suspended request, and resumes it.
        func finish(_ decision: GatewayDecision) {
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
            switch configuration.settings.logged {
            case .all: break
            case .rejected: if response.code == nil { return }
            case .none: return
            }
            server.log.write(response, path: wanted.path, policy: policy, seconds: seconds)
        }
    }
#endif
