#if Server
    import JOSE
    import JOSETokens
    internal import Synchronization

    /// A token to verify, and the request that waits for the decision.
    struct GatewayJob: Sendable {
        let policy: GatewayPolicy
        let verifier: TokenVerifier
        let credentials: GatewayCredentials
        var exchange: GatewayExchange

        /// Whether a result is decided at once: new keys do not change it, and no proof belongs to the token.
        func isFinal(_ result: Result<VerifiedToken, TokenError>) -> Bool {
            switch result {
            case .success: !credentials.isBound
            case .failure(let error):
                !policy.awaitsKeys || exchange.configuration.wait == .zero || !verifier.mayWait(after: error)
            }
        }

        /// Decides on the result of a token without a proof.
        func decide(_ result: Result<VerifiedToken, TokenError>) -> GatewayDecision {
            policy.decide(result, exchange.wanted, headerBytes: exchange.configuration.headerBytes)
        }

        /// Answers a suspended request, at once or from a task.
        func complete(_ result: Result<VerifiedToken, TokenError>) {
            if isFinal(result) { exchange.finish(decide(result)) } else { run(after: result) }
        }

        /// Verifies the token of a suspended request in a task, and answers the request. What costs much runs on the
        /// threads for it.
        ///
        /// - Parameter first: The result of the first attempt, if there was one.
        func run(after first: Result<VerifiedToken, TokenError>? = nil) {
            let isCostly = policy.cost == .decryption || credentials.isBound
            Task(executorPreference: isCostly ? exchange.configuration.workers.threads : nil) {
                let result = await verified(after: first)
                guard case .success(let token) = result, credentials.isBound, let proofs = policy.proofs else {
                    return exchange.finish(decide(result))
                }
                let rejection = await rejection(token.claims, proofs)
                let headerBytes = exchange.configuration.headerBytes
                exchange.finish(policy.decide(token.claims, rejection, exchange.wanted, headerBytes: headerBytes))
            }
        }

        private func verified(
            after first: Result<VerifiedToken, TokenError>?
        ) async -> Result<VerifiedToken, TokenError> {
            let configuration = exchange.configuration, token = credentials.token
            let wait = TokenWait(
                forKeys: configuration.wait, client: exchange.wanted.client?.hashValue,
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
