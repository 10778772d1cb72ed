import JOSE
import JOSETesting

/// What makes JWS in JSON of the members that a test wants, and judges them.
protocol JSONSignatureFixture {}

extension JSONSignatureFixture {
    static var header: String { #"{"alg":"HS256"}"# }
    static var payload: String { Forge.encoded(Array("payload".utf8)) }

    func judge(_ json: String, _ adjust: (inout SignaturePolicy) -> Void = { _ in }) -> Refusal? {
        var policy = SignaturePolicy(algorithms: [.hs256])
        adjust(&policy)
        let verifier = JWSVerifier(keys: KeySet([Keys.secret]), policy: policy)
        return verdict { () throws(JOSEError) in try verifier.verify(json: json) }
    }

    /// The members of one signature over `payload`; `header` nil: nothing is protected.
    func members(
        _ header: String?, unprotected: String? = nil, payload: String = Self.payload, with key: JWK = Keys.secret
    ) throws -> [(name: String, value: String)] {
        let text = header.map { Forge.encoded(Array($0.utf8)) } ?? ""
        let signature = try Forge.signature(of: Array((text + "." + payload).utf8), with: key, .hs256)
        var members: [(name: String, value: String)] = []
        if header != nil { members.append(("protected", "\"\(text)\"")) }
        if let unprotected { members.append(("header", unprotected)) }
        members.append(("signature", "\"\(Forge.encoded(signature))\""))
        return members
    }

    func object(_ members: [(name: String, value: String)]) -> String {
        "{" + members.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    func flattened(_ members: [(name: String, value: String)], payload: String = Self.payload) -> String {
        object([("payload", "\"\(payload)\"")] + members)
    }

    func general(_ signatures: [(name: String, value: String)]..., payload: String = Self.payload) -> String {
        object([
            ("payload", "\"\(payload)\""), ("signatures", "[" + signatures.map(object).joined(separator: ",") + "]"),
        ])
    }
}
