import JOSE
import JOSETesting
import JOSETokens
import Testing

@Suite("Words of errors") struct ErrorWordTests {
    @Test("ErrorWord and Refusal have the same words") func same() {
        let words = Set(ErrorWord.allCases.map(\.rawValue)).subtracting(["backend"])
        #expect(words == Set(Refusal.allCases.map(\.rawValue)).subtracting(["other"]))
    }

    @Test("errors that the token did not cause are not rejections of it") func other() {
        for error in [
            TokenError.policyInvalid(.leeway), .notDecodable, .replay(.storeFull), .replay(.shareFull),
            .jose(.backend, layer: .signature),
        ] {
            #expect(Refusal(error) == .other && ErrorWord(error) == .backend)
        }
        #expect(Refusal(.replay(.seen)) == .replayed && Refusal(.claims([.expired, .issuerMismatch])) == .expired)
    }
}
