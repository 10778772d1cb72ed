internal import CRaw
internal import JOSE

/// The baseline: the cryptography alone, with algorithms fetched once and contexts reused, as in the other rows of `bench`.
struct RawPeer: PeerLibrary {
    let fixtures: PeerFixtures

    func work(_ operation: PeerOperation) throws -> PeerWork? {
        switch operation.group {
        case "verify": try verify(operation)
        case "sign": try sign(operation)
        case "decrypt", "nested": try decrypt(operation)
        case "encrypt": try encrypt(operation)
        default: nil
        }
    }

    /// Returns the work of a raw call, which processes neither header nor claims.
    private func work(_ token: [UInt8], _ call: @escaping ([UInt8]) -> RawCall) throws -> PeerWork {
        PeerWork(Raw(call(token)).run, refuses: { $0.layer != "cryptography" || !Raw.holds(call($0.token)) })
    }

    private func verify(_ operation: PeerOperation) throws -> PeerWork {
        let fixture = try signing(operation.algorithms[0])
        return try work(fixtures.token(operation.name)) { verification(fixture, operation.algorithms[0], $0) }
    }

    private func verification(_ fixture: SigningFixture, _ algorithm: String, _ token: [UInt8]) -> RawCall {
        let parts = TokenParts(token)
        return RawCall(
            operation: "verify", alg: algorithm,
            fields: [
                (fixture.isSymmetric ? .secret : .key, fixture.publicField), (.input, parts.signingInput),
                (.signature, parts.decoded[2]),
            ])
    }

    private func sign(_ operation: PeerOperation) throws -> PeerWork {
        let fixture = try signing(operation.algorithms[0])
        let input = TokenParts(try fixtures.token("verify/" + operation.algorithms[0])).signingInput
        let key = fixture.isSymmetric ? craw_field.secret : .key
        return PeerWork(Raw("sign", operation.algorithms[0], [(key, fixture.secretField), (.input, input)]).run)
    }

    /// Returns the work of decryption. For a nested token the valid inner token is verified too: a broken token has another
    /// plaintext, and is rejected for that.
    private func decrypt(_ operation: PeerOperation) throws -> PeerWork {
        let recipient = try recipient(operation)
        let content = try operation.contentEncryption()
        let plaintext = try fixtures.bytes(operation.name + ".plaintext")
        var inner: RawCall?
        if operation.group == "nested" {
            inner = verification(try signing(operation.algorithms[2]), operation.algorithms[2], plaintext)
        }
        return try work(fixtures.token(operation.name)) { [inner] token in
            var call = recipient.decryption(content, TokenParts(token), plaintext)
            call.then = inner.map { [$0] } ?? []
            return call
        }
    }

    private func encrypt(_ operation: PeerOperation) throws -> PeerWork {
        let token = try fixtures.token("decrypt/" + operation.algorithms.joined(separator: "+"))
        let raw = try recipient(operation).rawEncrypt(
            operation.contentEncryption(), TokenParts(token), fixtures.claims)
        return PeerWork(raw.run)
    }

    private func signing(_ algorithm: String) throws -> SigningFixture {
        switch try fixtures.secretKey(algorithm) {
        case .symmetricKey(let key): try SigningFixture((key, fixtures.bytes("keys/\(algorithm).secret")))
        case .privateKey(let key) where algorithm == "EdDSA": try SigningFixture(raw: key)
        case .privateKey(let key): try SigningFixture(key)
        case .publicKey: throw Options.Fault(description: "a public key where a private one belongs")
        }
    }

    private func recipient(_ operation: PeerOperation) throws -> Recipient {
        let name = operation.algorithms[0]
        let key = try fixtures.secretKey(name)
        let secret: [UInt8]
        let open: [UInt8]
        switch key {
        case .privateKey(let key): (secret, open) = (try key.exportPrivateDER(), try key.publicKey.der())
        case .symmetricKey, .publicKey:
            secret = try fixtures.bytes("keys/\(name).secret")
            open = secret
        }
        return Recipient(
            name: name, algorithm: try operation.keyManagement(), key: key, secretField: secret, publicField: open)
    }
}
