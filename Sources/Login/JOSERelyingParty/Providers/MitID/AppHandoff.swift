public import JOSE
internal import JOSEBytes
internal import JOSECrypto

/// A handoff of a login's result from the browser tab in which the login ended to the app that began it. The app polls
/// its back end until the result is available.
///
/// The app polls with a handle, which is valid for this instance of the app only, and which returns the result once. No
/// code or token reaches the app in a URL, and the app also learns that a user has abandoned the login.
public struct AppHandoff: Sendable {
    /// The result of a poll.
    public enum Answer: Equatable, Sendable {
        /// The login has not ended. The app should poll again a little later.
        case pending
        /// The login has ended. The associated value contains the bytes that the back end stored for the app. No other
        /// poll returns them.
        case ended([UInt8])
        /// The login did not end in time, or another poll has received the answer. The app should inform the user, and
        /// begin a new login.
        case expired
    }

    /// The minimum length, in bytes, of the secret that identifies an instance of an app.
    public static let leastInstanceBytes = 16
    private let store: any LoginStore
    private let lifetime: Duration
    private let clock: WallClock

    /// Creates a handoff.
    ///
    /// - Parameters:
    ///   - store: The store of the answers, which all machines of the service share.
    ///   - lifetime: The lifetime of a handle; by default ten minutes.
    ///   - clock: The clock by which handles expire.
    public init(store: any LoginStore, lifetime: Duration = .seconds(600), clock: WallClock = .system) {
        self.store = store
        self.lifetime = lifetime
        self.clock = clock
    }

    /// Creates a handle for the app that begins a login. The back end must store the handle with the login.
    ///
    /// - Parameter instance: A secret that the app keeps and sends with every poll: at least ``leastInstanceBytes``
    ///   bytes.
    /// - Returns: The handle, with which the app polls.
    /// - Throws: `configurationError` if the secret is too short or the clock shows no valid time, and
    ///   `internalFault` if no random numbers are available.
    public func open(for instance: [UInt8]) throws(RelyingPartyError) -> String {
        guard instance.count >= Self.leastInstanceBytes else { throw Self.fault(.configurationError) }
        var content: [UInt8]
        do throws(CryptoError) { content = try Random.bytes(Self.randomBytes) } catch {
            throw Self.fault(.internalFault)
        }
        let now = clock.now
        guard now.isValid else { throw Self.fault(.configurationError) }
        let seconds = UInt64(max(0, now.secondsSince1970))
        for shift in stride(from: 56, through: 0, by: -8) {
            content.append(UInt8(truncatingIfNeeded: seconds >> shift))
        }
        content += try Self.tag(of: content, instance)
        let handle = Base64URL.encode(content.span)
        return String(decoding: handle, as: UTF8.self)
    }

    /// Ends the login and stores an answer for the app, such as a ticket for its session or an error code. The answer
    /// remains in the store until the handle expires, so that the login cannot be ended a second time. Only one poll
    /// receives the answer.
    ///
    /// - Parameters:
    ///   - handle: The handle that ``open(for:)`` returned.
    ///   - answer: The bytes for the app.
    /// - Returns: True if the app will receive `answer`, which includes a repeated call with the same bytes; false if
    ///   the login has ended before with another answer, which then remains.
    /// - Throws: `expired` if the lifetime of the handle has passed, `invalidParameter` if the text is not a handle,
    ///   and the errors of the store: `storeUnavailable`, `storeFull`, `configurationError` if it rejects this client,
    ///   and `interrupted` if the task is cancelled. After `storeUnavailable` or `interrupted`, the call may be
    ///   repeated.
    public func end(_ handle: String, with answer: [UInt8]) async throws(RelyingPartyError) -> Bool {
        guard let content = Content(handle) else { throw Self.fault(.invalidParameter("handle")) }
        let left = content.began + lifetime - clock.now
        guard left > .zero else { throw Self.fault(.expired) }
        do throws(StoreError) {
            if try await store.insert(answer, for: content.answerKey, lifetime: left) { return true }
            // This call may repeat one whose response from the store was lost.
            return try await store.value(for: content.answerKey) == answer
        } catch {
            throw RelyingPartyError(error)
        }
    }

    /// Returns the state of a login for a poll of the app. The back end's answer is returned once: the first poll that
    /// finds it receives it, and every other poll receives `expired`.
    ///
    /// - Parameters:
    ///   - handle: The handle that ``open(for:)`` returned.
    ///   - instance: The secret of the app instance that polls.
    /// - Returns: The answer of the back end, or the state of the login.
    /// - Throws: `bindingMismatch` if `instance` is not the secret for which the handle was created, before the store
    ///   is accessed; `invalidParameter` if the text is not a handle; and the errors of the store that ``end(_:with:)``
    ///   throws. After `storeUnavailable` or `interrupted`, the answer may count as returned: the next poll then
    ///   receives `expired`, and the user has to begin the login again.
    public func poll(_ handle: String, by instance: [UInt8]) async throws(RelyingPartyError) -> Answer {
        guard let content = Content(handle) else { throw Self.fault(.invalidParameter("handle")) }
        let wanted = try Self.tag(of: content.signed, instance)
        guard constantTimeEquals(wanted.span, content.tag.span) else { throw Self.fault(.bindingMismatch) }
        guard clock.now < content.began + lifetime else { return .expired }
        do throws(StoreError) {
            guard let answer = try await store.value(for: content.answerKey) else { return .pending }
            // One atomic insert decides which poll receives the answer. The mark outlives the answer.
            let isFirst = try await store.insert([], for: content.givenKey, lifetime: lifetime)
            return isFirst ? .ended(answer) : .expired
        } catch {
            throw RelyingPartyError(error)
        }
    }

    private static let randomBytes = 24

    private struct Content {
        let signed: [UInt8]
        let tag: [UInt8]
        let began: NumericDate

        init?(_ handle: String) {
            guard let bytes = Base64URL.decode(handle.utf8.span), bytes.count == randomBytes + 8 + 32 else {
                return nil
            }
            signed = Array(bytes[..<(randomBytes + 8)])
            tag = Array(bytes[(randomBytes + 8)...])
            let seconds = signed[randomBytes...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            began = NumericDate(secondsSince1970: Double(seconds))
        }

        var answerKey: StoreKey { get throws(StoreError) { try StoreKey(kind: "app answer", value: signed + tag) } }
        var givenKey: StoreKey {
            get throws(StoreError) { try StoreKey(kind: "app answer given", value: signed + tag) }
        }
    }

    private static func tag(of bytes: [UInt8], _ instance: [UInt8]) throws(RelyingPartyError) -> [UInt8] {
        // A MAC key must not be empty, and the secret of an instance never is.
        guard !instance.isEmpty else { throw fault(.bindingMismatch) }
        do throws(CryptoError) {
            return try MACKey(.sha256, GuardedBytes(copying: instance.span)).sign(bytes.span)
        } catch {
            throw fault(.internalFault)
        }
    }

    private static func fault(_ failure: RelyingPartyError.Reason) -> RelyingPartyError {
        RelyingPartyError(failure, in: .callback)
    }
}

extension AppHandoff.Answer: CustomStringConvertible, CustomReflectable {
    /// The state of the answer, without the result.
    public var description: String {
        switch self {
        case .pending: "pending"
        case .ended: "ended"
        case .expired: "expired"
        }
    }
    /// An empty mirror, so that `dump(_:)` does not print the result, which is about a user.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
