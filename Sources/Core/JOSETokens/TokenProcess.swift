internal import JOSE
internal import JOSEBytes

/// The facts about a token beside its outcome.
struct TokenOrigin: Sendable {
    /// The index of the issuer, as soon as it is known; nil where the verifier has no list of issuers.
    var issuer: Int?
    /// Whether the cache had the outcome of the layers.
    var isFromCache = false
}

/// One token on its way through its verification.
///
/// The steps are functions of ``TokenVerifier``, each of which is written once and gets this value: `find` looks the token up in the
/// cache, the layers are decrypted and read, and `finish` checks the claims. A driver calls them in this order, and decides where the
/// costly work is done: `verify` does it at once, a batch leaves it to a job that is done together with those of other tokens, and
/// the methods with a timeout await what is missing. The token itself is given to each step again.
struct TokenProcess: ~Copyable, Sendable {
    var origin: TokenOrigin
    /// The limiter in which the driver has a slot already.
    var entered: DecryptionLimiter?
    /// The entry of the token in the cache, and the keys that it depends on; nil where nothing can be found or stored.
    var lookup: (name: TokenName, keys: TokenGenerations)?
    /// The keys that were taken from their sources for the lookup, with which the token is verified if it is not found.
    var decryptionKeys: TakenDecryptionKeys?
    var signatureKeys: TakenVerificationKeys?
    /// The key that decrypted the token, if its source counts uses.
    var decryptionKey: JWK?
    /// The header of the encryption layer around a signature that waits.
    var outer: OuterHeader?
    /// The text of a token whose signature waits and whose outcome is stored in the cache.
    var text: [UInt8] = []
    /// The decryption that waits for those of other tokens.
    var decryption: DecryptionJob?
    /// The signature that waits for those of other tokens.
    var signature: SignatureJob?
    /// The outcome, before the profile's checks; nil as long as something waits.
    var result: Result<VerifiedToken, TokenError>?

    init(_ origin: TokenOrigin = TokenOrigin()) { self.origin = origin }

    /// Leaves a signature to the driver, or returns the token if the signature was verified already.
    mutating func leave(_ job: consuming SignatureJob) throws(TokenError) -> VerifiedToken? {
        var job = job
        if job.isVerified { return try VerifiedToken(&job, within: outer) }
        signature = job
        return nil
    }
}

extension VerifiedToken {
    /// Creates a token from a JWS whose signature is valid, by parsing its claims.
    init(_ jws: VerifiedJWS, _ limits: ParsingLimits, within outer: OuterHeader?) throws(TokenError) {
        self.init(
            claims: try Claims(payload: jws.payload, limits: limits, layer: .signature), jws.signed, within: outer)
    }

    /// Creates a token from a JWS once its signature was verified.
    init(_ job: inout SignatureJob, within outer: OuterHeader?) throws(TokenError) {
        let limits = job.limits
        let jws: VerifiedJWS
        do throws(JOSEError) { jws = try job.finish() } catch { throw .jose(error, layer: .signature) }
        try self.init(jws, limits, within: outer)
    }
}
