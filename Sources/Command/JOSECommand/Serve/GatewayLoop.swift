#if Server
    internal import CJOSEServe
    import JOSE
    import JOSEBytes
    import JOSEKeySets
    import JOSESettings
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
                guard policy.cost == .inLoop else {
                    unsafe exchange.suspend(request)
                    return add(exchange, policy, credentials)
                }
                let result: Result<VerifiedToken, TokenError>
                do throws(TokenError) { result = .success(try verifier.verify(credentials.token.span)) } catch {
                    result = .failure(error)
                }
                guard !mayWait(result, policy, configuration) else {
                    unsafe exchange.suspend(request)
                    return wait(exchange, policy, credentials)
                }
                let headerBytes = configuration.headerBytes
                unsafe exchange.respond(policy.decide(result, credentials, wanted, headerBytes: headerBytes), reply)
            }
        }

        /// Lets the token of a suspended request be verified with others, or on other threads.
        private func add(_ exchange: GatewayExchange, _ policy: GatewayPolicy, _ credentials: GatewayCredentials) {
            let job = exchange.job(policy, credentials, began: exchange.began) { [self] result in
                if mayWait(result, policy, exchange.configuration) {
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
                        exchange.job(policy, credentials, began: SystemClock.elapsed()) { result in
                            exchange.finish(result, credentials)
                        })
                }
            }
        }
    }
#endif
