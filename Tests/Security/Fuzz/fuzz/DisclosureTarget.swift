import JOSE
import JOSETesting
import JOSETokens

/// SD-JWTs that are issued, presented and bound, and whose parts are then mutated.
final class DisclosureTarget {
    private static let now: NumericDate = 1_700_000_000
    private let issuers: [SDJWTIssuer]
    private let holder: PrivateKey
    private let verifier: SDJWTVerifier
    private let binding: KeyBindingPolicy

    init() throws {
        let key = try PrivateKey.generate(.ed25519)
        holder = try .generate(.ed25519)
        issuers = try HashAlgorithm.allCases.map {
            try SDJWTIssuer(key: key, algorithm: .ed25519, type: "dc+sd-jwt", hash: $0, decoys: 1)
        }
        var claims = ClaimPolicy(issuer: "https://id.example", audience: .anyAudienceUnchecked)
        claims.clock = .fixed(Self.now)
        var signature = SignaturePolicy(algorithms: [.ed25519])
        signature.type = .exactly("dc+sd-jwt")
        verifier = try SDJWTVerifier(signature, claims: claims, verificationKeys: KeySet(key.publicKey))
        binding = KeyBindingPolicy(algorithms: [.ed25519], audience: "you", nonce: "n")
    }

    private static let claims: ClaimsBuilder = [
        "iss": "https://id.example", "exp": 1_700_000_600, "sub": "u", "name": "Ann",
        "address": ["street": "Main \"1\"", "city": "Any"], "tongues": ["en", "nl", "de"],
        "proofs": [["kind": "passport", "number": 7], ["kind": "bill", "number": 8.5]],
    ]
    private static let hidden: [ClaimPath] = [
        "sub", "name", "address", ["address", "street"], ["tongues", 0], ["proofs", .everyElement, "number"], "nowhere",
    ]

    func run(_ dice: inout Dice, _ tally: inout Tally) throws {
        let hidden = Self.hidden.filter { _ in dice.once(in: 2) }
        let isBound = dice.once(in: 2)
        let (refused, issued) = outcome(ofToken: { () throws(TokenError) in
            try dice.pick(issuers).issue(Self.claims, hiding: hidden, holder: isBound ? holder.publicKey : nil)
        })
        tally.count("SD-JWT, issued", refused)
        tally.expect((refused == nil) == !hidden.contains("nowhere"), "SD-JWT: \(refused?.rawValue ?? "issued")")
        guard let issued else { return }
        var shown = try issued.presenting { _ in dice.once(in: 2) }
        if isBound {
            shown = try shown.bound(
                by: holder, algorithm: .ed25519, audience: "you", nonce: "n", clock: .fixed(Self.now))
        }
        let policy = isBound ? binding : nil
        let isJSON = dice.once(in: 3)
        let text = isJSON ? try shown.json(dice.once(in: 2) ? .general : .flattened) : shown.text
        let good = rejection(of: text, isJSON, policy)
        tally.count("SD-JWT", good)
        tally.expect(good == nil, "a good SD-JWT was refused: \(good?.rawValue ?? "")")
        let changed = String(decoding: Self.change(Array(text.utf8), isJSON, &dice), as: UTF8.self)
        let after = rejection(of: changed, isJSON, policy)
        tally.count("SD-JWT, then mutated", after)
        // Without key binding a disclosure may be left out or moved, and JSON may be written in another way.
        tally.expect(
            after != nil || changed == text || !isBound || isJSON, "SD-JWT: accepted though changed: \(changed)")
        tally.countToken(before: false, after: true)
    }

    private func rejection(of text: String, _ isJSON: Bool, _ policy: KeyBindingPolicy?) -> Refusal? {
        let (refusal, verified) = outcome(ofToken: { () throws(TokenError) in
            isJSON
                ? try verifier.verify(json: text, keyBinding: policy) : try verifier.verify(text, keyBinding: policy)
        })
        if let verified { _ = (verified.claims.string("name"), verified.holder, verified.algorithm, verified.header) }
        return refusal
    }

    private static let mutator = JSONMutator(names: [
        "payload", "signatures", "signature", "protected", "header", "disclosures", "kb_jwt", "",
    ])

    private static func change(_ text: [UInt8], _ isJSON: Bool, _ dice: inout Dice) -> [UInt8] {
        if isJSON, dice.once(in: 2) { return mutator.change(text, &dice) }
        let tilde = UInt8(ascii: "~")
        var parts = text.split(separator: tilde, omittingEmptySubsequences: false).map { Array($0) }
        let place = dice.below(parts.count)
        switch dice.below(6) {
        case 0: parts.swapAt(place, dice.below(parts.count))
        case 1: parts.insert(parts[place], at: dice.below(parts.count + 1))
        case 2: parts.remove(at: place)
        case 3:
            // The disclosure is replaced by another one in canonical base64url.
            var bytes = Forge.decoded(String(decoding: parts[place], as: UTF8.self)) ?? []
            ByteMutator.change(&bytes, &dice)
            parts[place] = Array(Forge.encoded(bytes).utf8)
        case 4: parts[place] = TokenMutator.change(parts[place], other: parts[0], &dice)
        default:
            var result = text
            for _ in 0...dice.below(2) { ByteMutator.change(&result, &dice) }
            return result
        }
        return Array(parts.joined(separator: [tilde]))
    }
}
