internal import JOSE
internal import JOSEBytes

/// The entry in the store that a user is being asked, so that no second login of this user is begun meanwhile: the user might approve
/// that of an attacker as their own.
struct BackChannelReservation: Sendable {
    /// The time within which a login that was begun is stored, in seconds: that of a request to the provider.
    private static let longestBeginning = 60.0
    private let key: StoreKey
    private let store: any LoginStore

    /// Reserves the user whom a request names.
    ///
    /// - Parameters:
    ///   - request: The request, with one of the three hints. `id_token_hint` names its subject.
    ///   - handle: The handle of the login.
    ///   - lifetime: The longest time that the login may take.
    /// - Throws: `loginPending` if a login of the same hint is pending, and the errors of the store.
    static func reserve(
        _ request: LoginRequest, at issuer: String, handle: String, in store: any LoginStore, now: NumericDate,
        lifetime: Duration
    ) async throws(RelyingPartyError) -> BackChannelReservation {
        let hint =
            request["login_hint"] ?? request["login_hint_token"] ?? "subject " + (request.expectedSubject ?? "")
        let value = Array("\(Int64(max(0, now.secondsSince1970))) \(handle)".utf8)
        do throws(StoreError) {
            let key = try StoreKey(kind: "back-channel user", issuer: issuer, value: hint)
            for _ in 0..<2 {
                if try await store.insert(value, for: key, lifetime: lifetime) {
                    return BackChannelReservation(key: key, store: store)
                }
                guard let found = try await store.value(for: key) else { continue }
                if try await isPending(found, in: store, now: now) { break }
                // Another process may have replaced what was found.
                if let taken = try await store.take(key), taken != found {
                    _ = try await store.insert(taken, for: key, lifetime: lifetime)
                    break
                }
            }
        } catch {
            throw RelyingPartyError(error)
        }
        throw RelyingPartyError(.loginPending, in: .request)
    }

    /// Ends the reservation of a login that could not be begun. That of any other ends with the login.
    func release() async { _ = try? await store.take(key) }

    private static func isPending(
        _ value: [UInt8], in store: any LoginStore, now: NumericDate
    ) async throws(StoreError) -> Bool {
        let words = String(decoding: value, as: UTF8.self).split(separator: " ").map(String.init)
        guard words.count == 2, let began = Double(words[0]) else { return false }
        let entries: BackChannelEntries
        let (login, isEnded): (LoginTransaction?, Bool)
        do throws(RelyingPartyError) {
            entries = try BackChannelEntries(words[1], in: store)
            login = try await entries.login()
            isEnded = try await entries.ended() != nil
        } catch {
            throw .unavailable
        }
        if let acknowledgement = login?.backChannel { return now < acknowledgement.expires }
        return !isEnded && now.secondsSince1970 - began < longestBeginning
    }
}
