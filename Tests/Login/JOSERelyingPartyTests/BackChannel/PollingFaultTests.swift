import JOSE
import JOSEKeySets
import JOSEMitID
import JOSERelyingParty
import JOSETesting
import Synchronization
import TestSupport
import Testing

/// A key service that may take some time of the tests' clock.
private final class LateSigner: ExternalSigner {
    private let inner = RemoteSigner(TestKeys.client)
    private let delay = Mutex<(@Sendable () -> Void)?>(nil)
    var publicKey: PublicKey { inner.publicKey }

    /// Sets what happens during the next signature.
    func during(_ event: @escaping @Sendable () -> Void) { delay.withLock { $0 = event } }

    func sign(_ request: SigningRequest) async throws -> [UInt8] {
        delay.withLock { $0.take() }?()
        return try await inner.sign(request)
    }
}

@Suite("Polls that are interrupted, or whose store or key fails") struct PollingFaultTests {
    @Test("a cancelled poll delays the next by the interval alone, also if the store refuses cancelled tasks")
    func cancellation() async throws {
        let fixture = try PollingFixture(store: FaultyLoginStore())
        let login = try await fixture.begin()
        let good = try fixture.tokens()
        fixture.answer(good)
        fixture.during { try? await Task.sleep(for: .seconds(600)) }
        fixture.clock.advance(by: .seconds(5))
        let task = Task { try await refusal { try await fixture.poll(login) } }
        while fixture.polls == 0 { await Task.yield() }
        task.cancel()
        let error = try #require(try await task.value)
        #expect(error == RelyingPartyError(.interrupted, in: .tokenResponse) && error.isRetryable)
        #expect(try await fixture.next(login) == fixture.clock.now + .seconds(5))
        fixture.clock.advance(by: .seconds(5))
        #expect(try await fixture.poll(login).user?.subject == "user-1" && fixture.polls == 2)
        // The control: the store performs nothing for a task that is cancelled before it polls.
        let other = try await fixture.begin()
        fixture.clock.advance(by: .seconds(5))
        let early = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await refusal { try await fixture.poll(other) }
        }
        early.cancel()
        #expect(try await early.value == RelyingPartyError(.interrupted, in: .store))
        #expect(try await fixture.poll(other).user != nil && fixture.polls == 3)
    }

    @Test("a turn is given back if the store's response to its insertion is lost") func lostTurn() async throws {
        for hasEffect in [true, false] {
            let store = FaultyLoginStore()
            let fixture = try PollingFixture(store: store)
            let login = try await fixture.begin()
            let good = try fixture.tokens()
            fixture.answer(good)
            fixture.clock.advance(by: .seconds(5))
            try store.fail(.insert, "back-channel turn", of: login, with: .unavailable, hasEffect: hasEffect)
            let error = try #require(try await refusal { try await fixture.poll(login) })
            #expect(error == RelyingPartyError(.storeUnavailable, in: .store) && error.isRetryable && store.hasFailed)
            #expect(fixture.polls == 0)
            #expect(try await fixture.poll(login).user?.subject == "user-1")
        }
    }

    @Test("the tokens of a login that another poll has ended are rejected") func endedTwice() async throws {
        for isEnded in [false, true] {
            let store = FaultyLoginStore()
            let fixture = try PollingFixture(store: store)
            let login = try await fixture.begin()
            let good = try fixture.tokens()
            fixture.answer(good)
            fixture.clock.advance(by: .seconds(5))
            if isEnded { try store.replace("back-channel login", of: login, by: nil) }
            let error = try await refusal { try #require(try await fixture.poll(login).user) }
            #expect(error == (isEnded ? RelyingPartyError(.replayed, in: .tokenResponse) : nil) && fixture.polls == 1)
        }
    }

    /// Returns another relying party with the store of the fixture, and its provider.
    private func sharer(
        of fixture: PollingFixture, _ profile: ProviderProfile, _ issuer: String, clientID: String? = nil
    ) throws -> (party: RelyingParty, provider: ScriptedProvider) {
        var manner = ProviderManner(authentication: .assertion(audience: issuer, isEncrypted: false))
        if let clientID { manner.clientID = clientID }
        let other = try LoginFixture(
            profile, manner: manner, request: LoginRequest(), environment: .sandbox(issuer: issuer), issuer: issuer)
        let party = try RelyingParty(
            profile, in: .sandbox(issuer: issuer), client: other.client, transport: other.provider,
            store: fixture.fixture.store, clock: fixture.clock.wallClock, keySets: nil, observer: nil,
            fetching: LoginFixture.environment(fixture.clock))
        return (party, other.provider)
    }

    @Test("an early poll sends nothing, not even a request for the metadata") func early() async throws {
        let fixture = try PollingFixture()
        let login = try await fixture.begin()
        // Another process of the service, which has no metadata yet.
        let (party, provider) = try sharer(of: fixture, .openID(issuer: LoginFixture.issuer), LoginFixture.issuer)
        provider.script.answers[.discovery] = { _ in TransportResponse(status: 404) }
        let pending = try await party.poll(login.handle, session: PollingFixture.session)
        #expect(pending.user == nil && provider.calls == 0)
        fixture.clock.advance(by: .seconds(5))
        let error = try await refusal { try await party.poll(login.handle, session: PollingFixture.session) }
        // There are two locations of the metadata.
        #expect(error?.step == .discovery && provider.calls == 2)
    }

    @Test(
        "a poll succeeds although the store does not confirm the end of its turn, and a turn that stays holds up the next poll"
    ) func unconfirmedEnd() async throws {
        for hasEffect in [true, false] {
            let store = FaultyLoginStore()
            let fixture = try PollingFixture(store: store)
            let login = try await fixture.begin()
            let good = try fixture.tokens()
            fixture.answer(PollingFixture.error("authorization_pending"), good)
            fixture.clock.advance(by: .seconds(5))
            try store.fail(.take, "back-channel turn", of: login, with: .unavailable, hasEffect: hasEffect)
            #expect(try await fixture.poll(login).user == nil && store.hasFailed)
            fixture.clock.advance(by: .seconds(5))
            // A turn that was not removed counts as that of another poll.
            #expect(try await fixture.poll(login).user?.subject == (hasEffect ? "user-1" : nil))
        }
    }

    @Test("a turn that expired is left to the poll that began in between") func expiredTurn() async throws {
        let other = Array("the turn of another poll".utf8)
        for intruder in [nil, other] {
            let store = FaultyLoginStore()
            let fixture = try PollingFixture(store: store)
            let login = try await fixture.begin()
            fixture.answer(PollingFixture.error("authorization_pending"))
            fixture.clock.advance(by: .seconds(5))
            if let intruder { try store.replace("back-channel turn", of: login, by: intruder) }
            #expect(try await fixture.poll(login).user == nil && fixture.polls == 1)
            #expect(try await store.entry("back-channel turn", of: login) == intruder)
        }
    }

    @Test("all requests that begin a login share one time limit") func timeLimit() async throws {
        // The metadata and the keys are fetched before.
        for (latency, left) in [(4, 5), (6, 3), (8, nil)] {
            let fixture = try PollingFixture()
            fixture.fixture.provider.script.latency = .seconds(latency)
            let error = try await fixture.refused(PollingFixture.request)
            #expect(fixture.server.calls("/bc-authorize").last?.deadline == left.map { .seconds($0) }, "\(latency)")
            #expect(error == (left == nil ? RelyingPartyError(.unreachable, in: .pushedRequest) : nil), "\(latency)")
        }
    }

    @Test("a provider without a token endpoint is not polled") func noEndpoint() async throws {
        for (metadata, expected) in [
            ([:], nil),
            (["token_endpoint": nil], RelyingPartyError(.metadataMissing(.tokenEndpoint), in: .discovery)),
            (["token_endpoint": #""/token""#], RelyingPartyError(.metadataInvalid(.tokenEndpoint), in: .discovery)),
        ] as [([String: String?], RelyingPartyError?)] {
            let fixture = try PollingFixture(metadata: metadata)
            let login = try await fixture.begin()
            fixture.answer(PollingFixture.error("authorization_pending"))
            fixture.clock.advance(by: .seconds(5))
            #expect(try await refusal { try await fixture.poll(login) } == expected)
            #expect(fixture.polls == (expected == nil ? 1 : 0))
        }
    }

    @Test(
        "a login is polled for by a relying party of its issuer, profile and client alone, where others share the store"
    )
    func sharedStore() async throws {
        let fixture = try PollingFixture()
        let login = try await fixture.begin()
        let good = try fixture.tokens()
        fixture.answer(good)
        func error(
            _ profile: ProviderProfile, _ issuer: String, clientID: String? = nil
        ) async throws -> RelyingPartyError? {
            let party = try sharer(of: fixture, profile, issuer, clientID: clientID).party
            return try await refusal { try await party.poll(login.handle, session: PollingFixture.session) }
        }
        // Another process of the same service is none of these: its poll is too early, and so it is pending.
        #expect(try await error(.openID(issuer: LoginFixture.issuer), LoginFixture.issuer) == nil)
        fixture.clock.advance(by: .seconds(5))
        let issuer = "https://other.test/op"
        #expect(
            try await error(.openID(issuer: issuer), issuer) == RelyingPartyError(.issuerMismatch, in: .discovery))
        #expect(
            try await error(.mitIDBackChannel(MitIDFixture.settings), LoginFixture.issuer)
                == RelyingPartyError(.stateMismatch, in: .tokenResponse))
        #expect(
            try await error(.openID(issuer: LoginFixture.issuer), LoginFixture.issuer, clientID: "another")
                == RelyingPartyError(.stateMismatch, in: .tokenResponse))
        #expect(fixture.polls == 0)
        #expect(try await fixture.poll(login).user?.subject == "user-1")
    }

    @Test("a failure of the store before the request may be retried, and one after the tokens were issued may not")
    func lostTokens() async throws {
        let store = FaultyLoginStore()
        let fixture = try PollingFixture(store: store)
        for (operation, kind, fault, hasEffect) in [
            (.take, "back-channel login", .unavailable, true), (.take, "back-channel login", .unavailable, false),
            (.take, "back-channel login", .notReplicated, true), (.value, "back-channel pace", .unavailable, true),
        ] as [(FaultyLoginStore.Operation, String, StoreError, Bool)] {
            let login = try await fixture.begin()
            let good = try fixture.tokens()
            fixture.answer(good)
            fixture.clock.advance(by: .seconds(5))
            try store.fail(operation, kind, of: login, with: fault, hasEffect: hasEffect)
            let before = fixture.polls
            let error = try await refusal { try await fixture.poll(login) }
            #expect(error == RelyingPartyError(.storeUnavailable, in: .store) && store.hasFailed)
            #expect(error?.action == (operation == .take ? .restart : .retry))
            #expect(fixture.polls == before + (operation == .take ? 1 : 0))
            guard operation == .value else { continue }
            #expect(try await fixture.poll(login).user?.subject == "user-1")
        }
    }

    @Test("a store without room for the pace loses no interval: nothing is sent before a longer one has passed")
    func lostPace() async throws {
        let store = FaultyLoginStore()
        let fixture = try PollingFixture(store: store)
        let login = try await fixture.begin()
        let good = try fixture.tokens()
        fixture.answer(PollingFixture.error("slow_down"), good)
        fixture.clock.advance(by: .seconds(5))
        try store.fail(.insert, "back-channel pace", of: login, with: .full)
        let error = try await refusal { try await fixture.poll(login) }
        #expect(error == RelyingPartyError(.storeFull, in: .store) && error?.isRetryable == true && store.hasFailed)
        #expect(try await fixture.next(login) == fixture.clock.now + .seconds(10))
        fixture.clock.advance(by: .seconds(9))
        #expect(try await fixture.poll(login).user == nil && fixture.polls == 1)
        fixture.clock.advance(by: .seconds(1))
        #expect(try await fixture.poll(login).user?.subject == "user-1")
    }

    @Test("a failure of the client's key ends no login, because nothing was sent") func failingKey() async throws {
        let service = RemoteService()
        let fixture = try PollingFixture(signer: RemoteSigner(TestKeys.client, service))
        let login = try await fixture.begin()
        let good = try fixture.tokens()
        fixture.answer(good)
        fixture.clock.advance(by: .seconds(5))
        await service.set(.failing(RemoteService.Fault.offline))
        let error = try #require(try await refusal { try await fixture.poll(login) })
        #expect(error == RelyingPartyError(.internalFault, in: .tokenResponse) && error.isRetryable)
        await service.set(.well)
        // The key service is not called in a loop.
        #expect(try await fixture.next(login) == fixture.clock.now + .seconds(5))
        #expect(fixture.polls == 0)
        fixture.clock.advance(by: .seconds(5))
        #expect(try await fixture.poll(login).user?.subject == "user-1" && fixture.polls == 1)
    }

    @Test("a key that takes so long that another poll could begin during the request sends nothing") func lateKey()
        async throws
    {
        for (seconds, isSent) in [(29, true), (30, false)] {
            let signer = LateSigner()
            let fixture = try PollingFixture(signer: signer)
            let login = try await fixture.begin()
            fixture.answer(PollingFixture.error("authorization_pending"))
            let clock = fixture.clock
            clock.advance(by: .seconds(5))
            signer.during { clock.advance(by: .seconds(seconds)) }
            let error = try await refusal { try await fixture.poll(login) }
            #expect(error == (isSent ? nil : RelyingPartyError(.internalFault, in: .tokenResponse)))
            #expect(error.map { $0.isRetryable } != false && fixture.polls == (isSent ? 1 : 0))
            let good = try fixture.tokens()
            fixture.answer(good)
            clock.advance(by: .seconds(5))
            #expect(try await fixture.poll(login).user?.subject == "user-1")
        }
    }

    @Test("a fault of the network may be retried, and a response that breaks a limit ends the login")
    func transportErrors() async throws {
        for (fault, reason, action, isPending) in [
            (.connectionLost, .unreachable, .retry, true), (.responseInvalid, .malformed, .retry, true),
            (.deadlineExceeded, .unreachable, .retry, true),
            (.addressNotAllowed, .configurationError, .fixConfiguration, true),
            (.redirectNotAllowed, .unreachable, .restart, false), (.bodyTooLarge, .tooLarge, .investigate, false),
        ] as [(TransportError, RelyingPartyError.Reason, RelyingPartyError.Action, Bool)] {
            let fixture = try PollingFixture()
            let login = try await fixture.begin()
            let good = try fixture.tokens()
            fixture.answer(nil, good)
            fixture.server.state.withLock { $0.outage = fault }
            fixture.clock.advance(by: .seconds(5))
            let error = try await refusal { try await fixture.poll(login) }
            #expect(error == RelyingPartyError(reason, in: .tokenResponse) && error?.action == action, "\(fault)")
            fixture.clock.advance(by: .seconds(10))
            let next = try await refusal { try #require(try await fixture.poll(login).user) }
            #expect(next?.reason == (isPending ? nil : .replayed), "\(fault)")
        }
    }
}
