internal import JOSE
internal import JOSEMitID
internal import JOSESupport
internal import JOSETokens
internal import Synchronization

/// Client authentication.
extension Provider {
    /// Returns the client of a request.
    ///
    /// - Parameter audience: The path of the endpoint for which an assertion must be, or nil for the token endpoint.
    func authenticated(
        _ request: WebRequest, _ form: FormFields, audience: String? = nil
    ) throws -> Registration {
        let assertion = form["client_assertion"]
        if let header = request.header("Authorization") {
            guard assertion == nil, form["client_secret"] == nil else {
                throw ProviderFault.request("two ways of client authentication")
            }
            return try basic(header, form)
        }
        if let assertion {
            guard form["client_secret"] == nil else {
                throw ProviderFault.request("two ways of client authentication")
            }
            let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
            guard form["client_assertion_type"] == type else {
                throw ProviderFault.request("client_assertion_type")
            }
            return try asserted(assertion, form, audience ?? paths.token)
        }
        guard let client = client(form["client_id"]), client.authentication.contains(.post),
            let secret = client.secret, let given = form["client_secret"], Randomness.isSame(secret, given)
        else { throw ProviderFault.client("no client authentication that is registered") }
        return client
    }

    private func basic(_ header: String, _ form: FormFields) throws -> Registration {
        let wrong = ProviderFault.client("not the id and secret of a client")
        let field = AuthorizationField(header)
        guard field.scheme == "basic", let bytes = field.token.flatMap({ Base64.decode($0) }),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
        else { throw wrong }
        let (id, secret) = (bytes[..<colon], bytes[(colon + 1)...])
        for client in clients {
            guard let own = client.secret else { continue }
            let pair: (id: String?, secret: String?)
            if client.authentication.contains(.encodedBasic) {
                pair = (FormFields.decoded(id, plusIsSpace: true), FormFields.decoded(secret, plusIsSpace: true))
            } else if client.authentication.contains(.basic) {
                pair = (String(decoding: id, as: UTF8.self), String(decoding: secret, as: UTF8.self))
                // One carrier rejects `client_id` in the body, so this one does too.
                guard form["client_id"] == nil else { throw ProviderFault.request("client_id in the body") }
            } else {
                continue
            }
            if pair.id == client.clientID, let given = pair.secret, Randomness.isSame(own, given) { return client }
        }
        throw wrong
    }

    private func asserted(_ assertion: String, _ form: FormFields, _ path: String) throws -> Registration {
        let isNested = assertion.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 4
        for client in clients {
            guard client.authentication.contains(isNested ? .nestedAssertion : .signedAssertion),
                form["client_id"].map({ $0 == client.clientID }) ?? true
            else { continue }
            var profile = ClientAssertionProfile(
                clientID: client.clientID, server: client.assertionAudienceIsIssuer ? issuer : issuer + path,
                algorithms: Self.algorithms(client), replayStore: assertions)
            profile.claims.clock = clock
            profile.encryption = isNested ? Self.encryption : nil
            let verifier = try TokenVerifier(
                profile, verificationKeys: Self.signing(client), decryptionKeys: decryptionKeys)
            guard let token = try? verifier.verify(assertion), token.header.keyID != nil || token.algorithm == .hs256,
                !client.flavour.isItsme || token.header.type == "JWT"
            else { continue }
            return client
        }
        throw ProviderFault.client("no assertion of a client, by its form, key, audience, time and jti")
    }

    static let encryption: EncryptionPolicy = {
        var policy = EncryptionPolicy(
            keyManagement: [.rsaOAEP, .rsaOAEP256, .rsaOAEP384, .rsaOAEP512],
            contentEncryption: [.a128cbcHS256, .a256cbcHS512, .a128gcm, .a256gcm])
        policy.contentType = .exactly("JWT")
        return policy
    }()

    /// Returns the algorithms of the client's signatures. Only MitID's clients use HMAC, with their secret.
    static func algorithms(_ client: Registration) -> [SignatureAlgorithm] {
        switch client.flavour {
        case .mitID: [.rs256, .ps256, .es256, .hs256]
        default: [.rs256]
        }
    }

    /// Returns the client's keys for signatures, because a client publishes all its keys in one set.
    static func signing(_ client: Registration) -> KeySet {
        let keys = client.keys.keys.filter { $0.publicKey?.use != .encryption }
        guard client.flavour == .mitID, let secret = client.secret,
            let key = try? SecretKey(bytes: Array(secret.utf8))
        else { return KeySet(keys) }
        return KeySet(keys + [.symmetricKey(key)])
    }

    var decryptionKeys: KeySet {
        state.withLock { $0.keys.encryption }.map { KeySet($0) } ?? .empty
    }
}
