internal import JOSE
internal import JOSECrypto
internal import JOSESupport
internal import JOSETesting
internal import JOSETokens
internal import JOSEZenKey

/// Makes the tokens of a client, valid or wrong. Headers are written as text, so that tokens can be made that no
/// library would make.
struct TokenMaker {
    let client: Registration
    let keys: ProviderKeys
    let misbehaviour: Misbehaviour?
    /// Whether the token is about a personal account, for which a provider with many tenants has a key of its own.
    var isPersonal = false

    /// Returns a token that is signed, and encrypted if the client registered that.
    func token(_ claims: ClaimsBuilder) throws -> String {
        let signed = try signed(claims)
        switch misbehaviour {
        case .bareJWS, .plainUserinfo: return signed
        case .bareClaims: return try encrypted(claims.json())
        case .tampered where !client.tokens.isEncrypted: return changed(signed)
        case .tampered: return changed(try encrypted(Array(signed.utf8)))
        default: return client.tokens.isEncrypted ? try encrypted(Array(signed.utf8)) : signed
        }
    }

    /// Returns a token with its own `typ`, signed by the key of ID tokens or by another one.
    func token(_ claims: ClaimsBuilder, type: String, by other: PrivateKey? = nil) throws -> String {
        let key = other ?? keys.current
        return try Forge.signed(
            header: text(["alg": "RS256", "kid": .string(key.keyID ?? ""), "typ": .string(type)]),
            payload: String(decoding: claims.json(), as: UTF8.self), with: .privateKey(key), .rs256)
    }

    /// Returns a transaction token of MitID, signed by the key for those.
    func transactionToken(_ claims: ClaimsBuilder) throws -> String {
        guard let key = keys.transaction?.key else { throw TokenFault() }
        return try token(claims, type: "JWT", by: key)
    }

    private func signed(_ claims: ClaimsBuilder) throws -> String {
        var header: ClaimsBuilder = ["alg": "RS256"]
        var key = isPersonal ? keys.ofTenants?.personal ?? keys.current : keys.current
        // ZenKey's samples have a member `type`, so it is not a misspelt `typ` here.
        if client.flavour == .zenKey { header["type"] = "at+jwt" }
        if case .direct = client.tokens {} else { header["kid"] = .string(key.keyID ?? "") }
        if client.flavour != .zenKey { header["typ"] = "JWT" }
        let payload = String(decoding: claims.json(), as: UTF8.self)
        switch misbehaviour {
        case .unsigned:
            header["alg"] = "none"
            return Forge.input(header: text(header), payload: payload) + "."
        case .publicKeyAsSecret:
            header["alg"] = "HS256"
            let input = Forge.input(header: text(header), payload: payload)
            let secret = Array(try key.publicKey.pem().utf8)
            guard let mac = try Forge.mac(of: input, key: secret, .hs256) else { throw TokenFault() }
            return Forge.token(input, signature: mac)
        case .logoutType: header["typ"] = "logout+jwt"
        case .critical:
            header["crit"] = ["https://provider.test/odd"]
            header["https://provider.test/odd"] = true
        case .strangersKey: key = try Strangers.key.get()
        case .unknownKey:
            key = try Strangers.key.get()
            header["kid"] = "not-published"
        case .personalKey, .unboundKey:
            if let others = keys.ofTenants {
                key = misbehaviour == .unboundKey ? others.unbound : others.personal
                header["kid"] = .string(key.keyID ?? "")
            }
        case .transactionKey:
            if let transaction = keys.transaction?.key {
                key = transaction
                header["kid"] = .string(transaction.keyID ?? "")
            }
        default: break
        }
        return try Forge.signed(header: text(header), payload: payload, with: .privateKey(key), .rs256)
    }

    private func encrypted(_ plaintext: [UInt8]) throws -> String {
        switch client.tokens {
        case .signed: throw TokenFault()
        case .nested(let algorithm, let content):
            guard let key = client.encryptionKey else { throw TokenFault() }
            var header: ClaimsBuilder = [
                "alg": .string(misbehaviour == .rsa15 ? "RSA1_5" : algorithm.name), "enc": .string(content.name),
                "kid": .string(key.keyID ?? ""), "cty": "JWT",
            ]
            if misbehaviour == .compressed { header["zip"] = "DEF" }
            return try Forge.encrypted(
                header: text(header), plaintext: plaintext, with: .publicKey(key), algorithm, content)
        case .direct:
            let secret = client.secret ?? ""
            let key = try SecretKey(bytes: Hash.sha256.digest(secret.utf8.span))
            var header: ClaimsBuilder = ["alg": "dir", "enc": "A256GCM"]
            if misbehaviour == .compressed { header["zip"] = "DEF" }
            return try Forge.encrypted(
                header: text(header), plaintext: plaintext, with: .symmetricKey(key), .dir, .a256gcm)
        }
    }

    /// Returns the token with one bit changed in the first character of its last part.
    private func changed(_ token: String) -> String {
        var parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard var last = parts.popLast().flatMap(Forge.decoded), !last.isEmpty else { return token }
        last[0] ^= 1
        return (parts + [Forge.encoded(last)]).joined(separator: ".")
    }

    private func text(_ header: ClaimsBuilder) -> String { String(decoding: header.json(), as: UTF8.self) }
}

struct TokenFault: Error {}

/// Keys that no provider publishes.
enum Strangers {
    static let key = Result { try PrivateKey.generate(.rsa(bits: 2048)) }
}
