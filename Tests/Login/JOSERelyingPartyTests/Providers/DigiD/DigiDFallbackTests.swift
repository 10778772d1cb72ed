import JOSEDigiD
import JOSERelyingParty
import Testing

@Suite("The page of DigiD's return URL in a browser") struct DigiDFallbackTests {
    private func reason(_ query: String, _ scheme: String = "myapp") -> RelyingPartyError.Reason? {
        do throws(RelyingPartyError) {
            _ = try DigiDFallbackPage(query: query, scheme: scheme)
            return nil
        } catch { return error.reason }
    }

    @Test(
        "DigiD case 44: a value with markup is rejected, a good one is in the link byte for byte, and javascript is no scheme"
    )
    func page() throws {
        #expect(reason("app-app=\"><script>") == .malformed)
        #expect(reason("app-app=eyJ9", "javascript") == .configurationError)
        let page = try DigiDFallbackPage(query: "x=1&app-app=eyJ9+/A=&y", scheme: "myapp")
        #expect(page.link == "myapp://return?app-app=eyJ9+/A=")
        #expect(page.page.contains("href=\"myapp://return?app-app=eyJ9+/A=\"") && !page.page.contains("<script"))
        #expect(!"\(page)".contains("eyJ9"))
        let encoded = try DigiDFallbackPage(query: "app-app=eyJ9%2B%2fA%3D", scheme: "myapp")
        #expect(encoded.link == "myapp://return?app-app=eyJ9%2B%2fA%3D")
        let headers = Dictionary(uniqueKeysWithValues: AppReturnPage.headers.map { ($0.name, $0.value) })
        #expect(headers["Cache-Control"] == "no-store" && headers["Referrer-Policy"] == "no-referrer")
        #expect(headers["Content-Security-Policy"]?.contains("default-src 'none'") == true)
    }

    @Test("a query without exactly one value in base64 is rejected") func queries() {
        #expect(reason("app-app=eyJ9") == nil)
        #expect(reason("") == .missingParameter("app-app"))
        #expect(reason("app-app=") == .missingParameter("app-app"))
        #expect(reason("app-app=a&app-app=b") == .duplicateParameter("app-app"))
        for wrong in ["%22", "eyJ9%3", "eyJ9%zz", "eyJ9%00", "eyJ9%20"] {
            #expect(reason("app-app=" + wrong) == .malformed, "\(wrong)")
        }
        #expect(reason("app-app=" + String(repeating: "a", count: 4_096)) == .tooLarge)
        #expect(reason("app-app=" + String(repeating: "a", count: 4_088)) == nil)
    }

    @Test("schemes of others and malformed ones are rejected") func schemes() {
        for scheme in [
            "http", "https", "data", "file", "intent", "digid-app-auth", "digid-app-wid", "ab", "1abc", "MyApp", "a b",
            "",
            "my_app", String(repeating: "a", count: 32),
        ] {
            #expect(reason("app-app=eyJ9", scheme) == .configurationError, "\(scheme)")
        }
        for scheme in ["abc", "my.app+x-1", String(repeating: "a", count: 31)] {
            #expect(reason("app-app=eyJ9", scheme) == nil, "\(scheme)")
        }
    }
}
