public import JOSETokens

extension RelyingPartyError {
    /// One check, named as the provider specifications name it.
    @nonexhaustive public enum Reason: Error, Equatable, Sendable {
        // Of JOSE.
        /// Not of the form that it must have.
        case malformed
        /// Larger than is read.
        case tooLarge
        /// Signed alone, where it must be encrypted as well.
        case notEncrypted
        /// Encrypted, with no signature within.
        case notSigned
        /// `alg`, or `zip`, is none of the profile's.
        case algorithmNotAllowed
        /// `enc` is none of the profile's.
        case encryptionNotAllowed
        /// `crit` is there.
        case criticalNotUnderstood
        /// `cty` or `typ` says another kind.
        case contentTypeMismatch
        /// No key for it.
        case keyNotFound
        /// The key may not do this, or is too weak.
        case keyUnsuitable
        /// The one outcome of every decryption that fails.
        case decryptionFailed
        /// The signature does not hold.
        case signatureInvalid
        /// The issuer of the certificate has revoked it.
        case certificateRevoked
        /// Nobody who may says that the certificate is good.
        case certificateUnknown
        /// That it is good was said too long before or after what it was used for.
        case certificateStatusStale
        /// Neither the issuer of the certificate, nor one that it made a responder, says what was said of it.
        case responderNotAuthorized

        // Of claims and members.
        /// Required, and not there.
        case claimMissing(ClaimName)
        /// Of a wrong type or form.
        case claimType(ClaimName)
        /// Not one of the values that may be.
        case claimUnexpected(ClaimName)
        /// Another issuer than the transaction's.
        case issuerMismatch
        /// For another client.
        case audienceMismatch
        /// `azp` is another client, or missing where it must be.
        case authorizedPartyMismatch
        /// Too late.
        case expired
        /// `nbf` lies ahead.
        case notYetValid
        /// `iat` lies ahead.
        case issuedInFuture
        /// `iat` lies too far back.
        case tooOld
        /// The user proved who they are longer ago than was asked for.
        case authenticationTooOld
        /// `nonce` is missing or another.
        case nonceMismatch
        /// A hash of something that came with it is another's.
        case hashMismatch
        /// A level of assurance below what was asked for.
        case acrTooLow
        /// About another user.
        case subjectMismatch
        /// Used before.
        case replayed
        /// `InResponseTo` is missing, or names another request than the one that was sent (SAML 2.0 Core, 3.2.2).
        case inResponseToMismatch
        /// A number of a sector that the service does not take.
        case sectorUnexpected

        // Of the protocol.
        /// `state` is missing, unknown, used or expired.
        case stateMismatch
        /// The callback came from another browser or app than the one that began the login.
        case bindingMismatch
        /// A parameter that must be there is not.
        case missingParameter(ParameterName)
        /// A parameter stands there twice.
        case duplicateParameter(ParameterName)
        /// A parameter has a value that it must not have.
        case invalidParameter(ParameterName)
        /// The provider refused, in its own words: its error code.
        case providerError(ProviderErrorCode)
        /// The user, or the provider for them, said no.
        case cancelled
        /// The provider's app is not there, or its link did not open it.
        case appNotFound
        /// The user has the provider's app, and has not activated it.
        case notActivated
        /// The provider has switched logins with its app off, for everybody.
        case switchedOff
        /// The same, for this service.
        case switchedOffForService
        /// The provider does not know the address that its app would go back to.
        case returnURLUnknown
        /// The user gave a wrong PIN too often.
        case pinBlocked
        /// Nothing came back as long as the login could live, by the service's own clock.
        case sessionExpired
        /// The provider's metadata are not those of whom was asked.
        case discoveryMismatch
        /// Not an issuer that is trusted here; nothing was sent to it.
        case untrustedIssuer
        /// The user was sent around once too often.
        case redirectLoop
        /// The service's settings cannot work.
        case configurationError
        /// No answer, or none that can be one.
        case unreachable
        /// The answer's status is none that the protocol has.
        case unexpectedStatus(Int)
        /// The store cannot be asked, or is full. What it had confirmed is not lost, unless a failover of its servers undoes it.
        case storeUnavailable, storeFull
        /// The task was cancelled.
        case interrupted
        /// Out of memory, out of random numbers, or a fault of the cryptographic library or of a key outside the process.
        case internalFault
    }
}
