import JOSERelyingParty
import Testing

@Suite("Errors of a login") struct ErrorTests {
    @Test("a provider's error code is visible ASCII of at most 100 characters, RFC 6749, 4.1.2.1")
    func codes() {
        #expect(ProviderErrorCode("access_denied")?.description == "access_denied")
        #expect(ProviderErrorCode(String(repeating: "a", count: 100)) != nil)
        for text in ["", String(repeating: "a", count: 101), "a b", "a\"b", "a\\b", "a\nb", "é"] {
            #expect(ProviderErrorCode(text) == nil)
        }
    }
}
