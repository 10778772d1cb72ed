import JOSE
import JOSETesting

/// Creates JWS in the JSON serializations from the members of a test, and verifies them.
protocol JSONSignatureFixture {}

extension JSONSignatureFixture {
    static var header: String { #"{"alg":"HS256"}"# }
    static var payload: String { Forge.encoded(Array("payload".utf8)) }

    func outcome(of json: String, _ adjust: (inout SignaturePolicy) -> Void = { _ in }) -> Refusal? {
        var policy = SignaturePolicy(algorithms: [.hs256])
        adjust(&policy)
        let verifier = JWSVerifier(unexaminedKeys: KeySet([Keys.secret]), policy: policy)
        return verdict { () throws(JOSEError) in try verifier.verify(json: json) }
    }

    /// Returns the members of a signature over `payload`; with a nil `header` there is no protected header.
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
