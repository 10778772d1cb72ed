import Foundation
import JOSE
import JOSEItsme
import JOSEKeySets
import JOSEMitID
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Synchronization
import Testing

/// Searches all that is printed, logged, dumped or thrown by a login of every profile for values that must not be in it.
@Suite("Leaks of a login") struct LeakTests {
    private struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let isForm: Bool
        let make: @Sendable () throws -> LoginFixture
        var testDescription: String { name }
    }

    private static let cases: [Case] = [
        Case(name: "itsme.v1", isForm: false) { try .itsmeV1() },
        Case(name: "itsme.v1.nested", isForm: false) { try .itsmeV1Nested() },
        Case(name: "itsme.v2", isForm: false) { try .itsmeV2() },
        Case(name: "itsme.now.key", isForm: false) { try .itsmeKey() },
        Case(name: "itsme.now.secret", isForm: false) { try .itsmeSecret() },
        Case(name: "openid", isForm: false) { try openID(OpenIDOptions()) },
        Case(name: "openid, pushed", isForm: false) {
            var options = OpenIDOptions()
            options.pushesRequests = true
            return try openID(options)
        },
        Case(name: "mitid.broker", isForm: true) { try MitIDFixture().fixture },
        Case(name: "mitid.par", isForm: true) { try MitIDFixture(.mitIDPushed(MitIDFixture.settings)).fixture },
        Case(name: "mitid.encrypted", isForm: true) {
            try MitIDFixture(.mitIDEncrypted(MitIDFixture.settings)).fixture
        },
    ]

    private static func openID(_ options: OpenIDOptions) throws -> LoginFixture {
        var manner = ProviderManner(authentication: .assertion(audience: LoginFixture.issuer, isEncrypted: false))
        (manner.idToken, manner.userInfo, manner.usesPKCE) = (.signed, .json, true)
        return try LoginFixture(
            .openID(issuer: LoginFixture.issuer, options: options), manner: manner, request: LoginRequest())
    }

    /// Changes of the provider's responses, each of which makes the login fail in its own way; nil for no change.
    private static let faults: [(name: String, change: (@Sendable (inout ScriptedProvider.Script) -> Void)?)] = [
        ("none", nil),
        ("nonce", { $0.change { $0["nonce"] = "planted-nonce" } }),
        ("issuer", { $0.change { $0["iss"] = "https://planted.example" } }),
        ("exp", { $0.change { $0["exp"] = 1 } }), ("sub", { $0.change { $0["sub"] = .string(LeakLog.words) } }),
        ("token", { $0.idToken = { _ in "planted.token.2902881234" } }),
        (
            "token error",
            {
                $0.answers[.token] = { _ in
                    .json(#"{"error":"invalid_grant","error_description":"\#(LeakLog.words)"}"#, status: 400)
                }
            }
        ),
        (
            "token status",
            { $0.answers[.token] = { _ in TransportResponse(status: 500, body: Array(LeakLog.words.utf8)) } }
        ),
        ("token form", { $0.answers[.token] = { _ in .json("{\"access_token\":\"\(LeakLog.words)\"") } }),
        (
            "userinfo error",
            { $0.answers[.userInfo] = { _ in TransportResponse(status: 401, body: Array(LeakLog.words.utf8)) } }
        ),
        ("userinfo", { $0.userInfo = { _ in .json(#"{"sub":"\#(LeakLog.words)"}"#) } }),
    ]

    @Test("no secret, token or personal data is in a description, a dump or an error", arguments: cases)
    private func logins(_ each: Case) async throws {
        let fixture = try each.make()
        let log = LeakLog()
        fixture.provider.script.plant(LeakLog.planted)
        let honest = fixture.provider.script
        log.add("party", fixture.party)
        log.add("client", fixture.client)
        log.add("request", fixture.request)
        for fault in Self.faults {
            fixture.provider.script = honest
            fault.change?(&fixture.provider.script)
            let start = try await fixture.party.beginLogin(fixture.request)
            log.add("start", start)
            log.addSecrets(ofURL: start.url, start.binding)
            let query = fixture.provider.authorize(start.url)
            // The URL of a pushed or encrypted request does not contain the state.
            FormFields(query)["state"].map { _ = log.needles.insert($0) }
            let callback = Self.callback(
                query + (each.isForm ? "&iss=" + MitIDFixture.issuer : ""), isForm: each.isForm)
            log.add("callback", callback)
            do {
                let user = try await fixture.party.completeLogin(callback: callback, binding: start.binding)
                log.needles.insert(user.tokens.accessToken)
                user.tokens.idToken.map { _ = log.needles.insert($0) }
                #expect(fault.change == nil || each.name == "itsme.v1" || fault.name == "nonce")
                let values: [(String, Any?)] = [
                    ("user", user), ("tokens", user.tokens), ("userinfo", user.userInfo), ("ID token", user.idToken),
                    ("claims", user.idToken.claims), ("header", user.idToken.header), ("itsme", user.itsme),
                    ("device", user.itsme.device), ("card", user.itsme.belgianCardNumber), ("mitid", user.mitID),
                    ("transaction", user.mitIDTransaction), ("ticket", user.refreshTicket),
                    ("account", AccountReference(issuer: user.issuer, subject: user.subject)),
                ]
                for (what, value) in values { log.add(what, value) }
            } catch {
                log.add(fault.name, error)
                #expect(fault.change != nil, "\(error)")
            }
            log.add("store", fixture.store)
        }
        fixture.provider.script = honest
        try await callbacks(fixture, each, log)
        let requests = fixture.provider.state.withLock { $0.requests.map(\.request) }
        log.addSecrets(requests)
        for request in requests { log.add("HTTP request", request) }
        log.search(each.name)
    }

    /// Sends callbacks that are rejected themselves.
    private func callbacks(_ fixture: LoginFixture, _ each: Case, _ log: LeakLog) async throws {
        for more in [
            "&code=planted-code-2", "&state=planted-state", "&planted-name-2902881234=1&planted-name-2902881234=2",
            "&error=access_denied&error_description=" + FormFields.encoded(LeakLog.words), "&error=planted%20code",
            "&x=%zz",
        ] {
            let start = try await fixture.party.beginLogin(fixture.request)
            let query = fixture.provider.authorize(start.url)
            log.addSecrets(ofURL: start.url, start.binding)
            log.needles.formUnion(["planted-code-2", "planted-state", "planted-name", "planted code"])
            let callback = Self.callback(query + more, isForm: each.isForm)
            log.add("callback", callback)
            for binding in [nil, "planted-binding", start.binding] {
                let error = try await refusal {
                    try await fixture.party.completeLogin(callback: callback, binding: binding)
                }
                #expect(error != nil)
                log.add("refusal of \(more.prefix(8))", error)
            }
        }
    }

    private static func callback(_ query: String, isForm: Bool) -> AuthorizationCallback {
        isForm
            ? .form(Array(query.utf8), contentType: "application/x-www-form-urlencoded") : .query(query)
    }
}
