#if HTTP
    import Foundation
    import JOSE
    import JOSEFetch
    import JOSEKeySets
    import JOSESandbox
    import JOSETokens
    import TestSupport
    import Testing

    @testable import JOSERelyingParty

    private enum Independent {
        /// The profile of that provider, with all checks of OpenID Connect.
        static let profile: ProviderProfile = {
            var profile = ProviderProfile(name: "test.idpyoidc", production: nil)
            var nested = TokenRules()
            nested.layers = .nested
            nested.keyManagement = [.rsaOAEP]
            nested.contentEncryption = [.a128cbcHS256]
            nested.type = .any
            profile.client.authentication = [.privateKeyJWT]
            profile.client.assertionAudience = .tokenEndpoint
            profile.idToken.token = nested
            profile.userInfo = UserInfoRules(form: .jwt(nested))
            return profile.limited(to: busyTimeLimit)
        }()
    }

    /// idpyoidc's provider, which is OpenID-certified and independent of this package, over TLS in a process of its own.
    private final class IndependentProvider {
        let issuer: String
        let keys: KeySet
        let party: RelyingParty
        let transport: CurlTransport
        private let ca: String
        private let process: Tethered
        private let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
            let authority = try TestAuthority()
            let site = try authority.issue(["localhost"])
            ca = folder.url.appending(path: "ca.pem").path
            let signing = try Self.key(.signature, "s1")
            let encryption = try Self.key(.encryption, "e1")
            keys = KeySet([.privateKey(signing), .privateKey(encryption)])
            let jwks = keys.jwks()
            let client = #"{"client_id":"service","redirect_uri":"https://service.test/callback","jwks":\#(jwks)}"#
            for (name, bytes) in [
                ("ca.pem", try authority.pem()), ("site.pem", site.certificate), ("site.key", site.key),
                ("client.json", Array(client.utf8)),
            ] { try Data(bytes).write(to: folder.url.appending(path: name)) }
            let place = folder.url
            let script = Repository.root.appending(path: "Tests/Interop/IndependentProvider/op.py").path
            process = try Tethered(
                Peers.python,
                ["-B", script] + ["site.pem", "site.key", "client.json"].map { place.appending(path: $0).path })
            issuer = "https://localhost:" + (try process.line())
            var options = CurlTransport.Options()
            options.trust = .file(ca)
            options.allowsLoopback = true
            transport = try CurlTransport(options)
            party = try RelyingParty(
                Independent.profile, in: .sandbox(issuer: issuer),
                client: RelyingPartyClient(
                    id: "service", redirectURI: "https://service.test/callback",
                    credentials: .keys(signing: signing, decryption: KeySet(encryption))),
                transport: transport, store: MemoryLoginStore())
        }

        private static func key(_ use: KeyUse, _ name: String) throws -> PrivateKey {
            var key = try PrivateKey.stored(keyID: name)
            key.use = use
            return key
        }

        private struct NotRedirected: Error, CustomStringConvertible { let description: String }

        /// Returns the address to which a browser is redirected. Its user is always logged in.
        func visit(_ url: String) throws -> String {
            let result = try run(
                "curl", ["-sS", "--cacert", ca, "-o", "/dev/null", "-w", "%{http_code} %{redirect_url}", url])
            let words = result.stdout.split(separator: " ")
            guard words.count == 2, words[0] == "303" else {
                throw NotRedirected(description: result.stdout + result.stderr)
            }
            return String(words[1].split(separator: "?", maxSplits: 1)[1])
        }
    }

    @Suite("Sandbox: an independent provider", .enabled(if: Peers.areHere)) struct IndependentProviderTests {
        @Test(
            "idpyoidc signs users in by encrypted tokens; a second use, or the callback of another login, is rejected"
        )
        func login() async throws {
            let provider = try IndependentProvider()
            var request = LoginRequest()
            request.scopes += ["profile", "email"]
            let start = try await provider.party.beginLogin(request)
            let callback = try provider.visit(start.url)
            let user = try await provider.party.completeLogin(callback: .query(callback), binding: start.binding)
            #expect(user.issuer == provider.issuer)
            #expect(user.idToken.encryptionHeader?.algorithmName == "RSA-OAEP")
            #expect(user.string("name") == "Diana Krall")
            #expect(user.userInfo?.string("email") == "diana@person.test")
            await #expect(throws: RelyingPartyError(.stateMismatch, in: .callback)) {
                try await provider.party.completeLogin(callback: .query(callback), binding: start.binding)
            }
            let other = try await provider.party.beginLogin(request)
            let theirs = try provider.visit(other.url)
            await #expect(throws: RelyingPartyError(.bindingMismatch, in: .callback)) {
                try await provider.party.completeLogin(callback: .query(theirs), binding: start.binding)
            }
        }
    }
#endif
