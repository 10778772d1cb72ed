public import JOSETokens

extension RelyingPartyError {
    /// The check that failed, named as the specifications of the providers name it.
    @nonexhaustive public enum Reason: Error, Equatable, Sendable {
        // Errors of JOSE.
        /// The token or message is malformed.
        case malformed
        /// The token or message exceeds a size limit.
        case tooLarge
        /// The token is signed only, but must be encrypted as well.
        case notEncrypted
        /// The token is encrypted, but contains no signature.
        case notSigned
        /// The profile does not allow the algorithm (`alg`), or any compression (`zip`).
        case algorithmNotAllowed
        /// The profile does not allow the content encryption (`enc`).
        case encryptionNotAllowed
        /// The header has a critical parameter (`crit`) that is not understood.
        case criticalNotUnderstood
        /// The type (`typ`, `cty` or `Content-Type`) is not the expected one.
        case contentTypeMismatch
        /// No key matches the token.
        case keyNotFound
        /// The key must not be used for this purpose, or is too weak.
        case keyUnsuitable
        /// The decryption failed. This is the only result of every failed decryption.
        case decryptionFailed
        /// The signature is not valid.
        case signatureInvalid
        /// The issuer of the certificate has revoked it.
        case certificateRevoked
        /// No trusted issuer issued the certificate, or no OCSP response for it says that it is good.
        case certificateUnknown
        /// The OCSP response is too far from the time at which the certificate was used, before it or after it.
        case certificateStatusStale
        /// The OCSP response is signed neither by the issuer of the certificate nor by a responder that the issuer authorized.
        case responderNotAuthorized

        // Errors of claims and members.
        /// A required claim is missing.
        case claimMissing(ClaimName)
        /// The type or the form of a claim is wrong.
        case claimType(ClaimName)
        /// The value of a claim is not an allowed one.
        case claimUnexpected(ClaimName)
        /// The issuer is not that of the transaction.
        case issuerMismatch
        /// The token is for another client.
        case audienceMismatch
        /// The authorized party (`azp`) is another client, or is missing where it is required.
        case authorizedPartyMismatch
        /// The token, the pushed request or the login has expired.
        case expired
        /// The token is not yet valid (`nbf`).
        case notYetValid
        /// The token was issued in the future (`iat`), or the authentication lies there (`auth_time`).
        case issuedInFuture
        /// The token was issued too long ago (`iat`).
        case tooOld
        /// The user authenticated longer ago than the request allows.
        case authenticationTooOld
        /// The `nonce` is missing, or is not that of the request.
        case nonceMismatch
        /// A hash in the token does not match the value that came with the token (`at_hash`, `c_hash`).
        case hashMismatch
        /// The level of assurance is below the requested one.
        case acrTooLow
        /// The message is about another user than the expected one.
        case subjectMismatch
        /// The value is accepted once and was used before.
        case replayed
        /// `InResponseTo` is missing, or names another request than the one that was sent (SAML 2.0 Core, 3.2.2).
        case inResponseToMismatch
        /// The user is identified by a number of a sector that the service does not accept.
        case sectorUnexpected

        // Errors of the protocol.
        /// `state` is missing, unknown, used or expired.
        case stateMismatch
        /// The callback came from another browser or app than the one that began the login.
        case bindingMismatch
        /// A required parameter is missing.
        case missingParameter(ParameterName)
        /// A parameter is a duplicate.
        case duplicateParameter(ParameterName)
        /// The value of a parameter is not valid.
        case invalidParameter(ParameterName)
        /// The provider rejected the request with this error code.
        case providerError(ProviderErrorCode)
        /// The user, or the provider on the user's behalf, cancelled the login.
        case cancelled
        /// The provider's app is not installed, or its link did not open it.
        case appNotFound
        /// The user has the provider's app, but has not activated it.
        case notActivated
        /// The provider has switched off logins with its app for all services.
        case switchedOff
        /// The provider has switched off logins with its app for this service.
        case switchedOffForService
        /// The provider does not know the URL to which its app would return.
        case returnURLUnknown
        /// The user entered a wrong PIN too often.
        case pinBlocked
        /// No callback came before the login expired by the service's own clock.
        case sessionExpired
        /// The provider's metadata are not those of the expected issuer, or lack a required member.
        case discoveryMismatch
        /// The issuer is not a trusted one. No request was sent to it.
        case untrustedIssuer
        /// The user was redirected more often than is allowed.
        case redirectLoop
        /// The configuration of the service cannot work.
        case configurationError
        /// The provider did not respond, or the response is not a valid one.
        case unreachable
        /// The status of the response is not one of the protocol.
        case unexpectedStatus(Int)
        /// The store did not respond, or is full. What it confirmed before is not lost, unless a failover of its servers undoes
        /// it.
        case storeUnavailable, storeFull
        /// The task was cancelled.
        case interrupted
        /// The process ran out of memory or of random numbers, or the cryptographic library or a key outside the process failed.
        case internalFault
    }
}
