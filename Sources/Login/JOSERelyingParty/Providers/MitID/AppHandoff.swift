public import JOSE
internal import JOSEBytes
internal import JOSECrypto

/// Brings the outcome of a login from the browser tab, where it ended, to the app that began it: the app asks its back end until there is
/// an answer. It asks with a handle that works for this instance of the app alone and gives its answer once. The app never sees a code or a
/// token in a URL, and it also learns of a login that the user abandoned.
public struct AppHandoff: Sendable {
    /// What the app gets when it asks.
    public enum Answer: Equatable, Sendable {
        /// Ask again, a little later.
        case pending
        /// The login has ended: what the back end left for the app. No other question gets it.
        case ended([UInt8])
        /// Nothing came in time, or the answer was given before: the app says so to the user, and begins a new login.
        case expired
    }

    /// Bytes of the least secret by which an instance of an app is known.
    public static let leastInstanceBytes = 16
    private let store: any LoginStore
    private let lifetime: Duration
    private let clock: WallClock

    /// Creates a handoff.
    ///
    /// - Parameters:
    ///   - store: The store that keeps the answers, shared by all machines of the service.
    ///   - lifetime: The lifetime of a handle: ten minutes by default.
    ///   - clock: The clock by which handles expire.
    public init(store: any LoginStore, lifetime: Duration = .seconds(600), clock: WallClock = .system) {
        self.store = store
        self.lifetime = lifetime
        self.clock = clock
    }

    /// Creates a handle for the app that begins a login. The back end keeps the handle with the login.
    ///
    /// - Parameter instance: A secret that the app keeps, and sends with every question: at least ``leastInstanceBytes`` bytes.
    /// - Returns: The handle.
    /// - Throws: `configurationError` for a secret that is too short, and `internalFault` without random numbers.
    public func open(for instance: [UInt8]) throws(RelyingPartyError) -> String {
        guard instance.count >= Self.leastInstanceBytes else { throw Self.fault(.configurationError) }
        var content: [UInt8]
        do throws(CryptoError) { content = try Random.bytes(Self.randomBytes) } catch {
            throw Self.fault(.internalFault)
        }
        let seconds = UInt64(max(0, clock.now.secondsSince1970))
        for shift in stride(from: 56, through: 0, by: -8) {
            content.append(UInt8(truncatingIfNeeded: seconds >> shift))
        }
        content += try Self.tag(of: content, instance)
        let handle = Base64URL.encode(content.span)
        return String(decoding: handle, as: UTF8.self)
    }

    /// Ends the login and leaves what the app is to know, such as a ticket for its session or the name of a failure. The answer remains in
    /// the store until the handle expires, so that the login cannot be ended a second time; only the first question that finds it gets it.
    ///
    /// - Parameters:
    ///   - handle: The handle of ``open(for:)``.
    ///   - answer: The bytes for the app.
    /// - Returns: True where `answer` is what the app gets, also for a call that repeats an earlier one with the same bytes; false where
    ///   the login was ended before with another answer, which then counts.
    /// - Throws: `expired` once the lifetime of the handle has passed, `invalidParameter` for a text that is no handle, and the errors of
    ///   the store: `storeUnavailable`, `storeFull`, `configurationError` where it rejects this client, and `interrupted` in a task that
    ///   is cancelled. After `storeUnavailable` or `interrupted` the call may be repeated.
    public func end(_ handle: String, with answer: [UInt8]) async throws(RelyingPartyError) -> Bool {
        guard let content = Content(handle) else { throw Self.fault(.invalidParameter("handle")) }
        let left = content.began + lifetime - clock.now
        guard left > .zero else { throw Self.fault(.expired) }
        do throws(StoreError) {
            if try await store.insert(answer, for: content.answerKey, lifetime: left) { return true }
            // The call may repeat one whose reply from the store was lost.
            return try await store.value(for: content.answerKey) == answer
        } catch {
            throw RelyingPartyError(error)
        }
    }

    /// Answers the app's question. The answer that the back end left is given once: the question that marks it as given gets it, and every
    /// other question gets `expired`.
    ///
    /// - Parameters:
    ///   - handle: The handle of ``open(for:)``.
    ///   - instance: The secret of the instance of the app that asks.
    /// - Throws: `bindingMismatch` for another instance than the one that began, before the store is asked; `invalidParameter` for a text
    ///   that is no handle; and the errors of the store, as ``end(_:with:)`` throws them. After `storeUnavailable` or `interrupted` the
    ///   answer may count as given: the next question then gets `expired`, and the user begins the login again.
    public func poll(_ handle: String, by instance: [UInt8]) async throws(RelyingPartyError) -> Answer {
        guard let content = Content(handle) else { throw Self.fault(.invalidParameter("handle")) }
        let wanted = try Self.tag(of: content.signed, instance)
        guard constantTimeEquals(wanted.span, content.tag.span) else { throw Self.fault(.bindingMismatch) }
        guard clock.now < content.began + lifetime else { return .expired }
        do throws(StoreError) {
            guard let answer = try await store.value(for: content.answerKey) else { return .pending }
            // One atomic insert decides which question gets the answer; the mark outlives the answer.
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
        // A MAC key is never empty, and neither is the secret of an instance.
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
