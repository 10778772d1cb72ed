internal import JOSE
internal import JOSESupport

/// The turn of one poll of a login that the back end began. Of all concurrent polls in all processes, the one that has
/// the turn sends a request.
///
/// The turn is an entry of the store, which expires in case a process stops during its poll. Its value is random: a
/// poll that took longer than the turn finds the value of another poll, and changes nothing any more.
struct BackChannelTurn: Sendable {
    /// The time after which another poll may begin although the last one did not end. It is the time limit of a
    /// request, and 30 seconds for the client's key and for the store.
    static let lifetime = Duration.seconds(90)

    private let owner: [UInt8]
    private let key: StoreKey
    private let store: any LoginStore
    /// The time at which the turn expires, by the clock of this process.
    let expires: NumericDate

    /// Begins the turn; returns nil if another poll has it.
    static func begin(
        _ key: StoreKey, in store: any LoginStore, at now: NumericDate
    ) async throws(RelyingPartyError) -> BackChannelTurn? {
        let owner: String
        do throws(RelyingPartyError.Reason) { owner = try Secret.fresh() } catch {
            throw RelyingPartyError(error, in: .store)
        }
        let turn = BackChannelTurn(owner: Array(owner.utf8), key: key, store: store, expires: now + lifetime)
        do throws(StoreError) {
            return try await store.insert(turn.owner, for: key, lifetime: lifetime) ? turn : nil
        } catch {
            // The insertion may have taken effect.
            await turn.end()
            throw RelyingPartyError(error)
        }
    }

    /// Returns whether the turn has not expired.
    func isCurrent() async throws(StoreError) -> Bool {
        guard let found = try await store.value(for: key) else { return false }
        return constantTimeEquals(found.span, owner.span)
    }

    /// Ends the turn, and leaves that of another poll. If the store does not respond, the turn ends by its lifetime.
    func end() async {
        guard (try? await isCurrent()) == true, let found = try? await store.take(key),
            !constantTimeEquals(found.span, owner.span)
        else { return }
        // The turn expired in between, and another poll began.
        _ = try? await store.insert(found, for: key, lifetime: Self.lifetime)
    }
}

/// Runs steps that the cancellation of the caller's task does not reach, such as those that record what the provider
/// has done, and waits for their result. A store over a network performs no operation of a cancelled task.
package func withoutCancellation<Value: Sendable>(
    _ steps: @escaping @Sendable () async throws(RelyingPartyError) -> Value
) async throws(RelyingPartyError) -> Value {
    let task = Task<Result<Value, RelyingPartyError>, Never> {
        do throws(RelyingPartyError) { return .success(try await steps()) } catch { return .failure(error) }
    }
    return try await task.value.get()
}
