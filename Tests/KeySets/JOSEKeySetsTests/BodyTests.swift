import JOSE
import JOSEKeySets
import Testing

@Suite("Validation of fetched key sets") struct BodyTests {
    private let a = Issuer.key("a")
    private let b = Issuer.key("b")

    private func member(_ key: PrivateKey) -> String { key.publicKey.jwk() }
    private func set(_ members: String...) -> String { "{\"keys\":[\(members.joined(separator: ","))]}" }

    /// Refreshes a source that has `a` with `answer`, which must be rejected, and then with `control`, the positive control, which must be accepted.
    private func refused(
        _ answer: TransportResponse, as refusal: KeySetRejection?, control: TransportResponse, _ note: String,
        options: (inout KeySetOptions) -> Void = { _ in }
    ) async throws {
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a], options: options)
        issuer.server.answer(answer)
        let error = await source.refreshError()
        guard case .refused(let found)? = error else {
            Issue.record("\(note): \(String(describing: error))")
            return
        }
        if let refusal { #expect(found == refusal, "\(note)") }
        #expect(source.names == ["a"], "\(note)")
        #expect(source.counters.refused == 1 && source.counters.failed == 1, "\(note)")
        #expect(source.health.lastFailure?.error == error, "\(note)")
        #expect(await issuer.observer.hears { $0 == .refused(found) && $0.isAlarm }, "\(note)")
        issuer.server.answer(control)
        #expect(await source.refreshError() == nil, "\(note)")
        #expect(source.names?.contains("b") == true, "\(note)")
    }

    @Test(
        "K07: HTML, an empty body, an array, truncated JSON, a BOM and duplicates are rejected; the old set stays"
    )
    func notASet() async throws {
        let good = set(member(b))
        let rows: [(String, KeySetRejection?)] = [
            ("<!DOCTYPE html><html>Sign in</html>", nil), ("", .empty), ("[]", nil), ("[\(member(b))]", nil),
            (String(good.dropLast(2)), nil), ("\u{FEFF}" + good, nil),
            ("{\"keys\":[\(member(b))],\"keys\":[\(member(b))]}", nil), (good + good, nil), ("null", nil), ("{}", nil),
            ("{\"keys\":{}}", nil), ("{\"keys\":null}", nil), (member(b), .notKeySet), (good + "\u{0}", nil),
            ("{\"keys\":" + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}", .tooLarge),
        ]
        for (text, refusal) in rows {
            try await refused(
                Issuer.answer(text: text), as: refusal, control: Issuer.answer(text: good), "\(text.prefix(40))")
        }
    }

    @Test("K08: the strict rule accepts only application/json and application/jwk-set+json as Content-Type")
    func contentType() async throws {
        let body = Array(set(member(b)).utf8)
        func answer(_ type: String?) -> TransportResponse {
            TransportResponse(
                status: 200, headers: type.map { [TransportHeaderField("Content-Type", $0)] } ?? [], body: body)
        }
        let control = answer("application/json")
        for type in ["text/html", "text/plain; charset=utf-8", "application/jsonp", "application/jwt", "", nil] {
            try await refused(answer(type), as: .contentType, control: control, type ?? "none")
            let issuer = Issuer()
            issuer.server.answer(answer(type))
            let source = try issuer.source { $0.acceptsAnyContentType = true }
            try await source.warmUp(timeout: .seconds(5))
            #expect(source.names == ["b"])
            #expect(await issuer.observer.hears { $0 == .contentTypeOdd })
        }
        for type in [
            "application/json", "application/jwk-set+json", "Application/JSON; charset=utf-8", "application/json ;a=b",
        ] {
            let issuer = Issuer()
            issuer.server.answer(answer(type))
            let source = try issuer.source()
            try await source.warmUp(timeout: .seconds(5))
            #expect(source.names == ["b"], "\(type)")
            #expect(issuer.observer.count { $0 == .contentTypeOdd } == 0)
        }
    }

    @Test("K09: an empty set replaces a set with keys only if a second fetch, a cooldown later, confirms it")
    func empty() async throws {
        // A set without a usable key is treated like an empty one.
        for text in ["{\"keys\":[]}", "{\"keys\":[{\"kty\":\"none\"}]}"] {
            try await refused(Issuer.answer(text: text), as: .noUsableKeys, control: Issuer.answer([b]), text)
            let issuer = Issuer()
            let source = try await issuer.source(holding: [a]) { $0.grace = .zero }
            issuer.server.answer(Issuer.answer(text: text))
            #expect(await source.refreshError() == .refused(.noUsableKeys))
            // The cooldown has begun: a token with an unknown key causes no fetch.
            source.miss("c")
            await issuer.clock.settle()
            #expect(source.counters.fetches == 2)
            await issuer.clock.advance(by: 29)
            #expect(await source.refreshError() == .refused(.noUsableKeys))
            #expect(source.names == ["a"])
            await issuer.clock.advance(by: 2)
            #expect(await source.refreshError() == nil)
            #expect(source.names == [])
            #expect(await issuer.observer.hears { $0 == .removed([KeyName("a")]) })
        }
        // A response with keys cancels the first empty one.
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a])
        let empty = Issuer.answer(text: "{\"keys\":[]}")
        for good in [Issuer.answer([a]), Issuer.answer([a, b])] {
            issuer.server.answer(empty)
            #expect(await source.refreshError() == .refused(.noUsableKeys))
            issuer.server.answer(good)
            #expect(await source.refreshError() == nil)
            await issuer.clock.advance(by: 60)
        }
        issuer.server.answer(empty)
        #expect(await source.refreshError() == .refused(.noUsableKeys))
        // An empty set is rejected if there are no keys yet.
        let other = Issuer()
        other.server.answer(empty)
        let first = try other.source()
        #expect(await first.refreshError() == .refused(.noUsableKeys))
        #expect(first.outage == .keysUnavailable(.notFetched))
    }

    @Test(
        "K10: an unusable key is skipped, and a set with a private or symmetric key is rejected with an alarm"
    )
    func odd() async throws {
        let odd = [
            #"{"kty":"XX","kid":"x1"}"#, #"{"kty":"EC","crv":"P-999","x":"AA","y":"AA","kid":"x2"}"#,
            #"{"kid":"x3"}"#, "17", "null", #"{"kty":"RSA","n":"AQAB","e":"AQAB","kid":"x4"}"#,
            #"{"kty":"EC","crv":"P-256","x":"AAAA","y":"AAAA","kid":"x5"}"#,
        ]
        let issuer = Issuer()
        issuer.server.answer(
            Issuer.answer(text: "{\"keys\":[\(odd.joined(separator: ",")),\(member(a)),\(member(b))]}"))
        let source = try issuer.source()
        try await source.warmUp(timeout: .seconds(5))
        #expect(source.names == ["a", "b"])
        let told = odd.count
        #expect(
            await eventually {
                issuer.observer.count { if case .keySkipped = $0 { true } else { false } } == told
            })
        #expect(try source.current().unusable.count == odd.count)
        // The set is known to contain x1, so that a token that names it causes no fetch; x6 is not in the set.
        await issuer.clock.advance(by: 31)
        source.miss("x1")
        await issuer.clock.settle()
        #expect(source.counters.misses == 0 && source.counters.fetches == 1)
        source.miss("x6")
        #expect(source.counters.misses == 1 && source.counters.fetches == 2)

        let control = Issuer.answer(text: set(member(b)))
        let secret = String(decoding: try b.exportPrivateJWK(), as: UTF8.self)
        let symmetric = #"{"kty":"oct","k":"c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2U","kid":"s"}"#
        for bad in [secret, symmetric, #"{"kty":"XX","d":"AA"}"#, #"{"kty":"RSA","p":"AA"}"#] {
            try await refused(
                Issuer.answer(text: set(member(b), bad)), as: .privateKey, control: control, String(bad.prefix(20)))
        }
    }

    @Test("a set that is rejected as a whole names its unusable keys and the reasons, until another response arrives")
    func rejectedKeys() async throws {
        let odd = #"{"keys":[{"kty":"XX","kid":"x1"},17]}"#
        let issuer = Issuer()
        issuer.server.answer(Issuer.answer(text: odd))
        let source = try issuer.source()
        #expect(await source.refreshError() == .refused(.noUsableKeys))
        #expect(source.rejectedKeys.map(\.keyID) == ["x1", nil] && source.rejectedKeys.map(\.index) == [0, 1])
        #expect(await issuer.observer.hears { $0 == .refused(.noUsableKeys) })
        // The reasons precede the rejection.
        let told = issuer.observer.events.prefix { $0 != .refused(.noUsableKeys) }
        #expect(told.count { if case .keySkipped = $0 { true } else { false } } == 2)
        // A body that is no set has none, and a set that is accepted has them in the set.
        issuer.server.answer(Issuer.answer(text: "{}"))
        #expect(await source.refreshError() != nil)
        #expect(source.rejectedKeys.isEmpty)
        issuer.server.answer(Issuer.answer(text: odd))
        #expect(await source.refreshError() != nil)
        #expect(source.rejectedKeys.count == 2)
        // A private key is named before the others.
        let secret = String(decoding: try b.exportPrivateJWK(), as: UTF8.self)
        issuer.server.answer(Issuer.answer(text: #"{"keys":[{"kty":"XX","kid":"x1"},\#(member(a)),\#(secret)]}"#))
        #expect(await source.refreshError() == .refused(.privateKey))
        #expect(source.rejectedKeys.map(\.keyID) == ["b", "x1"] && source.rejectedKeys.map(\.index) == [2, 0])
        #expect(source.rejection == .privateKey)
        let skipped = KeySetEvent.keySkipped(KeyName("b"), index: 2, .keyInvalid(.privateInPublicSet))
        #expect(await issuer.observer.hears { $0 == skipped })
        issuer.server.answer(Issuer.answer(text: #"{"keys":[{"kty":"XX","kid":"x1"},\#(member(a))]}"#))
        #expect(await source.refreshError() == nil)
        #expect(source.rejectedKeys.isEmpty && source.rejection == nil)
        #expect(try source.current().unusable.map(\.keyID) == ["x1"])
    }

    @Test("the first ten of many unusable keys are reported, and all are counted")
    func manyOdd() async throws {
        let issuer = Issuer()
        let odd = Array(repeating: #"{"kty":"XX"}"#, count: 50).joined(separator: ",")
        issuer.server.answer(Issuer.answer(text: "{\"keys\":[\(odd),\(member(a))]}"))
        let source = try issuer.source()
        try await source.warmUp(timeout: .seconds(5))
        #expect(
            await issuer.observer.hears {
                if case .fetched(let f) = $0 { f.skipped == 50 && f.keys == 1 } else { false }
            })
        #expect(
            await eventually { issuer.observer.count { if case .keySkipped = $0 { true } else { false } } == 10 })
    }

    @Test("K11: two keys of one type with one kid both verify, unless the options reject such a set")
    func duplicates() async throws {
        let other = Issuer.key("a")
        let both = Issuer.answer(text: set(member(a), member(other), member(b)))
        let issuer = Issuer()
        issuer.server.answer(both)
        let source = try issuer.source()
        try await source.warmUp(timeout: .seconds(5))
        #expect(source.names == ["a", "a", "b"])
        let verifier = try JWSVerifier(keys: source, policy: SignaturePolicy(algorithms: [.es256]))
        for key in [a, other] {
            let token = try JWSSigner(key: key, algorithm: .es256).sign("payload")
            #expect(throws: Never.self) { try verifier.verify(token) }
        }
        let stranger = try JWSSigner(key: Issuer.key("a"), algorithm: .es256).sign("payload")
        #expect(throws: JOSEError.signatureInvalid) { try verifier.verify(stranger) }

        try await refused(both, as: .duplicateKeyID, control: Issuer.answer([a, b]), "refusing") {
            $0.rejectsDuplicateKeyIDs = true
        }
        // Keys of two types are no duplicates: no algorithm fits both.
        let edwards = Issuer.key("a", .ed25519)
        let mixed = Issuer()
        mixed.server.answer(Issuer.answer([a, edwards]))
        let strict = try mixed.source { $0.rejectsDuplicateKeyIDs = true }
        try await strict.warmUp(timeout: .seconds(5))
        #expect(strict.names == ["a", "a"])
    }

    @Test(
        "K12: of 10 000 keys the first 100 are used, with an alarm, and a private key after them is detected")
    func many() async throws {
        let keys = (0..<99).map { Issuer.key("k\($0)") }
        let filling = Array(repeating: #"{"kty":"XX"}"#, count: 9_900).joined(separator: ",")
        let first = keys.map { member($0) }.joined(separator: ",")
        let issuer = Issuer()
        issuer.server.answer(Issuer.answer(text: "{\"keys\":[\(first),\(member(b)),\(filling),\(member(a))]}"))
        let source = try issuer.source()
        try await source.warmUp(timeout: .seconds(5))
        #expect(source.names?.count == 100 && source.names?.last == "b")
        #expect(await issuer.observer.hears { $0 == .tooManyKeys(total: 10_001, used: 100) && $0.isAlarm })
        let hidden = Issuer.answer(text: "{\"keys\":[\(first),\(filling),{\"kty\":\"oct\",\"k\":\"AAAA\"}]}")
        try await refused(hidden, as: .privateKey, control: Issuer.answer([a, b]), "hidden")
        // A hundred keys are accepted without an alarm.
        let exact = Issuer()
        exact.server.answer(Issuer.answer(text: "{\"keys\":[\(first),\(member(b))]}"))
        let fitting = try exact.source()
        try await fitting.warmUp(timeout: .seconds(5))
        #expect(fitting.names?.count == 100)
        #expect(exact.observer.count { if case .tooManyKeys = $0 { true } else { false } } == 0)
    }

    @Test("a body over the limit is rejected, even if the transport accepted it")
    func tooLarge() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a]) { $0.bodyLimit = 2_000 }
        let padding = String(repeating: " ", count: 2_000)
        issuer.server.answer(Issuer.answer(text: set(member(b)) + padding))
        #expect(await source.refreshError() == .transport(.bodyTooLarge))
        #expect(source.names == ["a"] && issuer.server.requests.last?.bodyLimit == 2_000)
        issuer.server.answer(Issuer.answer(text: set(member(b))))
        #expect(await source.refreshError() == nil)
    }

    @Test("a status other than 200 is rejected, and so is a 304 to an unconditional request")
    func status() async throws {
        let issuer = Issuer()
        let source = try await issuer.source(holding: [a])
        let body = Issuer.answer([b])
        for status in [100, 201, 203, 204, 206, 301, 302, 304, 400, 401, 404, 410, 501] {
            issuer.server.answer(TransportResponse(status: status, headers: body.headers, body: body.body))
            #expect(await source.refreshError() == .status(status))
            #expect(source.names == ["a"])
        }
        issuer.server.answer(body)
        #expect(await source.refreshError() == nil)
    }
}
