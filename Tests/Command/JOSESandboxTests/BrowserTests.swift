import Foundation
import TestSupport
import Testing

private enum BrowserTools {
    static let tools = ["chromium", "chromedriver", "certutil", "python3"]
    static var areHere: Bool {
        let places = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return builtTool("bulla") != nil
            && tools.allSatisfy { tool in
                places.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)") }
            }
    }
}

/// Debian's Chromium on the way from the button to the signed-in page and back, with the command's own processes over TLS.
@Suite("Logins in a browser", .enabled(if: BrowserTools.areHere)) struct BrowserTests {
    @Test("each profile's login, its refusal and its misbehaviours end on the right page, R01, R02")
    func logins() throws {
        let root = Repository.root
        let pictures = root.appending(path: ".build/login-screenshots").path
        let script = root.appending(path: "Tests/Interop/Browser/logins.py").path
        let result = try run("python3", ["-B", script, try #require(builtTool("bulla")), pictures])
        #expect(result.status == 0, "\(result.stderr.suffix(2000))")
        var logins: Set<String> = []
        for line in result.stdout.split(separator: "\n") {
            let json = try JSON(line.utf8)
            let login = json["login"]?.string ?? ""
            let word = json["case"]?.string ?? ""
            logins.insert(login)
            #expect(json["trouble"] == nil, "\(line)")
            let isRight = Self.isRight(json, login, word)
            #expect(isRight, "\(line)")
            if word != "twice" {
                let picture = "\(pictures)/\(login)-\(word)-service.png"
                #expect(FileManager.default.fileExists(atPath: picture), "\(picture)")
            }
        }
        #expect(logins == Self.expected)
    }

    private static let expected: Set<String> = [
        "itsme-v1", "itsme-v1-nested", "itsme-v2", "itsme-v2-reference", "itsme-now-key", "itsme-now-secret", "zenkey",
        "mitid", "mitid-pushed", "mitid-ciba", "openid", "digid", "digid-saml3", "digid-saml4",
    ]

    private static func isRight(_ json: JSON, _ login: String, _ word: String) -> Bool {
        let failure = json["failure"]?.string
        switch word {
        case "approve", "other-carrier":
            return json["person"] == .bool(true) && json["secure"] == .bool(true) && json["site"] == .bool(true)
        case "refuse": return json["remedy"]?.string == "tellUser"
        // MitID's profiles tell a login that was used from one that never was.
        case "twice": return failure == (login == "mitid-ciba" ? "replayed" : "stateMismatch")
        case "missing-state": return failure == "stateMismatch"
        // Of an app's session there is one login, or none.
        case "without-binding":
            return failure == (login.hasPrefix("digid-saml") ? "stateMismatch" : "bindingMismatch")
        case "three-pins": return failure == (login == "digid" ? "cancelled" : "pinBlocked")
        default: return failures[word] == failure
        }
    }

    /// As the table of the sandbox has them; written down once more, for that is what is tested.
    private static let failures = [
        "bare-jws": "notEncrypted", "alg-none": "algorithmNotAllowed", "wrong-nonce": "nonceMismatch",
        "other-sub": "subjectMismatch", "two-codes": "duplicateParameter(code)", "expired": "expired",
        "wrong-aud": "audienceMismatch", "wrong-iss": "issuerMismatch", "other-iss": "issuerMismatch",
        "answered-by-get": "invalidParameter(response_mode)", "tampered": "signatureInvalid",
        "strangers-key": "signatureInvalid",
        "low-level": "acrTooLow", "bare-claims": "notSigned", "unknown-kid": "keyNotFound",
        "plain-userinfo": "notEncrypted", "busy": "providerError(temporarily_unavailable)",
        "transaction-key": "keyUnsuitable", "wrong-at-hash": "hashMismatch", "missing-nonce": "nonceMismatch",
        "aud-is-client": "audienceMismatch", "other-azp": "authorizedPartyMismatch", "low": "acrTooLow",
        "switched-off": "switchedOff", "switched-off-here": "switchedOffForService", "not-activated": "notActivated",
        "other-request": "inResponseToMismatch", "fault": "providerError(internal_error)",
        "request-refused": "providerError(invalid_request_object)", "return-url-told": "returnURLUnknown",
        "not-found": "appNotFound", "silence": "sessionExpired", "return-url-unknown": "sessionExpired",
    ]
}
