import JOSE
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import Synchronization
import Testing

@Suite("Turns of polls for logins that the back end begins") struct PollingTurnTests {
    private static let pending = PollingFixture.error("authorization_pending")

    /// A value that one task sets and another waits for.
    private final class Signal: Sendable {
        private let isSet = Mutex(false)
        func set() { isSet.withLock { $0 = true } }
        func wait() async { while !isSet.withLock({ $0 }) { await Task.yield() } }
    }

    private func fixture() throws -> PollingFixture {
        let fixture = try PollingFixture()
        fixture.acknowledge(#"{"auth_req_id":"planted-1","expires_in":600}"#)
        return fixture
    }

    @Test("a poll that took longer than its turn leaves the pace of the poll that followed it") func latePace()
        async throws
    {
        for isLate in [true, false] {
            let fixture = try fixture()
            let login = try await fixture.begin()
            let good = try fixture.tokens()
            let clock = fixture.clock
            // The poll that begins later receives slow_down first.
            if isLate {
                fixture.answer(PollingFixture.error("slow_down"), Self.pending, good)
            } else {
                fixture.answer(Self.pending, good)
            }
            fixture.during {
                clock.advance(by: .seconds(isLate ? 90 : 89))
                let next = try? await fixture.next(login)
                #expect(next == clock.now + .seconds(isLate ? 10 : 5))
            }
            clock.advance(by: .seconds(5))
            #expect(try await fixture.poll(login).user == nil && fixture.polls == (isLate ? 2 : 1))
            clock.advance(by: .seconds(5))
            // The control: in time, the poll stores its own pace.
            #expect((try await fixture.poll(login).user != nil) == !isLate && fixture.polls == 2)
            guard isLate else { continue }
            clock.advance(by: .seconds(5))
            #expect(try await fixture.poll(login).user?.subject == "user-1" && fixture.polls == 3)
        }
    }

    @Test("a poll that took longer than its turn does not end the turn of the poll that followed it") func lateEnd()
        async throws
    {
        let fixture = try fixture()
        let login = try await fixture.begin()
        let good = try fixture.tokens()
        fixture.answer(Self.pending, good)
        let clock = fixture.clock
        let (began, ends) = (Signal(), Signal())
        let second = Mutex<Task<BackChannelPoll, any Error>?>(nil)
        fixture.during {
            clock.advance(by: .seconds(90))
            fixture.during {
                began.set()
                await ends.wait()
            }
            let task = Task { try await fixture.poll(login) }
            second.withLock { $0 = task }
            await began.wait()
        }
        clock.advance(by: .seconds(5))
        #expect(try await fixture.poll(login).user == nil && fixture.polls == 2)
        clock.advance(by: .seconds(60))
        #expect(try await fixture.poll(login).user == nil && fixture.polls == 2)
        ends.set()
        let task = try #require(second.withLock { $0 })
        #expect(try await task.value.user?.subject == "user-1")
        #expect(try await refusal { try await fixture.poll(login) }?.reason == .replayed)
    }

    @Test("an error for a poll that took longer than its turn does not end the login of the poll that followed it")
    func lateError() async throws {
        for isLate in [true, false] {
            let fixture = try fixture()
            let login = try await fixture.begin()
            let good = try fixture.tokens()
            let clock = fixture.clock
            // The provider issued the tokens to the second request, whose response is still under way.
            fixture.answer(PollingFixture.error("invalid_grant"), good)
            let (began, ends) = (Signal(), Signal())
            let second = Mutex<Task<RelyingPartyError?, any Error>?>(nil)
            fixture.during {
                clock.advance(by: .seconds(isLate ? 90 : 1))
                guard isLate else { return }
                fixture.during {
                    began.set()
                    await ends.wait()
                }
                let task = Task { try await refusal { try #require(try await fixture.poll(login).user) } }
                second.withLock { $0 = task }
                await began.wait()
            }
            clock.advance(by: .seconds(5))
            let code = try #require(ProviderErrorCode("invalid_grant"))
            #expect(try await refusal { try await fixture.poll(login) }?.reason == .providerError(code))
            ends.set()
            if let task = second.withLock({ $0 }) { #expect(try await task.value == nil) }
            // The control: with its turn, the error ends the login.
            #expect(try await refusal { try await fixture.poll(login) }?.reason == .replayed)
            #expect(fixture.polls == (isLate ? 2 : 1))
        }
    }

    @Test("a poll after the expiry does not end the login of a poll that is under way") func expiryDuringPoll()
        async throws
    {
        let expired = RelyingPartyError(.expired, in: .tokenResponse)
        for isUnderWay in [true, false] {
            let fixture = try PollingFixture()
            let login = try await fixture.begin()
            let good = try fixture.tokens()
            fixture.answer(good)
            let clock = fixture.clock
            clock.advance(by: .seconds(119))
            if isUnderWay {
                fixture.during {
                    clock.advance(by: .seconds(1))
                    for _ in 1...2 {
                        let error = try? await refusal { try await fixture.poll(login) }
                        #expect(error == expired)
                    }
                }
                #expect(try await fixture.poll(login).user?.subject == "user-1" && fixture.polls == 1)
            } else {
                clock.advance(by: .seconds(1))
                #expect(try await refusal { try await fixture.poll(login) } == expired && fixture.polls == 0)
            }
            #expect(try await refusal { try await fixture.poll(login) }?.reason == .replayed)
        }
    }
}
