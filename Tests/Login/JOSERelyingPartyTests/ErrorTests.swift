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

    @Test("DigiD: what a service does about each situation in which no login comes about")
    func situations() {
        let remedies: [(RelyingPartyError.Reason, Remedy)] = [
            (.appNotFound, .tellUser), (.notActivated, .tellUser), (.acrTooLow, .tellUser), (.switchedOff, .tellUser),
            (.switchedOffForService, .fixConfiguration), (.returnURLUnknown, .fixConfiguration),
            (.pinBlocked, .tellUser), (.cancelled, .tellUser), (.sessionExpired, .restart),
            (.inResponseToMismatch, .investigate), (.sectorUnexpected, .investigate),
        ]
        for (failure, remedy) in remedies {
            #expect(RelyingPartyError(failure, in: .artifactResponse).remedy == remedy, "\(failure)")
        }
    }
}
