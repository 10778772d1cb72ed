internal import JOSE
internal import JOSESupport

/// An entry of the store that says that a user is being asked, so that no second login of the same hint is begun
/// meanwhile: the user might approve the login of an attacker as their own.
struct BackChannelReservation: Sendable {
    private static let kind = "back-channel user"
    private static let hints: [ParameterName] = ["login_hint", "login_hint_token", "id_token_hint"]
    private let key: StoreKey
    private let value: [UInt8]
    private let store: any LoginStore
    private let lifetime: Duration
    /// The time after which a login counts as over that was reserved and never stored: the time limit of its requests,
    /// and 30 seconds for the client's key and for the store.
    private let longestBeginning: Duration

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
                value: Array("\(Int64(max(0, now.secondsSince1970.rounded(.up)))) \(handle)".utf8), store: store,
                lifetime: profile.lifetime, longestBeginning: profile.timeLimit + .seconds(30))
        } catch {
            throw RelyingPartyError(error)
        }
        let insert = reservation
        let isReserved: Bool
        do throws(RelyingPartyError) {
            isReserved = try await withoutCancellation { () async throws(RelyingPartyError) in
                do throws(StoreError) { return try await insert.insert(now) } catch { throw RelyingPartyError(error) }
            }
        } catch {
            // The insertion may have taken effect.
            await reservation.release()
            throw error
        }
        guard isReserved else { throw RelyingPartyError(.loginPending, in: .request) }
        return reservation
    }

    /// Whether this is the user's reservation still. A login that took too long to begin may have been replaced.
    func isCurrent() async throws(StoreError) -> Bool { try await store.value(for: key) == value }

    /// Ends the reservation of a login that could not be begun. That of any other ends with the login.
    func release() async {
        let reservation = self
        _ = try? await withoutCancellation { () async throws(RelyingPartyError) in
            guard (try? await reservation.isCurrent()) == true else { return }
            _ = try? await reservation.take(reservation.value)
        }
    }

    /// Inserts the entry, in place of one whose login is over. Returns whether it was inserted.
    private func insert(_ now: NumericDate) async throws(StoreError) -> Bool {
        if try await store.insert(value, for: key, lifetime: lifetime) { return true }
        if let found = try await store.value(for: key) {
            guard try await !isPending(found, now) else { return false }
            // Of all that find this entry one replaces it. If that one stops meanwhile, another may try again a little
            // later.
            let mark = try StoreKey(kind: "\(Self.kind) replaced", value: found)
            guard try await store.insert([], for: mark, lifetime: longestBeginning), try await take(found) else {
                return false
            }
        }
        return try await store.insert(value, for: key, lifetime: lifetime)
    }

    /// Removes an entry, and returns whether there is none now. An entry that took its place in between stays.
    private func take(_ found: [UInt8]) async throws(StoreError) -> Bool {
        guard let taken = try await store.take(key), taken != found else { return true }
        _ = try await store.insert(taken, for: key, lifetime: lifetime)
        return false
    }

    private func isPending(_ found: [UInt8], _ now: NumericDate) async throws(StoreError) -> Bool {
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
        return !isEnded && now.secondsSince1970 - began < longestBeginning.inSeconds
    }
}
