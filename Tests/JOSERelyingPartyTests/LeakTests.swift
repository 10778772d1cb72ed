import Foundation
import JOSE
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens
import Synchronization
import Testing

/// What is printed, logged, dumped or thrown of a login of every profile, searched for what must be in none of it.
@Suite("What leaks of a login") struct LeakTests {
    /// Of people: planted in every ID token and userinfo.
    private static let planted: [(name: String, value: String)] = [
        ("given_name", "Rosalinde-Planted"), ("email", "planted@example.com"), ("phone_number", "+32 470112233"),
        ("dk.cpr", "2902881234"), ("http://itsme.services/v2/claim/BENationalNumber", "85073003328"),
        ("tag:sixdots.be,2017-05:claim_passport_sn", "EK654321"), ("last_4_social", "6789-planted"),
        ("bsn", "123456782"), ("mitid.uuid", "0b9c6e2e-6d9b-4a3e-8d8c-5a2f3a8b1c4d"),
    ]
    private static let words = "planted words of the provider, 2902881234"

    /// What is written of the values that a service holds or gets.
    private final class Log {
        var texts: [(what: String, text: String)] = []
        var needles: Set<String> = ["user-1", "a secret of thirty-two bytes", words, ZenKeyDesk.secret]

        func add(_ what: String, _ value: Any?) {
            guard let value else { return }
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] { texts.append((what, text)) }
        }

        /// What the provider was sent, which was all secret.
        func addSecrets(_ requests: [HTTPRequest]) {
            for request in requests {
                for name in ["code", "code_verifier", "client_assertion", "client_secret", "refresh_token", "request"] {
                    FormFields(String(decoding: request.body, as: UTF8.self))[name].map { _ = needles.insert($0) }
                }
                for field in request.headers where field.name == "Authorization" { needles.insert(field.value) }
            }
        }

        func addSecrets(ofURL url: String, _ binding: String) {
            needles.insert(binding)
            for name in ["state", "nonce", "request", "code_challenge", "request_uri"] {
                FormFields(ofURL: url)[name].map { _ = needles.insert($0) }
            }
        }

        /// Each needle as text and as the bytes of an array.
        func search(_ profile: String) {
            for needle in needles.union(LeakTests.planted.map(\.value)) where needle.utf8.count >= 6 {
                let bytes = needle.utf8.map { "\($0)" }.joined(separator: ", ")
                let found = texts.first { $0.text.contains(needle) || $0.text.contains(bytes) }
                #expect(found == nil, "\(profile): \(found?.what ?? "") has \(needle.prefix(12))…")
            }
        }
    }

    private struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let isForm: Bool
        let make: @Sendable () throws -> LoginDesk
        var testDescription: String { name }
    }

    private static let cases: [Case] = [
        Case(name: "itsme.v1", isForm: false) { try .itsmeV1() },
        Case(name: "itsme.v1.nested", isForm: false) { try .itsmeV1Nested() },
        Case(name: "itsme.v2", isForm: false) { try .itsmeV2() },
        Case(name: "itsme.now.key", isForm: false) { try .itsmeKey() },
        Case(name: "itsme.now.secret", isForm: false) { try .itsmeSecret() },
        Case(name: "mitid.seed", isForm: true) { try MitIDDesk().desk },
        Case(name: "mitid.par", isForm: true) { try MitIDDesk(.mitIDPushed(MitIDDesk.settings)).desk },
        Case(name: "mitid.encrypted", isForm: true) { try MitIDDesk(.mitIDEncrypted(MitIDDesk.settings)).desk },
    ]

    /// Changes of what the provider says, each with a fault of its own; nil: none.
    private static let faults: [(name: String, change: (@Sendable (inout ScriptedProvider.Script) -> Void)?)] = [
        ("none", nil),
        ("nonce", { $0.change { $0["nonce"] = "planted-nonce" } }),
        ("issuer", { $0.change { $0["iss"] = "https://planted.example" } }),
        ("exp", { $0.change { $0["exp"] = 1 } }), ("sub", { $0.change { $0["sub"] = .string(words) } }),
        ("token", { $0.idToken = { _ in "planted.token.2902881234" } }),
        (
            "token error",
            {
                $0.answers[.token] = { _ in
                    .json(#"{"error":"invalid_grant","error_description":"\#(words)"}"#, status: 400)
                }
            }
        ),
        ("token status", { $0.answers[.token] = { _ in HTTPResponse(status: 500, body: Array(words.utf8)) } }),
        ("token form", { $0.answers[.token] = { _ in .json("{\"access_token\":\"\(words)\"") } }),
        ("userinfo error", { $0.answers[.userInfo] = { _ in HTTPResponse(status: 401, body: Array(words.utf8)) } }),
        ("userinfo", { $0.userInfo = { _ in .json(#"{"sub":"\#(words)"}"#) } }),
    ]

    @Test("no secret, token, number or word of a person is in a description, a dump or an error", arguments: cases)
    private func logins(_ each: Case) async throws {
        let desk = try each.make()
        let log = Log()
        desk.provider.script.plant(Self.planted)
        let honest = desk.provider.script
        log.add("party", desk.party)
        log.add("client", desk.client)
        log.add("request", desk.request)
        for fault in Self.faults {
            desk.provider.script = honest
            fault.change?(&desk.provider.script)
            let start = try await desk.party.beginLogin(desk.request)
            log.add("start", start)
            log.addSecrets(ofURL: start.url, start.binding)
            let query = desk.provider.authorize(start.url)
            // Of pushed and encrypted requests the URL does not have it.
            FormFields(query)["state"].map { _ = log.needles.insert($0) }
            let callback = Self.callback(query + (each.isForm ? "&iss=" + MitIDDesk.issuer : ""), isForm: each.isForm)
            log.add("callback", callback)
            do {
                let user = try await desk.party.completeLogin(callback: callback, binding: start.binding)
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
            log.add("store", desk.store)
        }
        desk.provider.script = honest
        try await callbacks(desk, each, log)
        let requests = desk.provider.state.withLock { $0.requests.map(\.request) }
        log.addSecrets(requests)
        for request in requests { log.add("HTTP request", request) }
        #expect(log.texts.count > 100 && log.needles.count > 20)
        log.search(each.name)
    }

    /// Callbacks that are refused themselves.
    private func callbacks(_ desk: LoginDesk, _ each: Case, _ log: Log) async throws {
        for more in [
            "&code=planted-code-2", "&state=planted-state", "&planted-name-2902881234=1&planted-name-2902881234=2",
            "&error=access_denied&error_description=" + FormFields.encoded(Self.words), "&error=planted%20code",
            "&x=%zz",
        ] {
            let start = try await desk.party.beginLogin(desk.request)
            let query = desk.provider.authorize(start.url)
            log.addSecrets(ofURL: start.url, start.binding)
            log.needles.formUnion(["planted-code-2", "planted-state", "planted-name", "planted code"])
            let callback = Self.callback(query + more, isForm: each.isForm)
            log.add("callback", callback)
            for binding in [nil, "planted-binding", start.binding] {
                let error = try await refusal {
                    try await desk.party.completeLogin(callback: callback, binding: binding)
                }
                #expect(error != nil)
                log.add("refusal of \(more.prefix(8))", error)
            }
        }
    }

    private static func callback(_ query: String, isForm: Bool) -> Callback {
        isForm
            ? .form(Array(query.utf8), contentType: "application/x-www-form-urlencoded") : .query(query)
    }

    @Test("the same of ZenKey, of a login in the browser and of one on the telephone") func zenKey() async throws {
        let desk = try ZenKeyDesk()
        let log = Log()
        desk.carrier.script.plant(Self.planted)
        let start = try await desk.begin(.zenKey([.email, .name]))
        log.addSecrets(ofURL: start.url, start.binding)
        let user = try await desk.finish(start)
        for (what, value) in [
            ("start", start), ("user", user), ("zenkey", user.zenKey), ("info", user.zenKey?.info),
            ("userinfo", user.userInfo), ("tokens", user.tokens), ("party", desk.party),
        ] as [(String, Any?)] {
            log.add(what, value)
        }
        log.needles.insert(user.tokens.accessToken)
        user.tokens.idToken.map { _ = log.needles.insert($0) }
        guard case .page(let visit) = try await desk.party.beginZenKey(.zenKey(), from: .page) else {
            Issue.record("no page")
            return
        }
        log.addSecrets(ofURL: visit.url, visit.binding)
        log.add("visit", visit)
        let code = try await desk.failure { script in
            script.answers[.token] = { _ in
                .json(#"{"error":"request_denied","error_description":"\#(Self.words)"}"#, status: 400)
            }
        }
        log.add("error", code)
        #expect(code != nil)
        log.addSecrets(desk.web.requests)
        for request in desk.web.requests { log.add("HTTP request", request) }
        log.search("zenkey.seed")
    }
}

extension ScriptedProvider.Script {
    /// Besides what it does to an ID token already.
    fileprivate mutating func change(_ change: @escaping @Sendable (inout ClaimSet) -> Void) {
        let before = idTokenClaims
        idTokenClaims = { claims in
            before(&claims)
            change(&claims)
        }
    }

    fileprivate mutating func plant(_ planted: [(name: String, value: String)]) {
        change { claims in for (name, value) in planted { claims[name] = .string(value) } }
        let before = userInfoClaims
        userInfoClaims = { claims in
            before(&claims)
            for (name, value) in planted { claims[name] = .string(value) }
        }
    }
}
