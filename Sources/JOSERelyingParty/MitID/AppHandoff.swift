internal import JOSEBytes
internal import JOSECrypto

/// Brings what came of a login from the browser tab, where it ended, to the app that began it: the app asks its back end until there is an
/// answer. What it asks with is a handle that works for this instance of the app alone and gives its answer once; the app never sees a code or
/// a token in a URL, and a login that the user left hanging is told as well.
public struct AppHandoff: Sendable {
    /// What the app is told.
    public enum Answer: Equatable, Sendable {
        /// Ask again, a little later.
        case pending
        /// The login has ended: what the back end left for the app, which is gone from here.
        case ended([UInt8])
        /// Nothing came in time, or the answer was given before: the app says so in its own words, and begins anew.
        case expired
    }

    /// Bytes of the least secret by which an instance of an app is known.
    public static let leastInstanceBytes = 16
    private let store: any LoginStore
    private let lifetime: Double
    private let now: @Sendable () -> Double

    /// `lifetime`: of the transaction, in seconds.
    public init(store: any LoginStore, lifetime: Double = 600) {
        self.init(store: store, lifetime: lifetime, now: { SystemClock.now() })
    }

    /// The same by another clock.
    public init(store: any LoginStore, lifetime: Double, now: @escaping @Sendable () -> Double) {
        self.store = store
        self.lifetime = lifetime
        self.now = now
    }

    /// A handle for the app that begins a login. `instance` is a secret that the app keeps, and sends with every question. The back end keeps
    /// the handle with the login.
    public func open(for instance: [UInt8]) throws(RelyingPartyError) -> String {
        guard instance.count >= Self.leastInstanceBytes else { throw Self.fault(.configurationError) }
        var content: [UInt8]
        do throws(CryptoError) { content = try Random.bytes(Self.randomBytes) } catch {
            throw Self.fault(.internalFault)
        }
        let seconds = UInt64(max(0, now()))
        for shift in stride(from: 56, through: 0, by: -8) {
            content.append(UInt8(truncatingIfNeeded: seconds >> shift))
        }
        content += try Self.tag(of: content, instance)
        let handle = Base64URL.encode(content.span)
        return String(decoding: handle, as: UTF8.self)
    }

    /// The login has ended: leaves what the app is to know, such as a ticket for its session or the name of a failure. False where the login
    /// had ended before.
    public func end(_ handle: String, with answer: [UInt8]) async throws(RelyingPartyError) -> Bool {
        guard let content = Content(handle) else { throw Self.fault(.invalidParameter("handle")) }
        let left = content.began + lifetime - now()
        guard left > 0 else { throw Self.fault(.expired) }
        do throws(StoreError) {
            guard try await store.insert(answer, for: content.answerKey, lifetime: left) else { return false }
            // What was fetched is not pending again, and is not left a second time.
            guard try await store.insert([], for: content.endKey, lifetime: left) else {
                _ = try await store.take(content.answerKey)
                return false
            }
            return true
        } catch {
            throw RelyingPartyError(error == .full ? .storeFull : .storeUnavailable, in: .store)
        }
    }

    /// The app's question. Throws `bindingMismatch` for another instance than the one that began, before the store is asked.
    public func poll(_ handle: String, by instance: [UInt8]) async throws(RelyingPartyError) -> Answer {
        guard let content = Content(handle) else { throw Self.fault(.invalidParameter("handle")) }
        let wanted = try Self.tag(of: content.signed, instance)
        guard constantTimeEquals(wanted.span, content.tag.span) else { throw Self.fault(.bindingMismatch) }
        guard now() < content.began + lifetime else { return .expired }
        do throws(StoreError) {
            if let answer = try await store.take(content.answerKey) { return .ended(answer) }
            // Ended and fetched: the mark is put back, for it may be asked again.
            guard let mark = try await store.take(content.endKey) else { return .pending }
            _ = try await store.insert(mark, for: content.endKey, lifetime: max(1, content.began + lifetime - now()))
            // Or ended since the first look.
            return try await store.take(content.answerKey).map { .ended($0) } ?? .expired
        } catch {
            throw RelyingPartyError(error == .full ? .storeFull : .storeUnavailable, in: .store)
        }
    }

    private static let randomBytes = 24

    private struct Content {
        let signed: [UInt8]
        let tag: [UInt8]
        let began: Double

        init?(_ handle: String) {
            guard let bytes = Base64URL.decode(handle.utf8.span), bytes.count == randomBytes + 8 + 32 else {
                return nil
            }
            signed = Array(bytes[..<(randomBytes + 8)])
            tag = Array(bytes[(randomBytes + 8)...])
            began = Double(signed[randomBytes...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }

        var answerKey: StoreKey { get throws(StoreError) { try StoreKey(kind: "app answer", value: signed + tag) } }
        var endKey: StoreKey { get throws(StoreError) { try StoreKey(kind: "app end", value: signed + tag) } }
    }

    private static func tag(of bytes: [UInt8], _ instance: [UInt8]) throws(RelyingPartyError) -> [UInt8] {
        do throws(CryptoError) {
            return try MACKey(.sha256, GuardedBytes(copying: instance.span)).sign(bytes.span)
        } catch {
            throw fault(.bindingMismatch)
        }
    }

    private static func fault(_ failure: RelyingPartyFailure) -> RelyingPartyError {
        RelyingPartyError(failure, in: .callback)
    }
}
