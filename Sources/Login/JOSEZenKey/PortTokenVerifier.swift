internal import JOSE
internal import JOSEKeySets
internal import JOSERelyingParty
internal import JOSESupport
internal import JOSETokens

/// A verifier of port tokens. Its checks are in the order of the specification. Nothing is sent before the token's
/// issuer is found among the trusted ones.
struct PortTokenVerifier: Sendable {
    let clientID: String
    let trust: ZenKeyCarrierTrust
    let transport: any HTTPTransport
    let keys: CarrierKeys
    let clock: WallClock
    /// Returns monotonic seconds.
    let elapsed: @Sendable () -> Double

    /// Verifies a port token.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - current: The user's current reference, from the ID token that contained the port token.
    ///   - deadline: The time after which nothing is fetched or waited for.
    func verify(
        _ token: String, current: AccountReference, until deadline: CallDeadline
    ) async throws(RelyingPartyError) -> PortToken {
        let issuer = try parse(token, current: current)
        let metadata = try await configuration(of: issuer, until: deadline)
        let address: String
        do throws(DiscoveryFault) { address = try metadata.requiredURL(.jwksURI) } catch {
            throw fault(RelyingPartyError.Reason(error))
        }
        guard trust.trusts(address) else { throw fault(.untrustedIssuer) }
        let source: RemoteKeySet
        do throws(KeySetError) { source = try keys.source(issuer: issuer, url: address) } catch {
            throw fault(.discoveryMismatch)
        }
        let claims = try await verified(token, issuer: issuer, keys: source, until: deadline)
        guard claims.audience.count == 1 else { throw fault(.audienceMismatch) }
        // An ID token of the user's former carrier has the same issuer, audience and subject as a port token, and the
        // nonce of a login, which a port token has not.
        guard !claims.contains("nonce") else { throw fault(.claimType("nonce")) }
        // A logout token of that carrier has no nonce either, and may name no type.
        guard !claims.contains("events") else { throw fault(.claimUnexpected("events")) }
        guard let subject = claims.subject, !subject.isEmpty else { throw fault(.claimType("sub")) }
        // A token with the user's current subject leads to no other account.
        guard !bytesEqual(subject, current.subject) else { throw fault(.subjectMismatch) }
        let issued = claims.issuedAt ?? clock.now
        let end = issued + PortToken.lifetime + Duration.seconds(2 * 60)
        return PortToken(
            old: AccountReference(issuer: issuer, subject: subject), hash: try PortToken.hash(token),
            remaining: max(.seconds(1), end - clock.now))
    }

    private func fault(_ failure: RelyingPartyError.Reason) -> RelyingPartyError {
        RelyingPartyError(failure, in: .portToken)
    }

    /// Parses a token, and returns its issuer, which is trusted but not yet verified.
    private func parse(_ token: String, current: AccountReference) throws(RelyingPartyError) -> String {
        guard token.utf8.count <= PortToken.byteLimit else { throw fault(.tooLarge) }
        let unverified: UnverifiedToken
        do throws(JOSEError) { unverified = try UnverifiedToken(token) } catch { throw fault(.malformed) }
        guard !unverified.isEncrypted else { throw fault(.malformed) }
        guard bytesEqual(unverified.header.algorithmName, "RS256") else {
            throw fault(.algorithmNotAllowed)
        }
        guard unverified.header.keyID?.isEmpty == false else { throw fault(.malformed) }
        guard PortToken.accepts(type: unverified.header.type) else { throw fault(.contentTypeMismatch) }
        guard let issuer = unverified.issuer, trust.trusts(issuer), !bytesEqual(issuer, current.issuer)
        else { throw fault(.untrustedIssuer) }
        return issuer
    }

    /// Fetches the metadata of an issuer. Some issuers spell the well-known name with an underscore: after the status
    /// 404 or 410, and after no other failure, the second URL is requested.
    private func configuration(
        of issuer: String, until deadline: CallDeadline
    ) async throws(RelyingPartyError) -> IssuerMetadata {
        let addresses: [String]
        do throws(DiscoveryFault) {
            addresses = try Discovery.openID.otherwise(.wellKnown("openid_configuration", .behindPath))
                .addresses(of: issuer)
        } catch {
            throw fault(.untrustedIssuer)
        }
        for address in addresses {
            var request = TransportRequest(url: address)
            request.headers = [TransportHeaderField("Accept", "application/json")]
            request.bodyLimit = IssuerMetadata.byteLimit
            request.deadline = try deadline.limit(.seconds(5), .portToken)
            let response: TransportResponse
            do throws(TransportError) { response = try await transport.send(request) } catch {
                throw fault(error == .cancelled ? .interrupted : .unreachable)
            }
            if [404, 410].contains(response.status) { continue }
            guard response.status == 200 else { break }
            do throws(DiscoveryFault) { return try IssuerMetadata(parsing: response.body, issuer: issuer) } catch {
                throw fault(RelyingPartyError.Reason(error))
            }
        }
        throw fault(.unreachable)
    }

    /// Verifies the signature and the claims of a token, and returns the claims.
    private func verified(
        _ token: String, issuer: String, keys: RemoteKeySet, until deadline: CallDeadline
    ) async throws(RelyingPartyError) -> Claims {
        var policy = ClaimPolicy(issuer: .exactly(issuer), audience: .exactly(clientID))
        policy.clock = clock
        policy.requiresExpiration = false
        policy.maximumAge = PortToken.lifetime
        policy.required = ["sub"]
        let limit = try deadline.limit(.seconds(5), .portToken)
        do throws(TokenError) {
            let verifier = try TokenVerifier(
                .signed(SignaturePolicy(algorithms: [.rs256]), claims: policy), verificationKeys: keys)
            return try await verifier.verify(token, timeout: limit).claims
        } catch {
            throw fault(
                RelyingPartyError.Reason(error, keysOf: keys) ?? RelyingPartyError.Reason(portToken: error))
        }
    }
}

extension RelyingPartyError.Reason {
    fileprivate init(portToken error: TokenError) {
        switch error {
        case .jose(let error, _): self.init(portToken: error)
        case .claim(.issuerMismatch): self = .issuerMismatch
        case .claim(.audienceMismatch): self = .audienceMismatch
        case .claim(.expired): self = .expired
        case .claim(.notYetValid): self = .notYetValid
        case .claim(.issuedInFuture): self = .issuedInFuture
        case .claim(.tooOld): self = .tooOld
        case .claim(.missing(let name)): self = .claimMissing(name)
        case .claim(.invalid(let name)): self = .claimType(name)
        case .cancelled: self = .interrupted
        default: self = .malformed
        }
    }

    private init(portToken error: JOSEError) {
        switch error {
        case .algorithmNotAllowed: self = .algorithmNotAllowed
        case .criticalHeaderUnknown: self = .criticalNotUnderstood
        case .keyNotFound: self = .keyNotFound
        case .keysUnavailable: self = .unreachable
        case .keyUnsuitable, .keyInvalid: self = .keyUnsuitable
        case .signatureInvalid: self = .signatureInvalid
        case .limitExceeded: self = .tooLarge
        case .externalKey, .overloaded, .backend: self = .internalFault
        default: self = .malformed
        }
    }
}
