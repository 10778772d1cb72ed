#if Server
    internal import CJOSEServe
    import JOSE
    import JOSEBytes
    import JOSEKeySets
    import JOSETokens
    internal import Synchronization

    /// One thread that reads requests, and answers those whose tokens are verified at once.
    @safe final class GatewayLoop: @unchecked Sendable {  // one thread uses it, after `open`
        private let server: GatewayServer
        private var handle: OpaquePointer?
        /// Whether the loop is open for calls of other threads.
        private let isOpen = Mutex(false)
        private var generation: GatewayGeneration?
        /// The requests of this turn that are verified together.
        private var gathered: [GatewayJob] = []
        private var isDraining = false

        private static let largestBody = 1 << 20
        private static let mostWaiting = 256

        init(_ server: GatewayServer) { self.server = server }

        func open(_ socket: Int32, _ configuration: GatewayConfiguration) -> Bool {
            var options = cjose_serve_loop_options(
                socket: socket, body_limit: Self.largestBody, head_limit: configuration.headBytes,
                reply_limit: configuration.replyBytes, connections: UInt32(configuration.connections),
                timeout: UInt32(configuration.timeout), request_timeout: UInt32(configuration.requestTimeout))
            let context = unsafe Unmanaged.passUnretained(self).toOpaque()
            unsafe handle = cjose_serve_loop_create(
                &options,
                { context, request, reply in
                    guard let context = unsafe context else { return }
                    unsafe Unmanaged<GatewayLoop>.fromOpaque(context)._withUnsafeGuaranteedRef { loop in
                        unsafe loop.handle(request, reply)
                    }
                }, context)
            guard unsafe handle != nil else { return false }
            isOpen.withLock { $0 = true }
            return true
        }

        /// Ends a wait of the loop, or its next one. Any thread may call it.
        func wake() {
            isOpen.withLock { isOpen in
                if isOpen, let handle = unsafe handle { unsafe cjose_serve_loop_wake(handle) }
            }
        }

        /// The numbers of connections that were closed because they were slow, and because all were taken. Any thread may call it.
        var closed: (slow: Int, displaced: Int) {
            isOpen.withLock { isOpen in
                guard isOpen, let handle = unsafe handle else { return (0, 0) }
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
            isOpen.withLock { $0 = false }
            unsafe cjose_serve_loop_free(handle)
            unsafe self.handle = nil
        }

        private func verifyGathered() {
            while let first = gathered.first {
                let (same, others) = gathered.reduce(into: ([GatewayJob](), [GatewayJob]())) { parts, job in
                    if job.policy === first.policy { parts.0.append(job) } else { parts.1.append(job) }
                }
                gathered = others
                GatewayJob.verify(same)
            }
        }

        @unsafe private func handle(_ request: OpaquePointer, _ reply: OpaquePointer) {
            guard let configuration = generation?.configuration else { return }
            server.handled.add(1, ordering: .relaxed)
            let path = unsafe cjose_serve_request_path(request)
            if unsafe GatewayReply.isPath(path, "/auth") {
                unsafe judge(GatewayReply.request(request, configuration), request, reply, configuration)
            } else if unsafe GatewayReply.isPath(path, "/verify") {
                guard let call = unsafe GatewayReply.call(request, configuration) else {
                    return unsafe GatewayReply.text(
                        reply, 400, #"{"error":"request_malformed"}"# + "\n", "application/json")
                }
                unsafe judge(call, request, reply, configuration)
            } else {
                let text = unsafe String(cString: path)
                unsafe answerOperator(text, reply, configuration)
            }
        }

        @unsafe private func answerOperator(
            _ path: String, _ reply: OpaquePointer, _ configuration: GatewayConfiguration
        ) {
            switch path {
            case "/healthz": unsafe GatewayReply.text(reply, 200, "ok\n", "text/plain")
            case "/readyz":
                let (status, text) = configuration.readiness(isCurrent: server.metrics.isConfigurationCurrent)
                unsafe GatewayReply.text(reply, status, text, "text/plain")
            case "/metrics":
                let pools = [("decryption", server.decryptions.counts), ("proof", server.proofs.counts)]
                let text = server.metrics.text(
                    configuration, pools: pools, logDrops: server.log.dropped, closed: server.closed,
                    isReplayStoreUsable: configuration.sharesReplays ? server.replays.isUsable : nil,
                    clockRejections: server.replays.clockRejections)
                unsafe GatewayReply.text(reply, 200, text, "text/plain; version=0.0.4")
            default: unsafe GatewayReply.text(reply, 404, "not found\n", "text/plain")
            }
        }

        @unsafe private func judge(
            _ wanted: GatewayRequest, _ request: OpaquePointer, _ reply: OpaquePointer,
            _ configuration: GatewayConfiguration
        ) {
            let began = SystemClock.elapsed()
            switch configuration.judge(wanted) {
            case .failure(let early):
                let exchange = unsafe GatewayExchange(server, wanted, configuration, early.policy, began, nil)
                unsafe exchange.write(early.answer, reply)
            case .success(let (policy, verifier, credentials)):
                switch policy.cost {
                case .inLoop:
                    let result: Result<VerifiedToken, TokenError>
                    do throws(TokenError) { result = .success(try verifier.verify(credentials.token.span)) } catch {
                        result = .failure(error)
                    }
                    guard !mayWait(result, policy, configuration) else {
                        return unsafe wait(suspend(wanted, request, configuration, policy, began), policy, credentials)
                    }
                    let exchange = unsafe GatewayExchange(server, wanted, configuration, policy, began, nil)
                    let answer = policy.answer(
                        result, credentials, wanted, headerBytes: configuration.headerBytes)
                    unsafe exchange.write(answer, reply)
                case .batched, .decryption, .proof:
                    let exchange = unsafe suspend(wanted, request, configuration, policy, began)
                    let job = GatewayJob(
                        policy: policy, credentials: credentials, client: wanted.client, began: began
                    ) { [self] result in
                        if mayWait(result, policy, configuration) {
                            wait(exchange, policy, credentials)
                        } else {
                            exchange.finish(result, credentials)
                        }
                    }
                    switch policy.cost {
                    case .inLoop, .batched: gathered.append(job)
                    case .decryption, .proof: exchange.add(job)
                    }
                }
            }
        }

        @unsafe private func suspend(
            _ wanted: GatewayRequest, _ request: OpaquePointer, _ configuration: GatewayConfiguration,
            _ policy: GatewayPolicy, _ began: Double
        ) -> GatewayExchange {
            unsafe cjose_serve_request_suspend(request)
            server.suspended.add(1, ordering: .acquiringAndReleasing)
            return unsafe GatewayExchange(server, wanted, configuration, policy, began, request)
        }

        /// Whether a refresh of the keys is under way that may change the result.
        private func mayWait(
            _ result: Result<VerifiedToken, TokenError>, _ policy: GatewayPolicy, _ configuration: GatewayConfiguration
        ) -> Bool {
            guard case .failure(let error) = result, configuration.wait > .zero,
                error.mayChangeWithKeys(of: .signature),
                policy.sources.contains(where: { $0.remote?.hasRefreshToAwait ?? false })
            else { return false }
            return server.waiting.load(ordering: .relaxed) < Self.mostWaiting
        }

        /// Verifies the token once more after the refresh of the keys. What costs much has its turn in the queue again.
        private func wait(_ exchange: GatewayExchange, _ policy: GatewayPolicy, _ credentials: GatewayCredentials) {
            guard let verifier = policy.verifier else { return }
            let server = server, limit = exchange.configuration.wait
            server.waiting.add(1, ordering: .relaxed)
            Task {
                switch policy.cost {
                case .inLoop, .batched:
                    let result: Result<VerifiedToken, TokenError>
                    do throws(TokenError) {
                        result = .success(try await verifier.verify(credentials.token, timeout: limit))
                    } catch {
                        result = .failure(error)
                    }
                    server.waiting.subtract(1, ordering: .relaxed)
                    exchange.finish(result, credentials)
                case .decryption, .proof:
                    let end = ContinuousClock.now + limit
                    for keys in policy.sources.compactMap(\.remote) where keys.hasRefreshToAwait {
                        _ = try? await keys.awaitMissingKey(timeout: max(.zero, end - .now))
                    }
                    server.waiting.subtract(1, ordering: .relaxed)
                    // The time in the queue begins again.
                    exchange.add(
                        GatewayJob(
                            policy: policy, credentials: credentials, client: exchange.client,
                            began: SystemClock.elapsed()
                        ) { result in
                            exchange.finish(result, credentials)
                        })
                }
            }
        }
    }

    /// A request and the place for its response.
    @safe struct GatewayExchange: @unchecked Sendable {  // a suspended request belongs to the one who resumes it
        let configuration: GatewayConfiguration
        private let server: GatewayServer
        private let wanted: GatewayRequest
        private let policy: GatewayPolicy?
        private let began: Double
        /// The request, if it is suspended.
        private let request: OpaquePointer?

        @unsafe init(
            _ server: GatewayServer, _ wanted: GatewayRequest, _ configuration: GatewayConfiguration,
            _ policy: GatewayPolicy?, _ began: Double, _ request: OpaquePointer?
        ) {
            self.server = server
            self.wanted = wanted
            self.configuration = configuration
            self.policy = policy
            self.began = began
            unsafe self.request = request
        }

        /// The client of the request, where the gateway gives it.
        var client: [UInt8]? { wanted.client }

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
            else { return finish(policy.answer(result, credentials, wanted, headerBytes: headerBytes)) }
            // While the store does not answer, at most `limiter.queued` requests wait for it.
            let waiting = server.marking.add(1, ordering: .relaxed).newValue
            guard waiting <= configuration.queued else {
                server.marking.subtract(1, ordering: .relaxed)
                return finish(policy.answer(.notJudged(TokenError.replay(.storeUnavailable).code)))
            }
            Task { [self] in
                let answer = await policy.answerAwaitingStore(
                    token, proofs, credentials, wanted, headerBytes: headerBytes)
                server.marking.subtract(1, ordering: .relaxed)
                finish(answer)
            }
        }

        private func finish(_ answer: GatewayAnswer) {
            guard let request = unsafe request else { return }
            unsafe write(answer, cjose_serve_request_reply(request))
            unsafe cjose_serve_request_resume(request)
            server.suspended.subtract(1, ordering: .acquiringAndReleasing)
        }

        @unsafe func write(_ answer: GatewayAnswer, _ reply: OpaquePointer) {
            unsafe GatewayReply.write(answer, isCall: wanted.isCall, reply, configuration)
            let seconds = SystemClock.elapsed() - began
            server.metrics.record(answer, seconds: seconds)
            switch configuration.logged {
            case .all: break
            case .rejected: if answer.code == nil { return }
            case .none: return
            }
            server.log.write(answer, path: wanted.path, policy: policy, seconds: seconds)
        }
    }
#endif
