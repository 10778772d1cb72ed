public import JOSE
internal import JOSEBytes

/// Where a claim stands that is to be hidden: names of members, and of arrays either one element or each.
public struct DisclosurePath: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    /// One step down into objects and arrays.
    public enum Step: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
        /// A member of an object.
        case name(String)
        /// An element of an array, from 0 on.
        case element(Int)
        /// Each element of an array, hidden by itself.
        case everyElement

        public init(stringLiteral name: String) { self = .name(name) }
        public init(integerLiteral index: Int) { self = .element(index) }

        /// Names by their bytes, as everywhere in JSON.
        public static func == (a: Self, b: Self) -> Bool {
            switch (a, b) {
            case (.name(let a), .name(let b)): a.utf8.elementsEqual(b.utf8)
            case (.element(let a), .element(let b)): a == b
            case (.everyElement, .everyElement): true
            default: false
            }
        }
    }
    /// From the top of the claims.
    public let steps: [Step]

    /// At least one; the first must be a name.
    public init(_ steps: [Step]) { self.steps = steps }
    public init(stringLiteral name: String) { steps = [.name(name)] }
    public init(arrayLiteral steps: Step...) { self.steps = steps }
}

/// Issues SD-JWTs with one key (RFC 9901, 4). Made once, shared freely.
public struct SDJWTIssuer: Sendable {
    private let signer: JWSSigner
    /// The one of every digest, `_sd_alg`.
    public let hash: DisclosureHash
    /// Digests of nothing, beside those of each object and array that hides something (RFC 9901, 4.2.5).
    public let decoys: Int
    private let limits: ParsingLimits = .standard

    /// `type` is the `typ` of the JWT, such as `dc+sd-jwt` (RFC 9901, 9.11).
    public init(
        key: PrivateKey, algorithm: SignatureAlgorithm, type: String, hash: DisclosureHash = .sha256, decoys: Int = 0
    ) throws(TokenError) {
        self.hash = hash
        self.decoys = max(0, min(decoys, 100))
        do throws(JOSEError) {
            signer = try JWSSigner(key: key, algorithm: algorithm, header: HeaderParameters(type: type))
        } catch {
            throw .jose(error, layer: .signature)
        }
    }

    /// The claims with those at `hidden` behind digests; a path within another makes both of them (RFC 9901, 6.3).
    /// `holder` goes into `cnf`: who may present it with key binding. A path that leads nowhere is refused, and so is
    /// one to a claim without which nobody could tell whether the rest is valid (RFC 9901, 9.7).
    public func issue(
        _ claims: ClaimsBuilder, hiding hidden: [DisclosurePath], holder: PublicKey? = nil
    ) throws(TokenError) -> SDJWT {
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
        // What a verifier would refuse is not signed.
        let payload = try Claims(payload: writer.bytes, limits: limits, layer: .signature)
        _ = try DisclosedPayload.claims(of: payload, run.disclosures, limits: limits)
        do throws(JOSEError) {
            let jwt = try signer.signBytes(payload.payload.span)
            return SDJWT(jwt: jwt, disclosures: run.disclosures, limits: limits)
        } catch {
            throw .jose(error, layer: .signature)
        }
    }
}

/// One payload on its way behind digests, the innermost first.
private struct Hiding {
    private let paths: [[DisclosurePath.Step]]
    let hash: DisclosureHash
    let decoys: Int
    let limits: ParsingLimits
    private(set) var disclosures: [Disclosure] = []
    /// By path, whether it has led somewhere.
    private(set) var haveLed: [Bool]

    init(paths: [[DisclosurePath.Step]], hash: DisclosureHash, decoys: Int, limits: ParsingLimits) {
        self.paths = paths
        self.hash = hash
        self.decoys = decoys
        self.limits = limits
        haveLed = [Bool](repeating: false, count: paths.count)
    }

    mutating func object(
        _ members: [(String, ClaimValue)], at place: [DisclosurePath.Step]
    ) throws(TokenError) -> [(String, ClaimValue)] {
        var shown: [(String, ClaimValue)] = []
        var digests: [String] = []
        for (name, member) in members {
            guard !Disclosure.isReserved(name) else { throw .disclosure(.reservedName) }
            let here = place + [.name(name)]
            let inner = try value(member, at: here)
            if hides(here) {
                digests.append(try digest(of: Disclosure(name: name, value: inner, limits: limits.disclosureJSON)))
            } else {
                shown.append((name, inner))
            }
        }
        guard !digests.isEmpty else { return shown }
        for _ in 0..<decoys { digests.append(try decoy()) }
        // Sorted, so that their order says nothing of the claims' (RFC 9901, 4.2.4.1).
        shown.append(("_sd", .array(digests.sorted().map { .string($0) })))
        return shown
    }

    private mutating func value(
        _ value: ClaimValue, at place: [DisclosurePath.Step]
    ) throws(TokenError) -> ClaimValue {
        switch value {
        case .object(let members): return .object(try object(members, at: place))
        case .array(let values): return .array(try array(values, at: place))
        default: return value
        }
    }

    private mutating func array(
        _ values: [ClaimValue], at place: [DisclosurePath.Step]
    ) throws(TokenError) -> [ClaimValue] {
        var result: [ClaimValue] = []
        var isHiding = false
        for (index, element) in values.enumerated() {
            let here = place + [.element(index)]
            let inner = try value(element, at: here)
            guard hides(here) else {
                result.append(inner)
                continue
            }
            isHiding = true
            let digest = try digest(of: Disclosure(name: nil, value: inner, limits: limits.disclosureJSON))
            result.append(.object([("...", .string(digest))]))
        }
        guard isHiding else { return result }
        for _ in 0..<decoys {
            let decoy = try decoy()
            result.insert(.object([("...", .string(decoy))]), at: Int.random(in: 0...result.count))
        }
        return result
    }

    /// Whether a path leads to this place; each that does has led somewhere.
    private mutating func hides(_ place: [DisclosurePath.Step]) -> Bool {
        var hides = false
        for (index, path) in paths.enumerated() where path.count == place.count {
            let leads = zip(path, place).allSatisfy { step, here in
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
        return String(decoding: try hash.digest(disclosure.text), as: UTF8.self)
    }

    /// The digest of chance (RFC 9901, 4.2.5).
    private func decoy() throws(TokenError) -> String {
        let chance: String
        do throws(JOSEError) {
            chance = try freshIdentifier()
        } catch {
            throw .jose(error, layer: .signature)
        }
        let digest = try hash.digest(Array(chance.utf8))
        return String(decoding: digest, as: UTF8.self)
    }
}
