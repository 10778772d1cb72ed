import JOSE
import Testing

extension PeerExchange {
    func keys() async throws {
        for kind in support.kinds {
            let label: Comment = "\(peer.name) \(kind)"
            let ours = try KeyStore.key(kind)
            let print = base64URL(try ours.thumbprint)
            #expect(try await peer.thumbprint(of: ours.sharedText) == print, label)
            #expect(try await peer.thumbprint(of: ours.privateText) == print, label)

            let theirs = try await peer.key(kind)
            let parsed = try JWK(parsing: theirs)
            #expect(try base64URL(parsed.thumbprint()) == (await peer.thumbprint(of: theirs)), label)
            if case .privateKey(let key) = parsed {
                let half = try PublicKey(jwk: await peer.publicHalf(of: theirs))
                #expect(key.publicKey == half, label)
            }
        }
    }

    /// jwcrypto reads no PEM of X448.
    func pem() async throws {
        for kind in support.kinds where support.has(.pem) && !(peer.name == "jwcrypto" && kind == .x448) {
            guard case .pair(let ours) = try KeyStore.key(kind) else { continue }
            let label: Comment = "\(peer.name) \(kind)"
            let print = base64URL(try ours.publicKey.thumbprint())
            let read = try await peer.key(fromPEM: ours.publicKey.pem(), kind)
            #expect(try await peer.thumbprint(of: read) == print, label)
            let readPrivate = try await peer.key(
                fromPEM: String(decoding: ours.exportPrivatePEM(.pkcs8), as: UTF8.self), kind)
            #expect(try await peer.thumbprint(of: readPrivate) == print, label)

            let theirs = try await peer.key(kind)
            let half = try PublicKey(jwk: await peer.publicHalf(of: theirs))
            #expect(try PublicKey(pem: await peer.pem(of: theirs, isPrivate: false)) == half, label)
            #expect(try PrivateKey(pem: await peer.pem(of: theirs, isPrivate: true)).publicKey == half, label)
            let locked = try await peer.pem(of: theirs, isPrivate: true, passphrase: "open sesame")
            let opened = try PrivateKey(pem: locked, passphrase: Array("open sesame".utf8))
            #expect(opened.publicKey == half, label)
            #expect(throws: JOSEError.self, label) {
                try PrivateKey(pem: locked, passphrase: Array("open barley".utf8))
            }
        }
    }
}
