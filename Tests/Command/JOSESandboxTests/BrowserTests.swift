import Foundation
import TestSupport
import Testing

private enum BrowserTools {
    /// `make test-browser` fails without the tools.
    static var areNeeded: Bool { ProcessInfo.processInfo.environment["BULLA_BROWSER_LOGINS"] == "all" }
    static let tools = ["chromium", "chromedriver", "certutil", "python3"]
    static var areHere: Bool {
        let places = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return builtTool("bulla-sandbox") != nil
            && tools.allSatisfy { tool in
                places.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)") }
            }
    }
}

/// Tests with Debian's Chromium, from the button to the signed-in page and back, with the command's own processes over TLS.
@Suite("Sandbox: logins in a browser", .enabled(if: BrowserTools.areHere || BrowserTools.areNeeded)) struct BrowserTests
{
    /// BULLA_BROWSER_LOGINS names logins, of which all cases are gone through, or is "all". Otherwise most have two cases.
    @Test("with each profile a login, and one simulated fault or all of them, end on the right page (R01, R02)")
    func logins() throws {
        let root = Repository.root
        let pictures = root.appending(path: ".build/login-screenshots").path
        let script = root.appending(path: "Tests/Interop/Browser/logins.py").path
        let wanted = ProcessInfo.processInfo.environment["BULLA_BROWSER_LOGINS"] ?? "--short"
        let words = wanted == "all" ? [] : wanted.split(separator: " ").map(String.init)
        let names = words.filter { $0 != "--short" }
        let result = try run("python3", ["-B", script, try #require(builtTool("bulla-sandbox")), pictures] + words)
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
        #expect(logins == (names.isEmpty ? Self.expected : Set(names)))
    }

    private static let expected: Set<String> = [
        "itsme-v1", "itsme-v1-nested", "itsme-v2", "itsme-v2-reference", "itsme-now-key", "itsme-now-secret",
        "itsme-ciba", "zenkey", "zenkey-app",
        "mitid", "mitid-pushed", "mitid-ciba", "mitid-app", "mitid-business", "mitid-age", "mitid-years", "altid",
        "altid-age", "altid-age-ciba", "openid", "entra", "digid", "digid-saml3", "digid-saml4", "digid-web-saml3",
        "digid-web-saml4",
    ]

    private static func isRight(_ json: JSON, _ login: String, _ word: String) -> Bool {
        let failure = json["failure"]?.string
        switch word {
        case "approve" where login == "mitid-age": return json["ages"]?.string == "yes"
        case "approve" where login == "mitid-years": return json["ages"]?.string == Bench.years(of: "bo")
        case "approve" where login.hasPrefix("altid-age"): return json["ages"]?.string == "yes no"
        // The page of the app shows the outcome.
        case "approve" where login == "zenkey-app": return json["person"] == .bool(true)
        case "refuse" where login == "zenkey-app": return json["cancelled"]?.string == "in the app"
        case "other-carrier" where login == "zenkey-app": return failures[word] == failure
        case "opened-twice": return failure == "token_expired"
        case "victim": return failure == "invalid_parameter(login)"
        case "approve", "other-carrier", "no-switch", "pushed":
            return json["person"] == .bool(true) && json["secure"] == .bool(true) && json["site"] == .bool(true)
        // The login that is attacked fails, and its control succeeds.
        case _ where attacks[word] != nil:
            return failure == attacks[word] && json["person"] == .bool(true) && json["site"] == .bool(true)
        case "refuse": return json["remedy"]?.string == "tellUser"
        // MitID's profiles tell a login that was completed before from an unknown one.
        case "twice": return failure == (login == "mitid-ciba" ? "token_replayed" : "state_mismatch")
        case "missing-state": return failure == "state_mismatch"
        // An app's session has one login or none.
        case "without-binding":
            return failure == (login.hasPrefix("digid-") ? "state_mismatch" : "binding_mismatch")
        case "numbers":
            return json["matches"]?.string == "no yes no" && json["refused"]?.string == "invalid_parameter(cpr)"
                && failure == "provider_error(cpr_match_exceeded)"
        case "ended-by-broker": return json["told"]?.string == "3"
        case "return-page": return json["same"] == .bool(true)
        case "three-pins": return failure == (login == "digid" ? "user_cancelled" : "pin_blocked")
        case _ where word.hasPrefix("logout-"): return json["result"]?.string == logouts[word]
        case "ended-by-digid": return json["result"]?.string == "200 Success"
        case _ where word.hasPrefix("ended-by-digid-"): return json["result"]?.string == "403 none"
        case "missing-age" where login == "mitid-age": return failure == "claim_missing(idbrokerdk_age_verified)"
        case "missing-age" where login == "mitid-years": return failure == "claim_missing(idbrokerdk_age)"
        case "two-ages" where login.hasPrefix("mitid-"): return failure == "claim_unexpected(age)"
        default: return failures[word] == failure
        }
    }

    /// The codes of attacks on logins that an app begins.
    private static let attacks = [
        "login-csrf": "binding_mismatch", "code-injection": "provider_error(invalid_grant)",
        "two-tabs": "invalid_parameter(login)", "other-instance": "binding_mismatch", "thief": "token_expired",
    ]

    /// The results of logouts at DigiD, listed independently of the sandbox's table.
    private static let logouts = [
        "logout-partial": "partial", "logout-stay": "stillLoggedIn", "logout-strangers-key": "signature_invalid",
        "logout-tampered": "signature_invalid",
    ]

    /// The codes of the sandbox's table, listed independently of it, because the table is tested too.
    private static let failures = [
        "bare-jws": "token_not_encrypted", "alg-none": "algorithm_not_allowed", "wrong-nonce": "nonce_mismatch",
        "other-sub": "subject_mismatch", "two-codes": "duplicate_parameter(code)", "expired": "token_expired",
        "wrong-aud": "audience_mismatch", "wrong-iss": "issuer_mismatch", "other-iss": "issuer_mismatch",
        "answered-by-get": "invalid_parameter(response_mode)", "tampered": "signature_invalid",
        "strangers-key": "signature_invalid",
        "low-level": "acr_too_low", "bare-claims": "token_not_signed", "unknown-kid": "key_not_found",
        "plain-userinfo": "token_not_encrypted", "busy": "provider_error(temporarily_unavailable)",
        "transaction-key": "key_unsuitable", "wrong-at-hash": "hash_mismatch", "missing-nonce": "nonce_mismatch",
        "aud-is-client": "audience_mismatch", "other-azp": "authorized_party_mismatch", "low": "acr_too_low",
        "other-azp-in-id-token": "authorized_party_mismatch", "typ-logout": "content_type_mismatch",
        "switched-off": "app_login_switched_off", "switched-off-here": "app_login_switched_off_for_service",
        "not-activated": "app_not_activated",
        "other-request": "in_response_to_mismatch", "fault": "provider_error(internal_error)",
        "request-refused": "provider_error(invalid_request_object)", "return-url-told": "return_url_unknown",
        "raw-plus": "malformed", "to-the-app": "state_mismatch", "to-the-page": "state_mismatch",
        "answered-by-post": "content_type_mismatch",
        "other-idp": "claim_unexpected(idp)", "login-token": "claim_unexpected(idtoken_type)",
        "missing-age": "claim_missing(age_over_18)",
        "two-ages": "claim_unexpected(age_over_18)",
        "iss-of-other-tenant": "issuer_mismatch", "missing-tid": "claim_missing(tid)",
        "tid-path": "claim_type_invalid(tid)",
        "iss-is-template": "claim_type_invalid(tid)", "tenant-not-listed": "untrusted_issuer",
        "personal-key": "key_unsuitable",
        "key-without-issuer": "key_unsuitable", "ver-1": "claim_unexpected(ver)",
        "search-ended": "token_expired", "unknown-user": "provider_error(unknown_user_id)",
        "handle-again": "state_mismatch", "other-session": "state_mismatch", "own-nonce": "nonce_mismatch",
        "other-verifier": "provider_error(request_denied)", "other-carrier": "provider_error(invalid_grant)",
        "missing-id-token": "claim_missing(id_token)",
        "not-found": "app_not_found", "silence": "session_expired", "return-url-unknown": "session_expired",
    ]
}
