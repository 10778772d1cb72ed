#if Redis
    import Foundation
    import JOSERedis
    import JOSETokens
    import TestSupport
    import Testing

    /// The sample of the article "Storing logins".
    private enum RedisSample {
        // Sample: a store in Redis
        static func logins(
            host: String, port: UInt16 = 6379, authority: String, password: String
        ) throws(RedisStoreError) -> RedisLoginStore {
            var options = RedisOptions(host: host, security: .tls(.init(trust: .file(authority))))
            options.port = port
            options.password = password
            options.keyPrefix = "shop:"
            return try RedisLoginStore(options)
        }
        // Sample: end
    }

    @Suite("Documentation of the store in Redis", .enabled(if: RedisServer.tool != nil, "redis-server is not there"))
    struct RedisSampleTests {
        @Test("the sample's store returns a value once, over TLS, to a client with the password") func store()
            async throws
        {
            typealias Extensions = CertificateMaker.Extensions
            let maker = try CertificateMaker()
            let root = try maker.issue("root", extensions: Extensions.root)
            let certificate = try maker.issue(
                "server", by: root, extensions: Extensions.leaf + ["subjectAltName=IP:127.0.0.1"])
            let server = try RedisServer(
                [
                    "tls-cert-file \(certificate.certificate.path)", "tls-key-file \(certificate.key.path)",
                    "tls-ca-cert-file \(root.certificate.path)", "tls-auth-clients no", "requirepass correct-password",
                ], isTLS: true)
            func logins(_ password: String) throws -> RedisLoginStore {
                try RedisSample.logins(
                    host: "127.0.0.1", port: server.port, authority: root.certificate.path, password: password)
            }
            let (first, second) = (try logins("correct-password"), try logins("correct-password"))
            #expect(await insert(first, "a") == .inserted(true))
            #expect(await insert(second, "a") == .inserted(false))
            #expect(await take(second, "a") == .took([1]))
            #expect(await take(first, "a") == .took(nil))
            #expect(await take(try logins("another"), "a") == .failed(.refused))
        }
    }
#endif
