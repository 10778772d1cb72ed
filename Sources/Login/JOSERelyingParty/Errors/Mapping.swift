internal import JOSE
package import JOSEKeySets
internal import JOSETokens

// The errors of the modules below are mapped to reasons here, and nowhere else. A new error has a reason without an entry
// here: that of a malformed message, or of a provider that does not work.

extension RelyingPartyError.Reason {
    /// Creates the reason of a token's error.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - isNested: Whether the profile requires a signed and encrypted token: content that is no JWS is then
    ///     `notSigned`.
    package init(_ error: TokenError, isNested: Bool) {
        switch error {
        // Claims that are not signed may contain two dots, and so look like three parts.
        case .jose(.malformed(let fault), layer: .signature) where isNested && fault.part != .claims: self = .notSigned
        case .jose(let error, _): self = RelyingPartyError.Reason(error)
        case .claim(let failure): self = RelyingPartyError.Reason(failure)
        case .claims(let failures): self = failures.first.map { RelyingPartyError.Reason($0) } ?? .malformed
        case .issuerUnknown: self = .issuerMismatch
        case .policyInvalid, .awaitRequired, .notEncodable: self = .configurationError
        case .cancelled: self = .interrupted
        case .replay(.seen): self = .replayed
        case .replay(.storeFull), .replay(.shareFull): self = .storeFull
        case .replay: self = .storeUnavailable
        default: self = .malformed
        }
    }

    package init(_ error: JOSEError) {
        switch error {
        case .limitExceeded: self = .tooLarge
        case .headerInvalid(.type), .headerInvalid(.contentType): self = .contentTypeMismatch
        case .headerInvalid(.compression), .headerInvalid(.compressionNotBuilt): self = .algorithmNotAllowed
        case .headerInvalid(.critical), .criticalHeaderUnknown: self = .criticalNotUnderstood
        case .algorithmNotAllowed(.contentEncryption): self = .encryptionNotAllowed
        case .algorithmNotAllowed: self = .algorithmNotAllowed
        case .keyNotFound: self = .keyNotFound
        case .keysUnavailable: self = .unreachable
        case .certificateInvalid(.revoked): self = .certificateRevoked
        case .certificateInvalid(.statusUnknown): self = .certificateUnknown
        case .certificateInvalid(.statusOutdated): self = .certificateStatusStale
        case .certificateInvalid(.statusUntrusted): self = .responderNotAuthorized
        case .configurationInvalid: self = .configurationError
        case .keyUnsuitable, .keyInvalid, .certificateInvalid: self = .keyUnsuitable
        case .signatureInvalid: self = .signatureInvalid
        case .decryptionFailed, .decompressionFailed: self = .decryptionFailed
        case .cancelled: self = .interrupted
        case .externalKey, .overloaded, .backend: self = .internalFault
        default: self = .malformed
        }
    }

    package init(_ failure: ClaimFailure) {
        switch failure {
        case .issuerMismatch: self = .issuerMismatch
        case .audienceMismatch: self = .audienceMismatch
        case .expired, .expiresTooSoon: self = .expired
        case .notYetValid: self = .notYetValid
        case .issuedInFuture: self = .issuedInFuture
        case .missing(let name): self = .claimMissing(name)
        case .invalid(let name): self = .claimType(name)
        case .tooOld("auth_time"): self = .authenticationTooOld
        case .tooOld: self = .tooOld
        default: self = .claimUnexpected(failure.claim)
        }
    }

    /// Creates the reason of a claim that does not meet a rule of a login.
    package init(_ fault: ClaimFault) {
        switch (fault.claim, fault.kind) {
        case (_, .untrusted): self = .untrustedIssuer
        case ("iss", _): self = .issuerMismatch
        case ("aud", _): self = .audienceMismatch
        case ("azp", _): self = .authorizedPartyMismatch
        case ("nonce", _): self = .nonceMismatch
        case ("at_hash", _), ("c_hash", _): self = .hashMismatch
        case (let name, .malformed): self = .claimType(name)
        case ("acr", _): self = .acrTooLow
        case (let name, .absent), (let name, .empty): self = .claimMissing(name)
        case ("sub", .mismatch): self = .subjectMismatch
        case (_, .passed): self = .expired
        case ("nbf", .inFuture): self = .notYetValid
        case (_, .inFuture): self = .issuedInFuture
        case ("auth_time", .tooOld): self = .authenticationTooOld
        case (_, .tooOld): self = .tooOld
        case (let name, _): self = .claimUnexpected(name)
        }
    }

    /// Creates the reason of a failed fetch of a provider's metadata and keys.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - keys: The unusable keys of the set, if it was rejected as a whole.
    package init(_ error: KeySetError, keys: [UnusableKey] = []) {
        switch error {
        case .urlInvalid, .optionInvalid, .issuerRepeated: self = .configurationError
        case .transport(let error): self = RelyingPartyError.Reason(error)
        case .status(let status): self = .unexpectedStatus(status)
        // The response may be that of the metadata.
        case .refused(.contentType): self = .contentTypeMismatch
        case .refused(let rejection): self = .keySetRejected(rejection, keys: Array(keys.prefix(10)))
        case .discovery(let fault): self = RelyingPartyError.Reason(fault)
        default: self = .unreachable
        }
    }

    /// Creates the reason of a token whose key is not available because the provider's newest key set was rejected as a
    /// whole; nil for any other error.
    package init?(_ error: TokenError, keysOf provider: any KeySource) {
        guard case .jose(.keysUnavailable, layer: .signature) = error, let source = provider as? RemoteKeySet,
            let rejection = source.rejection, rejection != .contentType
        else { return nil }
        self.init(KeySetError.refused(rejection), keys: source.rejectedKeys)
    }

    package init(_ fault: DiscoveryFault) {
        switch fault {
        case .issuerInvalid, .addressInvalid: self = .configurationError
        case .tooLarge: self = .tooLarge
        case .missing(let member): self = .metadataMissing(member)
        case .invalid(let member): self = .metadataInvalid(member)
        case .notSigned: self = .missingParameter("signed_metadata")
        case .signatureInvalid(let error): self = RelyingPartyError.Reason(error)
        default: self = .discoveryMismatch
        }
    }

    package init(transport error: TransportError) { self.init(error) }

    package init(_ error: TransportError) {
        switch error {
        case .urlInvalid, .requestInvalid, .schemeNotAllowed, .addressNotAllowed: self = .configurationError
        case .bodyTooLarge, .headersTooLarge: self = .tooLarge
        case .responseInvalid: self = .malformed
        case .cancelled: self = .interrupted
        default: self = .unreachable
        }
    }

    package init(_ error: StoreError) {
        switch error {
        case .unavailable, .notReplicated: self = .storeUnavailable
        case .full: self = .storeFull
        case .refused: self = .configurationError
        case .cancelled: self = .interrupted
        default: self = .internalFault
        }
    }
}
