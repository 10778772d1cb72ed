public import JOSE
public import JOSEKeySets
public import JOSETokens

extension RelyingPartyError {
    /// The reason why a login, refresh or logout failed.
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
        /// The token uses an algorithm (`alg`) or a compression (`zip`) that the profile does not allow.
        case algorithmNotAllowed
        /// The token uses a content encryption algorithm (`enc`) that the profile does not allow.
        case encryptionNotAllowed
        /// The header contains a critical parameter (`crit`) that is not understood.
        case criticalNotUnderstood
        /// The type (`typ`, `cty` or `Content-Type`) is not the expected one.
        case contentTypeMismatch
        /// No key matches the token.
        case keyNotFound
        /// The key is invalid or too weak, or must not be used for this purpose.
        case keyUnsuitable
        /// The token could not be decrypted. All decryption failures have this one reason, so that an attacker cannot
        /// tell them apart.
        case decryptionFailed
        /// The signature is not valid.
        case signatureInvalid
        /// The certificate was revoked by its issuer.
        case certificateRevoked
        /// The certificate was not issued by a trusted authority, or no CRL or OCSP response confirms that it is good.
        case certificateUnknown
        /// The OCSP response was issued too long before or after the time at which the certificate was used, or a CRL
        /// or OCSP response is outdated.
        case certificateStatusStale
        /// The CRL or OCSP response is signed neither by the issuer of the certificate nor, for OCSP, by a responder
        /// that this issuer authorized.
        case responderNotAuthorized

        // Errors of claims and members.
        /// A required claim is missing.
        case claimMissing(ClaimName)
        /// A claim has the wrong JSON type or the wrong format.
        case claimType(ClaimName)
        /// A claim has a value that is not allowed, or is present although it must not be.
        case claimUnexpected(ClaimName)
        /// The issuer (`iss`) is not that of the provider, or not the one with which the login began.
        case issuerMismatch
        /// The audience (`aud`) does not contain the client, or contains another audience that is not trusted.
        case audienceMismatch
        /// The authorized party (`azp`) is another client, or is missing where it is required.
        case authorizedPartyMismatch
        /// The token, the pushed request or the login has expired.
        case expired
        /// The token is not yet valid (`nbf`).
        case notYetValid
        /// The time of issue (`iat`) or of authentication (`auth_time`) is in the future.
        case issuedInFuture
        /// The token was issued too long ago (`iat`).
        case tooOld
        /// The user authenticated longer ago than the request allows.
        case authenticationTooOld
        /// The `nonce` is missing or differs from that of the request.
        case nonceMismatch
        /// The `at_hash` or `c_hash` of the ID token does not match the access token or the authorization code.
        case hashMismatch
        /// The level of assurance (`acr`) is missing or below the requested one.
        case acrTooLow
        /// The subject (`sub`) is not that of the expected user, or the user's reference belongs to another account of
        /// the service.
        case subjectMismatch
        /// A value that is accepted only once was used before.
        case replayed
        /// `InResponseTo` is missing or names a request other than the one that was sent (SAML 2.0 Core, 3.2.2).
        case inResponseToMismatch
        /// The provider identifies the user by a number of a sector that the service does not accept.
        case sectorUnexpected

        // Errors of the protocol.
        /// The `state` is missing or unknown, was used before, or has expired.
        case stateMismatch
        /// The callback came from a browser or app other than the one that began the login.
        case bindingMismatch
        /// A required parameter is missing.
        case missingParameter(ParameterName)
        /// A parameter occurs more than once.
        case duplicateParameter(ParameterName)
        /// The value of a parameter is not valid.
        case invalidParameter(ParameterName)
        /// The provider rejected the request with this error code.
        case providerError(ProviderErrorCode)
        /// The user, or the provider on the user's behalf, cancelled the login.
        case cancelled
        /// Another login of the same user is pending: the provider asks the user already.
        case loginPending
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
        /// The provider's app did not return to the service before the login expired.
        case sessionExpired
        /// The provider's metadata belongs to another issuer, is no valid document, or is not what the provider has
        /// signed.
        case discoveryMismatch
        /// The provider's metadata lacks a member that this step needs, such as the URL of an endpoint.
        case metadataMissing(MetadataMember)
        /// This step cannot use a member of the provider's metadata that it needs: the member has the wrong type, is a
        /// URL that is not allowed, or lacks the value that the step needs.
        case metadataInvalid(MetadataMember)
        /// The provider's key set was rejected as a whole, for example because it contains a private key. `keys` are
        /// those that cannot be used, at most ten: private and symmetric ones first.
        case keySetRejected(KeySetRejection, keys: [UnusableKey])
        /// The issuer is not trusted, so that no request was sent to it.
        case untrustedIssuer
        /// The user was redirected to the provider's discovery page more often than allowed.
        case redirectLoop
        /// The configuration of the service is invalid, or the provider's profile does not support the operation.
        case configurationError
        /// The provider could not be reached or did not respond in time, or its keys could not be fetched.
        case unreachable
        /// The response has an HTTP status that the protocol does not define for it.
        case unexpectedStatus(Int)
        /// `storeUnavailable`: the store did not respond. `storeFull`: the store has no room for another entry. Entries
        /// that the store confirmed earlier are kept, unless a failover of its servers loses them.
        case storeUnavailable, storeFull
        /// The task was cancelled.
        case interrupted
        /// The process has too little memory or is overloaded, or the cryptographic library or an external key failed.
        case internalFault
    }
}
