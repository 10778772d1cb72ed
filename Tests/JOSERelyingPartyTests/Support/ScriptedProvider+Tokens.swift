import JOSE
import JOSEBytes
import JOSECrypto
import JOSEKeySets
import JOSETesting
import JOSETokens

extension ScriptedProvider {
    /// The claims in the layers.
    func make(_ claims: ClaimSet, _ layers: ProviderManner.Layers, _ script: Script) throws -> String {
        try wrap(try sign(claims, script), layers)
    }

    /// A JWS around them: as they are, whatever they are.
    func sign(_ claims: ClaimSet, _ script: Script? = nil) throws -> String {
        let script = script ?? self.script
        let payload = String(decoding: claims.json(), as: UTF8.self)
        if manner.signsWithSecret {
            let key = JWK.symmetricKey(try SymmetricKey(bytes: Array(manner.secret.utf8)))
            return try Forge.signed(header: #"{"alg":"HS256"}"#, payload: payload, with: key, .hs256)
        }
        let header = #"{"alg":"RS256","kid":"\#(script.signingKey.keyID ?? "")","typ":"JWT"}"#
        return try Forge.signed(header: header, payload: payload, with: .privateKey(script.signingKey), .rs256)
    }

    /// A JWE around any text.
    func wrap(_ text: String, _ layers: ProviderManner.Layers, header: String? = nil) throws -> String {
        switch layers {
        case .signed, .json: return text
        case .nested(let keyManagement, let content):
            let key = manner.clientEncryptionKey
            let usual =
                #"{"alg":"\#(keyManagement.name)","enc":"\#(content.name)","kid":"\#(key.keyID ?? "")","cty":"JWT"}"#
            return try Forge.encrypted(
                header: Array((header ?? usual).utf8), plaintext: Array(text.utf8), with: .publicKey(key),
                keyManagement,
                content)
        case .direct:
            let key = try SymmetricKey(bytes: Hash.sha256.digest(Array(manner.secret.utf8).span))
            return try Forge.encrypted(
                header: Array((header ?? #"{"alg":"dir","enc":"A256GCM"}"#).utf8), plaintext: Array(text.utf8),
                with: .symmetricKey(key), .dir, .a256gcm)
        }
    }

    /// Whether whoever asks has shown that it is the client.
    func isClient(_ form: FormFields, _ request: HTTPRequest) -> Bool {
        switch manner.authentication {
        case .assertion(let audience, let isEncrypted):
            guard form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                let assertion = form["client_assertion"]
            else { return false }
            let parts = assertion.split(separator: ".", omittingEmptySubsequences: false).count
            guard parts == (isEncrypted ? 5 : 3) else { return false }
            var profile = ClientAssertionProfile(
                clientID: manner.clientID, server: audience, algorithms: [.rs256, .ps256, .es256, .hs256],
                replayStore: nil)
            profile.claims.clock = clock.tokenClock
            if isEncrypted {
                profile.encryption = EncryptionPolicy(
                    keyManagement: [.rsaOAEP, .rsaOAEP256], contentEncryption: ContentEncryption.all)
            }
            var keys = [JWK.publicKey(manner.clientKey)]
            if let secret = try? SymmetricKey(bytes: Array(manner.secret.utf8)) { keys.append(.symmetricKey(secret)) }
            let verifier = try? ProfileVerifier(
                profile, verificationKeys: KeySet(keys), decryptionKeys: KeySet(TestKeys.providerEncryption))
            return (try? verifier?.verify(assertion)) != nil
        case .secretPost: return form["client_id"] == manner.clientID && form["client_secret"] == manner.secret
        case .secretBasic:
            let wanted = "Basic " + Base64.encode(Array("\(manner.clientID):\(manner.secret)".utf8).span)
            return request.headers.contains { $0.name == "Authorization" && $0.value == wanted }
        }
    }
}
