#if HTTP
    import JOSE
    import JOSEFetch
    import JOSEKeySets
    import JOSETokens
    import Testing

    @Suite("Samples of key sets") struct KeySetSamples {
        private let policy = TokenPolicy.signed(
            SignaturePolicy(algorithms: [.es256]),
            claims: ClaimPolicy(issuer: "https://id.example.com", audience: "shop"))

        /// Their servers are nobody's: compiled, and run by the tests of sources against servers of their own.
        private func remote(_ token: String) async throws -> VerifiedToken {
            // Sample: key sets, verify
            let keys = try RemoteKeySet(url: "https://id.example.com/jwks", transport: CurlTransport())
            let verifier = try TokenVerifier(policy, verificationKeys: keys)
            try await keys.warmUp(timeout: .seconds(5))
            // Sample: end

            // Sample: key sets, synchronously
            func subject(_ token: String) throws(TokenError) -> String? {
                try verifier.verify(token).claims.subject
            }
            // Sample: end
            _ = try subject(token)

            // Sample: key sets, waiting
            let verified = try await verifier.verify(token, timeout: .seconds(2))
            // Sample: end
            await keys.shutdown()
            return verified
        }

        private func configured() async throws {
            // Sample: key sets, options
            var options = KeySetOptions()
            options.ceiling = .seconds(3600)
            options.outageLimit = .seconds(6 * 3600)
            options.snapshotFolder = "/var/lib/shop/keys"
            options.secondURL = "https://backup.example.com/jwks"
            let keys = try RemoteKeySet(
                url: "https://id.example.com/jwks", transport: CurlTransport(), options: options)
            // Sample: end

            // Sample: key sets, purge
            keys.purge()
            try await keys.warmUp(timeout: .seconds(5))
            // Sample: end
        }

        private func several(_ idToken: String) async throws {
            // Sample: key sets, issuers
            let sets = try IssuerKeySets(
                [
                    IssuerKeys("https://id.example.com"),
                    IssuerKeys("https://login.example.org/realm", discovery: .authorizationServer),
                    IssuerKeys("partner", url: "https://partner.example/jwks"),
                ], transport: CurlTransport())
            let late = try await sets.warmUp(timeout: .seconds(10))
            // Sample: end
            _ = late

            // Sample: key sets, policies
            let verifier = try TokenVerifier(
                issuers: sets.issuers.compactMap { name in
                    let claims = ClaimPolicy(issuer: .exactly(name), audience: "shop")
                    let policy = TokenPolicy.signed(SignaturePolicy(algorithms: [.es256]), claims: claims)
                    return sets.source(for: name).map { TrustedIssuer(policy, keys: $0) }
                })
            let token = try await verifier.verify(idToken, timeout: .seconds(2))
            // Sample: end
            _ = token
        }

        // Sample: key sets, observer
        final class Log: KeySetObserver {
            func keySet(_ name: String, _ event: KeySetEvent) {
                if event.isAlarm { print("keys of \(name): \(event)") }
            }
        }
        // Sample: end

        private func observed() throws {
            // Sample: key sets, observed
            let keys = try RemoteKeySet(
                url: "https://id.example.com/jwks", transport: CurlTransport(), observer: Log())
            let ready = keys.health.isServing
            let failures = keys.counters.failed
            // Sample: end
            _ = (ready, failures)
        }

        private func transports() throws {
            // Sample: fetch, options
            var options = CurlTransport.Options()
            options.trust = .file("/etc/shop/roots.pem")
            options.clientCertificate = .files(certificate: "/etc/shop/client.pem", key: "/etc/shop/client.key")
            options.allowsPrivateAddresses = true
            options.allowedHosts = ["id.internal.example"]
            let transport = try CurlTransport(options)
            // Sample: end
            _ = transport
        }

        @Test("own keys are rotated and published") func ownKeys() throws {
            let theirs = try PrivateKey.generate(.p256, keyID: "s")
            // Sample: own keys, sign
            var rules = RotationRules()
            rules.documentLifetime = .seconds(3600)
            rules.tokenLifetime = .seconds(600)
            let signing = try SigningKeyRotation(rules)
            try signing.add(PrivateKey.generate(.p256, keyID: "2026-11"))
            let issuer = try TokenIssuer(policy, signingKeys: signing, lifetime: .seconds(600))
            // Sample: end
            #expect(try UnverifiedToken(issuer.issue()).header.keyID == "2026-11")

            // Sample: own keys, next
            let handOver = try signing.add(PrivateKey.generate(.p256, keyID: "2026-12"))
            // Sample: end
            #expect(handOver > 1.7e9 && signing.report.map(\.stage) == [.signing, .announced])

            let nested = TokenPolicy.nested(
                outer: EncryptionPolicy(keyManagement: [.ecdhESA128KW], contentEncryption: [.a128gcm]),
                inner: SignaturePolicy(algorithms: [.es256]),
                claims: ClaimPolicy(issuer: "https://id.example.com", audience: "shop"))
            let theirKeys = KeySet(theirs.publicKey)
            // Sample: own keys, decrypt
            let decryption = try DecryptionKeyRotation(rules)
            try decryption.add(PrivateKey.generate(.x25519, keyID: "e-2026"))
            let verifier = try TokenVerifier(nested, verificationKeys: theirKeys, decryptionKeys: decryption)
            // Sample: end

            // Sample: own keys, document
            func answer(ifNoneMatch: String?) throws -> TransportResponse {
                try KeySetDocument([signing, decryption]).response(ifNoneMatch: ifNoneMatch)
            }
            // Sample: end
            let document = try answer(ifNoneMatch: nil)
            let published = try KeySet(parsing: document.body, as: .publicOnly)
            #expect(published.keys.count == 3 && document.header("Cache-Control") == "public, max-age=3600")
            #expect(try answer(ifNoneMatch: document.header("ETag")).status == 304)
            let own = try #require(published.keys.first { $0.keyID == "e-2026" })
            let sealed = try TokenIssuer(nested, signingKey: .privateKey(theirs), encryptionKey: own).issue()
            _ = try verifier.verify(sealed)
            #expect(decryption.report.first?.uses == 1)

            // Sample: own keys, retire
            for key in decryption.report where key.canRemove {
                try decryption.remove(keyID: key.keyID)
            }
            // Sample: end
            #expect(decryption.report.count == 1)

            let privateKeys = [try signing.signingKey()]
            let state = signing.exportState()
            func restore() throws {
                // Sample: own keys, state
                let elsewhere = try SigningKeyRotation(rules)
                try elsewhere.restore(state, privateKeys: privateKeys)
                // Sample: end
            }
            #expect(throws: KeyRotationError.privateKeyMissing(keyID: "2026-12")) { try restore() }
        }
    }
#endif
