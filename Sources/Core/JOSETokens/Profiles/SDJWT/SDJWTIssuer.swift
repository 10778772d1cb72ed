public import JOSE
internal import JOSESupport

/// Issues SD-JWTs with one key (RFC 9901, 4). An issuer is created once and can be shared between tasks.
public struct SDJWTIssuer: Sendable {
    private let signer: JWSSigner
    /// The hash algorithm of the digests, `_sd_alg`.
    package let hash: HashAlgorithm
    /// The number of decoy digests in each object and array with selectively disclosable members, at most 100 (RFC
    /// 9901, 4.2.5).
    package let decoys: Int

    /// Creates an issuer.
    ///
    /// - Parameters:
    ///   - key: The private key.
    ///   - algorithm: The signature algorithm.
    ///   - type: The `typ` of the JWT, such as `dc+sd-jwt` (RFC 9901, 9.11).
    ///   - hash: The hash algorithm of the digests.
    ///   - decoys: The number of decoy digests in each object and array with selectively disclosable members, 0 to 100.
    /// - Throws: A `jose` error if the key does not fit the algorithm.
    public init(
        key: PrivateKey, algorithm: SignatureAlgorithm, type: String, hash: HashAlgorithm = .sha256, decoys: Int = 0
    ) throws(TokenError) {
        self.hash = hash
        self.decoys = UnsignedSDJWT.decoys(decoys)
        signer = try inLayer(
            .signature, JWSSigner(key: key, algorithm: algorithm, header: HeaderParameters(type: type)))
    }

    /// Creates an issuer with a key outside the process, such as one in an HSM or a KMS. The other parameters and the
    /// errors are those of the initializer for a private key. Issue with the method with a `timeout`; the other throws
    /// `awaitRequired`.
    public init(
        externalKey: any ExternalSigner, algorithm: SignatureAlgorithm, type: String, hash: HashAlgorithm = .sha256,
        decoys: Int = 0
    ) throws(TokenError) {
        self.hash = hash
        self.decoys = UnsignedSDJWT.decoys(decoys)
        let header = HeaderParameters(type: type)
        signer = try inLayer(
            .signature, JWSSigner(externalKey: externalKey, algorithm: algorithm, header: header))
    }

    /// Issues an SD-JWT.
    ///
    /// - Parameters:
    ///   - claims: The claims.
    ///   - hidden: The paths of the claims that are selectively disclosable. If one path is inside another, each has a
    ///     disclosure of its own (RFC 9901, 6.3).
    ///   - holder: The holder's public key, which is written as `cnf`: only a holder with its private key can present
    ///     the SD-JWT with key binding.
    /// - Throws: `disclosure` with the code `disclosure_path_invalid` for a path that matches no claim, or a claim that
    ///   must stay visible because verification needs it (RFC 9901, 9.7); `jose` errors for malformed claims, and if
    ///   signing fails.
    public func issue(
        _ claims: ClaimsBuilder, hiding hidden: [ClaimPath], holder: PublicKey? = nil
    ) throws(TokenError) -> SDJWT {
        let unsigned = try UnsignedSDJWT(claims, hiding: hidden, holder: holder, hash: hash, decoys: decoys)
        return unsigned.signed(try inLayer(.signature, signer.signBytes(unsigned.payload.span)))
    }

    /// Issues an SD-JWT as `issue(_:hiding:holder:)` does. A key outside the process is awaited; a key in the process
    /// signs at once. Claims and paths that are not valid are rejected before the key is called.
    ///
    /// - Parameters:
    ///   - claims: The claims.
    ///   - hidden: The paths of the claims that are selectively disclosable.
    ///   - holder: The holder's public key, which is written as `cnf`.
    ///   - limit: The longest time to wait for the key.
    /// - Throws: The errors of that method; a `jose` error with `externalKey` if the key failed or did not answer in
    ///   time; `cancelled` if the task was cancelled.
    public func issue(
        _ claims: ClaimsBuilder, hiding hidden: [ClaimPath], holder: PublicKey? = nil, timeout limit: Duration
    ) async throws(TokenError) -> SDJWT {
        let end = ContinuousClock.now + limit
        let unsigned = try UnsignedSDJWT(claims, hiding: hidden, holder: holder, hash: hash, decoys: decoys)
        return unsigned.signed(try await signer.token(unsigned.payload, layer: .signature, until: end))
    }
}

/// The claims of an SD-JWT as they are signed, with the disclosures, for issuers with keys inside and outside the
/// process.
struct UnsignedSDJWT: Sendable {
    /// The JSON text that is signed.
    let payload: [UInt8]
    private let disclosures: [Disclosure]
    private let limits = ParsingLimits.standard

    init(
        _ claims: ClaimsBuilder, hiding hidden: [ClaimPath], holder: PublicKey?, hash: HashAlgorithm, decoys: Int
    ) throws(TokenError) {
        for path in hidden {
            guard case .name(let name)? = path.steps.first else { throw .disclosure(.path) }
            guard !["iss", "aud", "exp", "nbf", "cnf"].contains(name) else { throw .disclosure(.path) }
        }
        var claims = claims
        if let holder { claims["cnf"] = .confirmation(key: holder) }
        var run = Hiding(paths: hidden.map(\.steps), hash: hash, decoys: decoys, limits: limits)
        var members = try run.object(claims.object, at: [])
        guard run.haveLed.allSatisfy({ $0 }) else { throw .disclosure(.path) }
        if !run.disclosures.isEmpty || decoys > 0 { members.append(("_sd_alg", .string(hash.rawValue))) }
        var writer = JSONWriter()
        ClaimValue.object(members).write(to: &writer)
        // Claims that a verifier would reject are not signed.
        let payload = try Claims(payload: writer.bytes, limits: limits, layer: .signature)
        _ = try DisclosedPayload.claims(of: payload, run.disclosures, limits: limits)
        self.payload = payload.payload
        disclosures = run.disclosures
    }

    /// Returns the SD-JWT with the signed claims.
    func signed(_ jwt: [UInt8]) -> SDJWT { SDJWT(jwt: jwt, disclosures: disclosures, limits: limits) }

    /// Returns the nearest number of decoys that is allowed.
    static func decoys(_ count: Int) -> Int { max(0, min(count, 100)) }
}

/// Replaces the claims at the given paths by digests, the innermost first.
private struct Hiding {
    private let paths: [[ClaimPath.Step]]
    let hash: HashAlgorithm
    let decoys: Int
    let limits: ParsingLimits
    private(set) var disclosures: [Disclosure] = []
    /// Whether each path has matched a claim.
    private(set) var haveLed: [Bool]

    init(paths: [[ClaimPath.Step]], hash: HashAlgorithm, decoys: Int, limits: ParsingLimits) {
        self.paths = paths
        self.hash = hash
        self.decoys = decoys
        self.limits = limits
        haveLed = [Bool](repeating: false, count: paths.count)
    }

    mutating func object(
        _ members: [(String, ClaimValue)], at location: [ClaimPath.Step]
    ) throws(TokenError) -> [(String, ClaimValue)] {
        var shown: [(String, ClaimValue)] = []
        var digests: [String] = []
        for (name, member) in members {
            guard !Disclosure.isReserved(name) else { throw .disclosure(.reservedName) }
            let here = location + [.name(name)]
            let inner = try value(member, at: here)
            if hides(here) {
                digests.append(try digest(of: Disclosure(name: name, value: inner, limits: limits.json)))
            } else {
                shown.append((name, inner))
            }
        }
        guard !digests.isEmpty else { return shown }
        for _ in 0..<decoys { digests.append(try decoy()) }
        // The digests are sorted, so that their order reveals nothing about the order of the claims (RFC 9901,
        // 4.2.4.1).
        shown.append(("_sd", .array(digests.sorted().map { .string($0) })))
        return shown
    }

    private mutating func value(
        _ value: ClaimValue, at location: [ClaimPath.Step]
    ) throws(TokenError) -> ClaimValue {
        switch value {
        case .object(let members): return .object(try object(members, at: location))
        case .array(let values): return .array(try array(values, at: location))
        default: return value
        }
    }

    private mutating func array(
        _ values: [ClaimValue], at location: [ClaimPath.Step]
    ) throws(TokenError) -> [ClaimValue] {
        var result: [ClaimValue] = []
        var isHiding = false
        for (index, element) in values.enumerated() {
            let here = location + [.element(index)]
            let inner = try value(element, at: here)
            guard hides(here) else {
                result.append(inner)
                continue
            }
            isHiding = true
            let digest = try digest(of: Disclosure(name: nil, value: inner, limits: limits.json))
            result.append(.object([("...", .string(digest))]))
        }
        guard isHiding else { return result }
        for _ in 0..<decoys {
            let decoy = try decoy()
            result.insert(.object([("...", .string(decoy))]), at: Int.random(in: 0...result.count))
        }
        return result
    }

    /// Returns whether a path matches this location, and records each path that does.
    private mutating func hides(_ location: [ClaimPath.Step]) -> Bool {
        var hides = false
        for (index, path) in paths.enumerated() where path.count == location.count {
            let leads = zip(path, location).allSatisfy { step, here in
                if case (.everyElement, .element) = (step, here) { return true }
                return step == here
            }
            guard leads else { continue }
            haveLed[index] = true
            hides = true
        }
        return hides
    }

    private mutating func digest(of disclosure: Disclosure) throws(TokenError) -> String {
        disclosures.append(disclosure)
        return String(decoding: try disclosure.digest(hash), as: UTF8.self)
    }

    /// Returns the digest of a random number (RFC 9901, 4.2.5).
    private func decoy() throws(TokenError) -> String {
        let chance = try inLayer(.signature, freshIdentifier())
        let digest = try hash.digest(chance.utf8.span)
        return String(decoding: digest, as: UTF8.self)
    }
}
