import JOSETokens

/// A decision on a request: what its response passes on, or why it is not allowed. A gateway gets the values of the
/// configured fields, each with a NUL at its end, and a service gets the claims as JSON.
typealias GatewayDecision = Result<[UInt8], GatewayRejection>

/// The course of a request.
enum GatewayRoute {
    /// The decision depends on no token. The policy is nil if none applies.
    case decided(GatewayDecision, GatewayPolicy?)
    /// The token is verified, and the policy decides.
    case token(GatewayCredentials, TokenVerifier, GatewayPolicy)
}

/// The policies of a configuration, by which requests are routed.
struct GatewayRouter: Sendable {
    /// Whether the services distinguish upper and lower case in paths.
    let distinguishesCase: Bool
    /// The policies, those with the longest path first, in the normal form.
    let policies: [GatewayPolicy]
    /// Whether a policy takes tokens from a cookie, and whether one accepts proofs.
    let readsCookies: Bool
    let readsProofs: Bool

    init(_ policies: [GatewayPolicy], distinguishesCase: Bool) {
        self.distinguishesCase = distinguishesCase
        self.policies = policies.sorted { $0.normal.count > $1.normal.count }
        readsCookies = policies.contains { $0.cookie != nil }
        readsProofs = policies.contains { $0.proofs != nil }
    }

    /// Returns the policy for the path of a request: that with the longest matching prefix, in every reading of the
    /// path.
    func policy(for sent: [UInt8]) throws(GatewayRejection) -> GatewayPolicy {
        guard let path = GatewayPath(sent, distinguishesCase: distinguishesCase) else {
            throw .forbidden("path_not_normalized")
        }
        // A policy that applies to the path as it was sent applies in the normal form, too, and every reading is
        // between these two.
        let policy = policies.first { GatewayPath.isWithin(path.normal, $0.normal) }
        let literal = policies.first { GatewayPath.isWithin(path.literal, $0.prefix) }
        guard !path.isAmbiguous, policy === literal else { throw .forbidden("path_ambiguous") }
        guard let policy else { throw .forbidden("path_without_policy") }
        return policy
    }

    /// Finds the policy for a request, and its token.
    func route(_ request: GatewayRequest) -> GatewayRoute {
        guard !request.isRepeated else { return .decided(.failure(.badRequest("field_repeated")), nil) }
        guard let sent = request.path else { return .decided(.failure(.forbidden("path_missing")), nil) }
        let policy: GatewayPolicy
        do throws(GatewayRejection) { policy = try self.policy(for: sent) } catch {
            return .decided(.failure(error), nil)
        }
        guard let verifier = policy.verifier else {
            return .decided(.success(policy.outputWithoutToken(for: request.sender)), policy)
        }
        do throws(GatewayRejection) { return .token(try policy.credentials(of: request), verifier, policy) } catch {
            return .decided(.failure(error), policy)
        }
    }
}
