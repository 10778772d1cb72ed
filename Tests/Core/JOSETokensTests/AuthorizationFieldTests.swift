import JOSETokens
import Testing

@Suite("The header field Authorization (RFC 9110)") struct AuthorizationFieldTests {
    @Test("a scheme is followed by one or more spaces and one token (RFC 9110, 11.4)") func forms() {
        for (value, scheme, token) in [
            ("Bearer abc.def.ghi", "bearer", "abc.def.ghi"), ("Bearer  abc", "bearer", "abc"),
            ("Bearer      abc", "bearer", "abc"), ("BEARER abc", "bearer", "abc"), ("bearer abc", "bearer", "abc"),
            ("DPoP abc~def~", "dpop", "abc~def~"), ("Basic eDp5==", "basic", "eDp5=="),
            // Blanks around a value are not part of it (RFC 9110, 5.5).
            (" Bearer abc", "bearer", "abc"), ("Bearer abc ", "bearer", "abc"), ("\tBearer abc \t", "bearer", "abc"),
            ("Bearer", "bearer", nil), ("Bearer ", "bearer", nil), ("Bearer    ", "bearer", nil), ("", "", nil),
            ("   ", "", nil),
            // Two words, parameters and other characters are not one token.
            ("Bearer abc def", "bearer", nil), ("Bearer abc, Basic def", "bearer", nil),
            ("Digest username=\"a\", realm=\"b\"", "digest", nil), ("Bearer abc\tdef", "bearer", nil),
            ("Bearer \tabc", "bearer", nil), ("Bearer é", "bearer", nil), ("Bearer a\u{0}b", "bearer", nil),
            ("Bearer a\r\nX: y", "bearer", nil), ("Bearer a\u{7F}", "bearer", nil),
            // A tab does not separate the scheme from the token.
            ("Bearer\tabc", "bearer\tabc", nil), ("Bearerabc", "bearerabc", nil), ("Bearer:abc", "bearer:abc", nil),
        ] as [(String, String, String?)] {
            let field = AuthorizationField(value)
            #expect(field.scheme == scheme && field.token == token.map { Array($0.utf8) }, "\(value)")
            let bytes = AuthorizationField(Array(value.utf8))
            #expect(bytes.scheme == scheme && bytes.token == field.token, "\(value)")
        }
    }

    @Test("no description contains a token, not even one in the place of the scheme") func descriptions() {
        for field in [AuthorizationField("Bearer confidential"), AuthorizationField("confidential")] {
            var text = "\(field) \(String(reflecting: field))"
            dump(field, to: &text)
            #expect(!text.contains("confidential") && text.contains("AuthorizationField"))
        }
        #expect(AuthorizationField("Bearer confidential").token == Array("confidential".utf8))
    }
}
