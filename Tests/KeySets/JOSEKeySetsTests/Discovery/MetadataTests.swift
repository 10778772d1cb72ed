import JOSEKeySets
import Testing

@Suite("Issuer metadata") struct MetadataTests {
    static let issuer = "https://id.test/t"

    static func document(_ more: String = "", issuer: String = "\"https://id.test/t\"") -> [UInt8] {
        Array(#"{"issuer":\#(issuer),"jwks_uri":"https://keys.test/jwks"\#(more)}"#.utf8)
    }

    static func read(_ json: [UInt8]) throws(DiscoveryFault) -> IssuerMetadata {
        try IssuerMetadata(parsing: json, issuer: issuer)
    }

    @Test("the members that a relying party needs are parsed (RFC 8414, 2; OpenID Connect Discovery 1.0, 3)")
    func members() throws {
        let metadata = try Self.read(
            Self.document(
                #"""
                ,"authorization_endpoint":"https://id.test/authorize?p=1","token_endpoint":"https://id.test/token",
                "userinfo_endpoint":"https://id.test/userinfo","revocation_endpoint":"https://id.test/revoke",
                "introspection_endpoint":"https://id.test/introspect","end_session_endpoint":"https://id.test/logout",
                "pushed_authorization_request_endpoint":"https://id.test/par",
                "id_token_signing_alg_values_supported":["RS256","ES256"],"response_modes_supported":[],
                "authorization_response_iss_parameter_supported":true,"x":{"y":[1, 2]},"signed_metadata":"a.b.c"
                """#))
        #expect(metadata.issuer == Self.issuer && metadata.keySetURL == "https://keys.test/jwks")
        #expect(metadata.authorizationEndpoint == "https://id.test/authorize?p=1")
        #expect(metadata.tokenEndpoint == "https://id.test/token")
        #expect(metadata.userInfoEndpoint == "https://id.test/userinfo")
        #expect(metadata.revocationEndpoint == "https://id.test/revoke")
        #expect(metadata.introspectionEndpoint == "https://id.test/introspect")
        #expect(metadata.endSessionEndpoint == "https://id.test/logout")
        #expect(metadata.pushedAuthorizationRequestEndpoint == "https://id.test/par")
        #expect(metadata.strings(.idTokenSigningAlgorithms) == ["RS256", "ES256"])
        #expect(metadata.strings(.responseModes) == [] && metadata.strings(.responseTypes) == nil)
        #expect(metadata.authorizationResponsesNameIssuer)
        #expect(metadata.json("x") == Array(#"{"y":[1, 2]}"#.utf8) && metadata.json("z") == nil)
        // Strings in place of endpoints, and the reverse, are not returned.
        #expect(metadata.string(.scopes) == nil && metadata.strings(.issuer) == nil && metadata.bool(.issuer) == nil)
        #expect(!(try Self.read(Self.document()).authorizationResponsesNameIssuer))
        #expect(!metadata.description.contains("id.test"))
    }

    @Test("metadata is rejected unless its issuer is the requested one, byte for byte (RFC 8414, 3.3)")
    func issuerBytes() throws {
        #expect(throws: Never.self) { try Self.read(Self.document()) }
        // An escape of JSON stands for equal bytes.
        #expect(throws: Never.self) { try Self.read(Self.document(issuer: #""https:\/\/id.test/\u0074""#)) }
        for other in [
            "https://id.test/t/", "https://id.test/T", "https://ID.test/t", "HTTPS://id.test/t",
            "https://id.test:443/t",
            "https://id.test", "https://id.test/%74", "https://evil.test/t", "", " https://id.test/t",
            "https://id.test/t ",
            "https://id.test/t#", "https://id.test/t?",
        ] {
            #expect(throws: DiscoveryFault.issuerMismatch, "\(other)") {
                try Self.read(Self.document(issuer: "\"\(other)\""))
            }
            #expect(throws: Never.self, "\(other)") {
                try IssuerMetadata(parsing: Self.document(issuer: "\"\(other)\""), issuer: other)
            }
        }
        // Unicode considers one character and two equal.
        let composed = "https://id.test/\u{E9}"
        let decomposed = "https://id.test/e\u{301}"
        #expect(composed == decomposed)
        for (asked, sent) in [(composed, decomposed), (decomposed, composed)] {
            #expect(throws: DiscoveryFault.issuerMismatch) {
                try IssuerMetadata(parsing: Self.document(issuer: "\"\(sent)\""), issuer: asked)
            }
            #expect(throws: Never.self) {
                try IssuerMetadata(parsing: Self.document(issuer: "\"\(asked)\""), issuer: asked)
            }
        }
        for other in ["null", "5", "[\"https://id.test/t\"]", "{}", "true"] {
            #expect(throws: DiscoveryFault.invalid(.issuer), "\(other)") {
                try Self.read(Self.document(issuer: other))
            }
        }
        #expect(throws: DiscoveryFault.missing(.issuer)) {
            try Self.read(Array(#"{"Issuer":"https://id.test/t"}"#.utf8))
        }
    }

    @Test("metadata must be one strict JSON object of a bounded size without duplicates (RFC 8259, 4)")
    func strictness() throws {
        for text in [
            "", " ", "[]", "null", "<html>", "{", #"{"issuer":"https://id.test/t"}x"#,
            #"{"issuer":"https://id.test/t",}"#,
            "\u{FEFF}" + String(decoding: Self.document(), as: UTF8.self), #"{'issuer':'https://id.test/t'}"#,
        ] {
            #expect(throws: DiscoveryFault.malformed, "\(text)") { try Self.read(Array(text.utf8)) }
        }
        for more in [
            #","issuer":"https://evil.test""#, #","jwks_uri":"https://evil.test/jwks""#, #","jwks\u005furi":"x""#,
            #","x":{"a":1,"a":2}"#,
        ] {
            #expect(throws: DiscoveryFault.malformed, "\(more)") { try Self.read(Self.document(more)) }
        }
        let room = IssuerMetadata.byteLimit - Self.document(#","x":"""#).count
        let largest = Self.document(#","x":"\#(String(repeating: "a", count: room))""#)
        #expect(largest.count == IssuerMetadata.byteLimit)
        #expect(throws: Never.self) { try Self.read(largest) }
        #expect(throws: DiscoveryFault.tooLarge) { try Self.read(largest + Array(" ".utf8)) }
    }

    @Test(
        "metadata with a URL that is not https, or a member of a wrong type, is rejected (RFC 8414, 2)"
    )
    func types() throws {
        let addresses: [MetadataMember] = [
            .authorizationEndpoint, .tokenEndpoint, .userInfoEndpoint, .pushedAuthorizationRequestEndpoint,
            .endSessionEndpoint, .revocationEndpoint, .introspectionEndpoint, .registrationEndpoint,
            .deviceAuthorizationEndpoint, .backchannelAuthenticationEndpoint,
        ]
        let lists: [MetadataMember] = [.idTokenSigningAlgorithms, .scopes, .codeChallengeMethods, .claims]
        let truths: [MetadataMember] = [.authorizationResponseIssParameter, .requestURIParameter]
        let badAddresses = [
            #""http://id.test/a""#, #""https://u:p@id.test/a""#, #""https://id.test/a#f""#, #""/a""#, #""""#, "null",
            "5",
            #"["https://id.test/a"]"#, #""javascript:alert(1)""#, #""https://""#, #""file:///a""#,
            #""http://localhost/a""#,
        ]
        let bad: [([MetadataMember], [String], good: [String])] = [
            (addresses, badAddresses, [#""https://id.test/a""#, #""https://id.test/a?b=c""#]),
            (lists, [#""RS256""#, "[1]", "[null]", "{}", "null", #"["a",["b"]]"#], [#"["a"]"#, "[]"]),
            (truths, [#""true""#, "1", "null", "[]"], ["true", "false"]),
        ]
        var seen = 0
        for (members, bad, good) in bad {
            for member in members {
                for value in bad {
                    #expect(throws: DiscoveryFault.invalid(member), "\(member) \(value)") {
                        try Self.read(Self.document(#","\#(member.rawValue)":\#(value)"#))
                    }
                    seen += 1
                }
                for value in good {
                    #expect(throws: Never.self, "\(member) \(value)") {
                        try Self.read(Self.document(#","\#(member.rawValue)":\#(value)"#))
                    }
                }
            }
        }
        #expect(seen > 140)
        for value in badAddresses {
            #expect(throws: DiscoveryFault.invalid(.jwksURI), "\(value)") {
                try Self.read(Array(#"{"issuer":"\#(Self.issuer)","jwks_uri":\#(value)}"#.utf8))
            }
        }
        // An authorization server may publish no keys (RFC 8414, 2).
        #expect(try Self.read(Array(#"{"issuer":"\#(Self.issuer)"}"#.utf8)).keySetURL == nil)
    }

    @Test("http URLs for loopback are accepted in metadata only if configured")
    func loopback() throws {
        let issuer = "http://localhost:8080"
        let document = Array(#"{"issuer":"\#(issuer)","jwks_uri":"http://127.0.0.1:8080/jwks"}"#.utf8)
        #expect(throws: Never.self) {
            try IssuerMetadata(parsing: document, issuer: issuer, allowsLoopbackHTTP: true)
        }
        #expect(throws: DiscoveryFault.invalid(.jwksURI)) { try IssuerMetadata(parsing: document, issuer: issuer) }
        let elsewhere = Array(#"{"issuer":"\#(issuer)","jwks_uri":"http://keys.test/jwks"}"#.utf8)
        #expect(throws: DiscoveryFault.invalid(.jwksURI)) {
            try IssuerMetadata(parsing: elsewhere, issuer: issuer, allowsLoopbackHTTP: true)
        }
    }
}
