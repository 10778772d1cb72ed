import JOSEKeySets
import Testing

@Suite("URL of the metadata") struct AddressTests {
    @Test(
        "the well-known suffix is appended to the path without its trailing slash (OpenID Connect Discovery 1.0, 4.1)"
    )
    func openID() throws {
        let cases = [
            ("https://id.test", "https://id.test/.well-known/openid-configuration"),
            ("https://id.test/", "https://id.test/.well-known/openid-configuration"),
            ("https://id.test/realms/a", "https://id.test/realms/a/.well-known/openid-configuration"),
            ("https://id.test/realms/a/", "https://id.test/realms/a/.well-known/openid-configuration"),
            ("https://id.test:8443/x%2Fy", "https://id.test:8443/x%2Fy/.well-known/openid-configuration"),
            ("https://[2001:db8::1]/t", "https://[2001:db8::1]/t/.well-known/openid-configuration"),
        ]
        for (issuer, address) in cases {
            #expect(try Discovery.openID.addresses(of: issuer) == [address], "\(issuer)")
        }
    }

    @Test("the well-known suffix is inserted between host and path (RFC 8414, 3.1)")
    func authorizationServer() throws {
        let cases = [
            ("https://example.com", "https://example.com/.well-known/oauth-authorization-server"),
            ("https://example.com/", "https://example.com/.well-known/oauth-authorization-server"),
            ("https://example.com/issuer1", "https://example.com/.well-known/oauth-authorization-server/issuer1"),
            ("https://example.com:444/a/b/", "https://example.com:444/.well-known/oauth-authorization-server/a/b"),
        ]
        for (issuer, address) in cases {
            #expect(try Discovery.authorizationServer.addresses(of: issuer) == [address], "\(issuer)")
        }
    }

    @Test("several URLs in order, another suffix or a fixed URL can be configured (RFC 8414, 5; RFC 8615, 3)")
    func choices() throws {
        #expect(
            try Discovery.standard.addresses(of: "https://id.test/t") == [
                "https://id.test/t/.well-known/openid-configuration",
                "https://id.test/.well-known/oauth-authorization-server/t",
            ])
        let both = Discovery.authorizationServer.otherwise(.openID)
        #expect(
            try both.addresses(of: "https://id.test/t") == [
                "https://id.test/.well-known/oauth-authorization-server/t",
                "https://id.test/t/.well-known/openid-configuration",
            ])
        let underscore = Discovery.wellKnown("openid_configuration", .behindPath)
        #expect(
            try underscore.addresses(of: "https://id.test") == ["https://id.test/.well-known/openid_configuration"])
        let inserted = Discovery.wellKnown("openid-configuration", .beforePath)
        #expect(
            try inserted.addresses(of: "https://id.test/t") == ["https://id.test/.well-known/openid-configuration/t"])
        let own = Discovery.document(at: "https://meta.test/about?client_id=a&mccmnc=310410")
        #expect(try own.addresses(of: "https://id.test") == ["https://meta.test/about?client_id=a&mccmnc=310410"])
        for suffix in ["", "a/b", "a?b", "a b", "..", ".", "é", "a%2Fb", String(repeating: "a", count: 129)] {
            #expect(throws: DiscoveryFault.addressInvalid, "\(suffix)") {
                try Discovery.wellKnown(suffix, .behindPath).addresses(of: "https://id.test")
            }
        }
        for address in [
            "http://meta.test/about", "https://meta.test/about#x", "https://u@meta.test/about", "ftp://meta.test", "",
            "meta.test/about", "https:///about", "https://meta.test/../about",
        ] {
            #expect(throws: DiscoveryFault.addressInvalid, "\(address)") {
                try Discovery.document(at: address).addresses(of: "https://id.test")
            }
        }
    }

    @Test("an issuer must be an https URL with only a host and a path (RFC 8414, 2)")
    func issuers() throws {
        let bad = [
            "", "id.test", "//id.test", "https:", "https://", "https:id.test", "HTTPS://id.test", "http://id.test",
            "ftp://id.test", "file:///etc/passwd", "https://id.test?x", "https://id.test/a?", "https://id.test#f",
            "https://id.test/#", "https://u@id.test", "https://u:p@id.test", "https://@id.test", "https://id.test:",
            "https://id.test:0", "https://id.test:65536", "https://id.test:+443", "https://id.test:44a", "https://:443",
            "https://id.test:1:2", "https://id test", "https://id.test/a b", "https://id.test/\n", "https://id.test/\\",
            "https://id.test/é", "https://bücher.test", "https://id.test/%", "https://id.test/%4",
            "https://id.test/%4g", "https://id.test/%g4", "https://[::1]8443",
            "https://id.test/a/../b", "https://id.test/./b", "https://id.test/..", "https://[::1", "https://[1]",
            "https://[::1]x", "https://[g::]", "https://id%2etest", "https://id,test", "https://id.test/<>",
            "https://id.test/" + String(repeating: "a", count: 2_033),
        ]
        for issuer in bad {
            #expect(throws: DiscoveryFault.issuerInvalid, "\(issuer)") {
                try Discovery.openID.addresses(of: issuer)
            }
        }
        let good = [
            "https://id.test", "https://ID.test", "https://id.test:443", "https://id.test:65535", "https://id_1.test",
            "https://192.0.2.1/x", "https://[::1]:8443", "https://id.test/%C3%A9", "https://id.test/a..b/.c/",
            "https://id.test/a:b@c", "https://id.test/" + String(repeating: "a", count: 2_032),
        ]
        for issuer in good {
            #expect(throws: Never.self, "\(issuer)") { try Discovery.openID.addresses(of: issuer) }
        }
    }

    @Test("http is accepted for loopback if configured, and not for a host that resembles loopback")
    func loopback() throws {
        let here = [
            "http://localhost:8080", "http://127.0.0.1/a", "http://127.1.2.3:1", "http://[::1]:9", "https://id.test",
        ]
        for issuer in here {
            #expect(throws: Never.self, "\(issuer)") {
                try Discovery.openID.addresses(of: issuer, allowsLoopbackHTTP: true)
            }
            if issuer.hasPrefix("http:") {
                #expect(throws: DiscoveryFault.issuerInvalid, "\(issuer)") {
                    try Discovery.openID.addresses(of: issuer)
                }
            }
        }
        for issuer in [
            "http://id.test", "http://localhost.evil.test", "http://127.0.0.1.evil.test", "http://127.1",
            "http://[::2]",
            "http://127.0.0.256", "http://127.0.0.1@evil.test", "http://evil.test/127.0.0.1", "http://0.0.0.0",
        ] {
            #expect(throws: DiscoveryFault.issuerInvalid, "\(issuer)") {
                try Discovery.openID.addresses(of: issuer, allowsLoopbackHTTP: true)
            }
        }
    }
}
