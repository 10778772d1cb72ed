internal import JOSE
internal import JOSEBytes

/// An entry of the store that says that a user is being asked, so that no second login of the same hint is begun meanwhile: the user
/// might approve the login of an attacker as their own.
struct BackChannelReservation: Sendable {
    private static let kind = "back-channel user"
    private static let hints: [ParameterName] = ["login_hint", "login_hint_token", "id_token_hint"]
    private let key: StoreKey
    private let value: [UInt8]
    private let store: any LoginStore
    private let lifetime: Duration

    /// Reserves the user whom a request names.
    ///
    /// - Parameters:
    ///   - request: The request, with one of the three hints. `id_token_hint` names its subject.
    ///   - issuer: The issuer of the provider.
    ///   - handle: The handle of the login.
    ///   - profile: The profile, with the longest time that a login may take, and that its beginning may take.
    /// - Throws: `loginPending` if a login of the same hint is pending, and the errors of the store.
    static func reserve(
        _ request: LoginRequest, at issuer: String, handle: String, in store: any LoginStore, now: NumericDate,
        for profile: ProviderProfile
    ) async throws(RelyingPartyError) -> BackChannelReservation {
        let reservation: BackChannelReservation
        do throws(StoreError) {
            let name = hints.first { request[$0] != nil } ?? "id_token_hint"
            let hint = name == "id_token_hint" ? request.expectedSubject ?? "" : request[name] ?? ""
            reservation = BackChannelReservation(
                key: try StoreKey(kind: "\(kind) by \(name)", issuer: issuer, value: hint),
                value: Array("\(Int64(max(0, now.secondsSince1970))) \(handle)".utf8), store: store,
                lifetime: profile.lifetime)
        } catch {
            throw RelyingPartyError(error)
        }
        let isReserved: Bool
        do throws(StoreError) {
            isReserved = try await reservation.insert(now, longestBeginning: profile.timeLimit.inSeconds)
        } catch {
            // The insertion may have taken effect.
            await reservation.release()
            throw RelyingPartyError(error)
        }
        guard isReserved else { throw RelyingPartyError(.loginPending, in: .request) }
        return reservation
    }

    /// Ends the reservation of a login that could not be begun. That of any other ends with the login.
    func release() async {
        _ = try? await withoutCancellation { () async throws(RelyingPartyError) in
            guard (try? await store.value(for: key)) == value else { return }
            _ = try? await replace(value)
        }
    }

    /// Inserts the entry, in place of one whose login is over. Returns whether it was inserted.
    private func insert(_ now: NumericDate, longestBeginning: Double) async throws(StoreError) -> Bool {
        if try await store.insert(value, for: key, lifetime: lifetime) { return true }
        if let found = try await store.value(for: key) {
            guard try await !isPending(found, now, longestBeginning), try await replace(found) else { return false }
        }
        return try await store.insert(value, for: key, lifetime: lifetime)
    }

    /// Removes an entry, and returns whether this call did it. One atomic insert decides which call removes this entry, so that none
    /// removes a later one.
    private func replace(_ found: [UInt8]) async throws(StoreError) -> Bool {
        let mark = try StoreKey(kind: "\(Self.kind) replaced", value: found)
        guard try await store.insert([], for: mark, lifetime: lifetime) else { return false }
        _ = try await store.take(key)
        return true
    }

    private func isPending(
        _ found: [UInt8], _ now: NumericDate, _ longestBeginning: Double
    ) async throws(StoreError) -> Bool {
        let words = String(decoding: found, as: UTF8.self).split(separator: " ").map(String.init)
        guard words.count == 2, let began = Double(words[0]) else { return false }
        let (login, isEnded): (LoginTransaction?, Bool)
        do throws(RelyingPartyError) {
            let entries = try BackChannelEntries(words[1], in: store)
            login = try await entries.login()
            isEnded = try await entries.ended() != nil
        } catch {
            throw .unavailable
        }
        if let acknowledgement = login?.backChannel { return now < acknowledgement.expires }
        return !isEnded && now.secondsSince1970 - began < longestBeginning
    }
}
