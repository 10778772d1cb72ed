import Foundation
import JOSEKeySets
import TestSupport
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
        for other in ["5", "[\"https://id.test/t\"]", "{}", "true"] {
            #expect(throws: DiscoveryFault.invalid(.issuer), "\(other)") {
                try Self.read(Self.document(issuer: other))
            }
        }
        for text in [#"{"Issuer":"https://id.test/t"}"#, #"{"issuer":null}"#] {
            #expect(throws: DiscoveryFault.missing(.issuer), "\(text)") { try Self.read(Array(text.utf8)) }
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

    /// Values that no URL, list and flag has. Each stands in place of a member whose control has a right value.
    private static let badURLs = [
        #""http://id.test/a""#, #""https://u:p@id.test/a""#, #""https://id.test/a#f""#, #""/a""#, #""""#, "5",
        #"["https://id.test/a"]"#, #""javascript:alert(1)""#, #""https://""#, #""file:///a""#, #""http://localhost/a""#,
        #""https://id.test/../a""#, #""urn:kubernetes:programmatic_authorization""#, "{}", "true",
    ]
    private static let badLists = [#""RS256""#, "[1]", "[null]", "{}", #"["a",["b"]]"#, #""""#, "5"]
    private static let badFlags = [#""true""#, #""false""#, "1", "[]", #""""#]

    @Test("a member other than issuer is not judged when metadata is parsed, whatever its value is (RFC 8414, 2)")
    func unneeded() throws {
        var seen = 0
        for member in MetadataMember.all where member != .issuer {
            for value in Self.badURLs + Self.badLists + Self.badFlags + ["null"] {
                let json = Array(#"{"issuer":"\#(Self.issuer)","\#(member)":\#(value)}"#.utf8)
                #expect(throws: Never.self, "\(member) \(value)") { try Self.read(json) }
                seen += 1
            }
        }
        #expect(seen > 1_000)
        // A duplicate is ambiguous, whoever needs the member.
        #expect(throws: DiscoveryFault.malformed) {
            try Self.read(Self.document(#","scopes_supported":null,"scopes_supported":[]"#))
        }
    }

    @Test("a member of another name is read, and a URL that is needed is checked whatever its name is (RFC 8414, 2)")
    func otherNames() throws {
        func metadata(_ name: String, _ value: String) throws -> IssuerMetadata {
            try Self.read(Array(#"{"issuer":"\#(Self.issuer)","\#(name)":"\#(value)"}"#.utf8))
        }
        for name in ["acme_endpoint", "acme_page"] {
            let member = MetadataMember(name)
            #expect(try metadata(name, "https://id.test/a").requiredURL(member) == "https://id.test/a", "\(name)")
            for url in [
                "http://id.test/a", "javascript:alert(1)", "https://user@id.test/", "https://id.test/#a", "text",
            ] {
                let bad = try metadata(name, url)
                #expect(throws: DiscoveryFault.invalid(member), "\(name) \(url)") { try bad.requiredURL(member) }
                #expect(bad.string(member) == (name == "acme_page" ? url : nil), "\(name) \(url)")
            }
        }
        #expect(try metadata("acme_page", "text").string("other_page") == nil)
        // Names are compared by their bytes, and not as text.
        #expect(MetadataMember("caf\u{E9}") != MetadataMember("cafe\u{301}"))
        #expect(MetadataMember("jwks_uri") == .jwksURI && Set<MetadataMember>([.jwksURI, "jwks_uri"]).count == 1)
    }

    @Test("the list of all members has each that is declared") func all() throws {
        let file = "Sources/KeySets/JOSEKeySets/Discovery/MetadataMember.swift"
        let text = try String(contentsOf: Repository.root.appending(path: file), encoding: .utf8)
        let declared = text.matches(of: /package static let \w+ =\s+MetadataMember\(\s*"(\w+)"\)/).map {
            String($0.output.1)
        }
        #expect(declared.count > 40 && declared == MetadataMember.all.map(\.description))
    }

    @Test("a member that is needed is named if it is missing, null, or of a wrong form (RFC 8414, 2)")
    func needed() throws {
        func metadata(_ member: MetadataMember, _ value: String?) throws -> IssuerMetadata {
            let more = value.map { #","\#(member)":\#($0)"# } ?? ""
            return try Self.read(Array(#"{"issuer":"\#(Self.issuer)"\#(more)}"#.utf8))
        }
        let addresses: [MetadataMember] = [
            .jwksURI, .authorizationEndpoint, .tokenEndpoint, .userInfoEndpoint, .pushedAuthorizationRequestEndpoint,
            .endSessionEndpoint, .revocationEndpoint, .introspectionEndpoint, .registrationEndpoint,
            .deviceAuthorizationEndpoint, .backchannelAuthenticationEndpoint,
        ]
        for member in addresses {
            for value in ["https://id.test/a", "https://id.test/a?b=c"] {
                let good = try metadata(member, "\"\(value)\"")
                #expect(try good.requiredURL(member) == value && good.string(member) == value, "\(member)")
            }
            for value in [nil, "null"] {
                let bad = try metadata(member, value)
                #expect(throws: DiscoveryFault.missing(member), "\(member)") { try bad.requiredURL(member) }
                #expect(bad.string(member) == nil)
            }
            for value in Self.badURLs {
                let bad = try metadata(member, value)
                #expect(throws: DiscoveryFault.invalid(member), "\(member) \(value)") { try bad.requiredURL(member) }
                #expect(bad.string(member) == nil, "\(member) \(value)")
            }
        }
        let lists: [MetadataMember] = [.idTokenSigningAlgorithms, .backchannelTokenDeliveryModes, .claims]
        for member in lists {
            #expect(try metadata(member, #"["a"]"#).requiredStrings(member) == ["a"])
            #expect(try metadata(member, "[]").strings(member) == [])
            for value in [nil, "null"] {
                let bad = try metadata(member, value)
                #expect(throws: DiscoveryFault.missing(member), "\(member)") { try bad.requiredStrings(member) }
            }
            for value in Self.badLists {
                let bad = try metadata(member, value)
                #expect(throws: DiscoveryFault.invalid(member), "\(member) \(value)") {
                    try bad.requiredStrings(member)
                }
                #expect(bad.strings(member) == nil, "\(member) \(value)")
            }
        }
        // An authorization server may publish no keys (RFC 8414, 2).
        #expect(try metadata(.jwksURI, nil).keySetURL == nil)
    }

    @Test("a flag with another value than a Boolean omits no check of iss in responses (RFC 9207, 3)")
    func flags() throws {
        let name = MetadataMember.authorizationResponseIssParameter
        for (value, isNamed) in [(nil, false), ("null", false), ("false", false), ("true", true)] as [(String?, Bool)] {
            let more = value.map { #","\#(name)":\#($0)"# } ?? ""
            #expect(try Self.read(Self.document(more)).authorizationResponsesNameIssuer == isNamed, "\(more)")
        }
        for value in Self.badFlags {
            let metadata = try Self.read(Self.document(#","\#(name)":\#(value)"#))
            #expect(metadata.authorizationResponsesNameIssuer && metadata.bool(name) == nil, "\(value)")
        }
    }

    @Test("http URLs for loopback are accepted in metadata only if configured")
    func loopback() throws {
        let issuer = "http://localhost:8080"
        func keys(_ url: String, loopback: Bool) throws -> String {
            let document = Array(#"{"issuer":"\#(issuer)","jwks_uri":"\#(url)"}"#.utf8)
            return try IssuerMetadata(parsing: document, issuer: issuer, allowsLoopbackHTTP: loopback)
                .requiredURL(.jwksURI)
        }
        let url = "http://127.0.0.1:8080/jwks"
        #expect(try keys(url, loopback: true) == url)
        for (other, loopback) in [(url, false), ("http://keys.test/jwks", true), ("http://10.0.0.1/jwks", true)] {
            #expect(throws: DiscoveryFault.invalid(.jwksURI), "\(other)") { try keys(other, loopback: loopback) }
        }
    }
}
