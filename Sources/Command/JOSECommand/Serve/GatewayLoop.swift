#if Server
    internal import CJOSEServe
    import JOSE
    import JOSESupport
    import JOSETokens
    internal import Synchronization

    /// One thread that reads requests, and answers those whose tokens are verified at once.
    @safe final class GatewayLoop: @unchecked Sendable {  // one thread uses it, after `start`
        private let server: GatewayServer
        private var handle: OpaquePointer?
        /// Whether other threads may call the loop.
        private let isStarted = Mutex(false)
        private var generation: GatewayGeneration?
        /// The requests of this turn whose tokens are verified together, by their policy.
        private var gathered: [ObjectIdentifier: [GatewayJob]] = [:]
        private var isDraining = false

        init(_ server: GatewayServer) { self.server = server }

        func start(_ socket: Int32, _ configuration: GatewayConfiguration) -> Bool {
            var limits = Self.limits(configuration)
            let context = unsafe Unmanaged.passUnretained(self).toOpaque()
            unsafe handle = cjose_serve_loop_create(
                socket, &limits,
                { context, request, reply in
                    guard let context = unsafe context else { return }
                    unsafe Unmanaged<GatewayLoop>.fromOpaque(context)._withUnsafeGuaranteedRef { loop in
                        unsafe loop.handle(request, reply)
                    }
                }, context)
            guard unsafe handle != nil else { return false }
            isStarted.withLock { $0 = true }
            return true
        }

        private static func limits(_ configuration: GatewayConfiguration) -> cjose_serve_limits {
            let settings = configuration.settings
            var limits = cjose_serve_limits()
            limits.body = 1 << 20
            limits.head = settings.headBytes
            limits.reply = configuration.replyBytes
            limits.connections = UInt32(settings.connections)
            limits.idle_seconds = UInt32(settings.timeout)
            limits.request_seconds = UInt32(settings.requestTimeout)
            return limits
        }

        /// Ends a wait of the loop, or its next one. Any thread may call it.
        func wake() {
            isStarted.withLock { isStarted in
                if isStarted, let handle = unsafe handle { unsafe cjose_serve_loop_wake(handle) }
            }
        }

        /// The numbers of connections that were closed because they were slow, and because all were taken. Any thread
        /// may call it.
        var closed: (slow: Int, displaced: Int) {
            isStarted.withLock { isStarted in
                guard isStarted, let handle = unsafe handle else { return (0, 0) }
                return unsafe (Int(cjose_serve_loop_slow(handle)), Int(cjose_serve_loop_displaced(handle)))
            }
        }

        /// Serves until the service ends.
        func run() {
            guard let handle = unsafe handle else { return }
            while !server.isEnding.load(ordering: .relaxed) || server.suspended.load(ordering: .acquiring) > 0 {
                // Whatever there is to do ends the wait. An end that waits for the last request is looked for as well.
                unsafe cjose_serve_loop_wait(handle, isDraining ? 20 : 1000)
                generation = server.generation
                unsafe cjose_serve_loop_turn(handle)
                verifyGathered()
                if server.isDraining.load(ordering: .relaxed) {
                    if !isDraining { unsafe cjose_serve_loop_drain(handle) }
                    isDraining = true
                    if server.suspended.load(ordering: .acquiring) == 0,
                        unsafe cjose_serve_loop_connections(handle) == 0
                    {
                        break
                    }
                }
            }
            // A request that was resumed last is answered in the next turn.
            for _ in 0..<3 {
                unsafe cjose_serve_loop_wait(handle, 0)
                unsafe cjose_serve_loop_turn(handle)
            }
            isStarted.withLock { $0 = false }
            unsafe cjose_serve_loop_free(handle)
            unsafe self.handle = nil
        }

        private func verifyGathered() {
            for jobs in gathered.values {
                guard let batch = jobs.first?.policy.batch else { continue }
                let results = batch.verifySynchronously(jobs.map(\.credentials.token))
                for (job, result) in zip(jobs, results) { job.complete(result) }
            }
            gathered.removeAll(keepingCapacity: true)
        }

        /// Answers a request, or suspends it until its token is verified.
        @unsafe private func handle(_ request: OpaquePointer, _ reply: OpaquePointer) {
            guard let configuration = generation?.configuration else { return }
            server.handled.add(1, ordering: .relaxed)
            let path = unsafe String(cString: cjose_serve_request_path(request))
            guard let sender = GatewayRequest.Sender(rawValue: path) else {
                return unsafe server.operatorResponse(path, configuration).write(to: reply)
            }
            guard let wanted = unsafe GatewayRequest.read(request, from: sender, configuration) else {
                return unsafe GatewayResponse.malformed.write(to: reply)
            }
            let began = SystemClock.elapsed()
            switch configuration.router.route(wanted) {
            case .decided(let decision, let policy):
                let exchange = GatewayExchange(server, wanted, configuration, policy, began)
                unsafe exchange.respond(decision, reply)
            case .token(let credentials, let verifier, let policy):
                var exchange = GatewayExchange(server, wanted, configuration, policy, began)
                var first: Result<VerifiedToken, TokenError>?
                if policy.cost == .inLoop {
                    let result = Result { () throws(TokenError) in try verifier.verify(credentials.token.span) }
                    if policy.isFinal(result, credentials, configuration) {
                        return unsafe exchange.respond(policy.decide(result, wanted, configuration), reply)
                    }
                    first = result
                }
                unsafe exchange.suspend(request)
                let job = GatewayJob(policy: policy, verifier: verifier, credentials: credentials, exchange: exchange)
                if policy.cost == .batched {
                    gathered[ObjectIdentifier(policy), default: []].append(job)
                } else {
                    job.run(after: first)
                }
            }
        }
    }
#endif
