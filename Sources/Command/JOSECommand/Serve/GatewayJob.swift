#if Server
    import JOSE
    import JOSETokens

    /// A token to verify, and the suspended request that waits for the decision.
    struct GatewayJob: Sendable {
        let policy: GatewayPolicy
        let verifier: TokenVerifier
        let credentials: GatewayCredentials
        let exchange: GatewayExchange

        /// Answers the request, at once or from a task.
        func complete(_ result: Result<VerifiedToken, TokenError>) {
            let configuration = exchange.configuration
            guard policy.isFinal(result, credentials, configuration) else { return run(after: result) }
            exchange.finish(policy.decide(result, exchange.wanted, configuration))
        }

        /// Verifies the token in a task, and answers the request. What costs much runs on the threads for it.
        ///
        /// - Parameter first: The result of the first attempt, if there was one.
        func run(after first: Result<VerifiedToken, TokenError>? = nil) {
            let isCostly = policy.cost == .decryption || credentials.isBound
            Task(executorPreference: isCostly ? exchange.configuration.workers.threads : nil) {
                let result = await verified(after: first)
                guard case .success(let token) = result, credentials.isBound, let proofs = policy.proofs else {
                    return exchange.finish(policy.decide(result, exchange.wanted, exchange.configuration))
                }
                let rejection = await rejection(token.claims, proofs)
                exchange.finish(policy.decide(token.claims, rejection, exchange.wanted, exchange.configuration))
            }
        }

        private func verified(
            after first: Result<VerifiedToken, TokenError>?
        ) async -> Result<VerifiedToken, TokenError> {
            let configuration = exchange.configuration, token = credentials.token
            let wait = TokenWait(
                forKeys: configuration.settings.wait, client: exchange.wanted.client?.hashValue,
                keyWaits: configuration.workers.keyWaits)
            do throws(TokenError) {
                switch first {
                case .success(let token)?: return .success(token)
                case .failure(let error)?: return .success(try await verifier.verify(token, after: error, wait))
                case nil:
                    guard let coalescing = policy.coalescing else {
                        return .success(try await verifier.verify(token, wait))
                    }
                    return .success(try await coalescing.verify(token, wait))
                }
            } catch {
                return .failure(error)
            }
        }

        /// Checks the proof of a token that is bound to a key. Returns nil if it is valid.
        private func rejection(_ token: Claims, _ proofs: GatewayProofs) async -> GatewayRejection? {
            let request = exchange.wanted
            guard !proofs.awaitsStore else {
                return await exchange.marking {
                    await proofs.rejectionAwaitingStore(of: request, credentials.token, token)
                }
            }
            let limiter = exchange.configuration.workers.proofs
            let number = credentials.token.hashValue
            do throws(JOSEError) {
                try await limiter.enter(
                    timeout: nil, share: LimiterShare(client: request.client?.hashValue, token: number))
            } catch {
                return GatewayRejection(ofToken: .jose(error, layer: .encryption))
            }
            defer { limiter.leave() }
            let rejection = proofs.rejection(of: request, credentials.token, token)
            if rejection == nil { limiter.remember(number) }
            return rejection
        }
    }
#endif
