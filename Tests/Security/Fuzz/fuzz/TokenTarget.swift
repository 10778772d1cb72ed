import JOSE
import JOSETesting
import JOSETokens

/// Tokens of issuers of every form, mutated before they are signed and encrypted, so that the claims are reached, and after.
final class TokenTarget {
    private struct Lane {
        let name: String
        let issuer: TestIssuer
        let verifier: TokenVerifier
        /// Additional members of valid claims.
        let more: String
        var previous: [UInt8]
    }
    private var lanes: [Lane] = []
    /// Indices into `lanes`, with fast ones more often.
    private var order: [Int] = []

    init() throws {
        try add(30, .signed, .hs256)
        try add(15, .signed, .hs512, strict: true)
        try add(8, .signed, .ed25519)
        try add(4, .signed, .es256)
        try add(1, .signed, .rs256)
        try add(15, .encrypted, .hs256, .dir, .a128gcm)
        try add(8, .encrypted, .hs256, .a128kw, .a128cbcHS256)
        try add(2, .encrypted, .hs256, .ecdhES, .a192cbcHS384)
        try add(20, .nested, .hs256, .dir, .a256cbcHS512)
        try add(5, .nested, .hs384, .a192kw, .a256gcm, strict: true)
        try add(4, .nested, .edDSA, .a256kw, .a192gcm)
        try add(2, .nested, .es256, .ecdhESA256KW, .a128gcm)
        try add(1, .nested, .rs256, .rsaOAEP, .a128cbcHS256)
    }

    private func add(
        _ weight: Int, _ form: TestIssuer.Form, _ signature: SignatureAlgorithm,
        _ keyManagement: KeyManagementAlgorithm = .dir, _ content: ContentEncryption = .a128gcm, strict: Bool = false
    ) throws {
        let issuer = try TestIssuer(
            form, signature: signature, keyManagement: keyManagement, contentEncryption: content
        ) {
            guard strict else { return }
            ($0.nonce, $0.authorizedParty, $0.acceptedACR) = ("n", "audience.test", ["1", "2"])
            ($0.maximumAge, $0.maximumAuthenticationAge) = (.seconds(600), .seconds(600))
            ($0.required, $0.forbidden, $0.reportsEveryFailure) = (["jti"], ["events"], true)
            ($0.accessToken, $0.code) = ("token", "code")
        }
        var more = ""
        if strict {
            more = #","nonce":"n","azp":"audience.test","acr":"1","auth_time":1700000000,"jti":"1","email":"a@b""#
            more += #","at_hash":"\#(try signature.tokenHash(of: "token"))""#
            more += #","c_hash":"\#(try signature.tokenHash(of: "code"))""#
        }
        let name =
            switch form {
            case .signed: "\(signature)"
            case .encrypted: "\(keyManagement) \(content)"
            case .nested: "\(signature) in \(keyManagement) \(content)"
            }
        order += Array(repeating: lanes.count, count: weight)
        let first = try issuer.forged(claims: issuer.claims(adding: more))
        lanes.append(
            Lane(
                name: name + (strict ? ", strict" : ""), issuer: issuer, verifier: try issuer.verifier(), more: more,
                previous: Array(first.utf8)))
    }

    func run(_ dice: inout Dice, _ tally: inout Tally) throws {
        let place = dice.pick(order)
        let lane = lanes[place]
        let issuer = lane.issuer
        var claims = Array(issuer.claims(adding: lane.more).utf8)
        var header = Array(issuer.signatureHeader().utf8)
        var outer = Array(issuer.encryptionHeader().utf8)
        let isMutated = dice.below(100) < 60
        if isMutated {
            let choice = dice.below(10)
            if choice < 6 || choice == 9 { claims = JSONMutator.claims.change(claims, &dice) }
            if issuer.form != .encrypted, choice == 6 || choice >= 8 {
                header = JSONMutator.header.change(header, &dice)
            }
            if issuer.form != .signed, choice >= 7 { outer = JSONMutator.header.change(outer, &dice) }
            if choice >= 6, claims == Array(issuer.claims(adding: lane.more).utf8), dice.once(in: 2) {
                ByteMutator.change(&claims, &dice)
            }
        }
        let token = Array(try issuer.forged(claims: claims, signatureHeader: header, encryptionHeader: outer).utf8)
        let (refusal, verified) = outcome(ofToken: { () throws(TokenError) in try lane.verifier.verify(token) })
        tally.count((isMutated ? "mutated, then made: " : "good: ") + lane.name, refusal)
        if !isMutated {
            tally.expect(refusal == nil, "\(lane.name): a good token was refused: \(refusal?.rawValue ?? "")")
        }
        if let verified { Oracle.check(verified, token, claims, lane.verifier, issuer, &tally) }
        if dice.once(in: 8) {
            let explained = lane.verifier.explain(token).error.map { Refusal($0) }
            tally.expect(explained == refusal, "\(lane.name): explain says \(String(describing: explained))")
        }
        if dice.once(in: 4) { issue(claims, lane, &tally) }
        let isAfter = dice.once(in: 2)
        tally.countToken(before: isMutated, after: isAfter)
        if isAfter {
            let changed = TokenMutator.change(token, other: lane.previous, &dice)
            if changed != lane.previous {
                let (refusal, _) = outcome(ofToken: { () throws(TokenError) in try lane.verifier.verify(changed) })
                tally.count("made, then mutated: " + lane.name, refusal)
                tally.expect(
                    refusal != nil, "\(lane.name): accepted though changed: \(String(decoding: changed, as: UTF8.self))"
                )
                everyOther(changed, place, &dice, &tally)
            }
        } else {
            everyOther(token, place, &dice, &tally)
        }
        if verified != nil { lanes[place].previous = token }
    }

    /// Checks that the issuer's tokens are accepted under the same policy, and that it throws for claims that are not.
    private func issue(_ claims: [UInt8], _ lane: Lane, _ tally: inout Tally) {
        let (refusal, issued) = outcome(ofToken: { () throws(TokenError) in try lane.issuer.issue(json: claims) })
        tally.count("issued", refusal)
        guard let issued else { return }
        let (verified, _) = outcome(ofToken: { () throws(TokenError) in try lane.verifier.verify(issued) })
        tally.expect(
            verified == nil,
            "\(lane.name): issued, and then \(verified?.rawValue ?? ""): \(String(decoding: claims, as: UTF8.self))")
    }

    /// Gives the token to parsers of other inputs, and to those that do not verify.
    private func everyOther(_ token: [UInt8], _ place: Int, _ dice: inout Dice, _ tally: inout Tally) {
        let other = dice.below(lanes.count)
        if other != place {
            let (refusal, _) = outcome(ofToken: { () throws(TokenError) in try lanes[other].verifier.verify(token) })
            tally.count("another's token", refusal)
            tally.expect(refusal != nil, "\(lanes[other].name) accepts a token of \(lanes[place].name)")
        }
        let (refusal, seen) = outcome { () throws(JOSEError) in try UnverifiedToken(token) }
        tally.count("unverified", refusal)
        if let seen { _ = (seen.header.algorithmName, seen.header.json("crit"), seen.header.keyID, seen.header.type) }
    }
}
