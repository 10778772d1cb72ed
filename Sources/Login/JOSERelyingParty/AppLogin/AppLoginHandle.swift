internal import JOSE
internal import JOSECrypto
internal import JOSESupport

/// The handle of a login that an app began: a random number, the time, the hash of the return value, and the MAC of
/// these under the secret of the app's instance. The return value cannot be computed from it.
struct AppLoginHandle: Sendable {
    private static let randomCount = 24
    private static let signedCount = randomCount + 8 + 32

    let text: String
    private let signed: [UInt8]
    private let tag: [UInt8]

    private init(signed: [UInt8], tag: [UInt8]) {
        self.signed = signed
        self.tag = tag
        text = String(decoding: Base64URL.encode((signed + tag).span), as: UTF8.self)
    }

    /// Returns the handle of a new login.
    static func new(
        instance: [UInt8], returnHash: [UInt8], now: NumericDate
    ) throws(RelyingPartyError.Reason) -> AppLoginHandle {
        guard now.isValid else { throw .configurationError }
        var content = try random()
        let seconds = UInt64(max(0, now.secondsSince1970))
        for shift in stride(from: 56, through: 0, by: -8) {
            content.append(UInt8(truncatingIfNeeded: seconds >> shift))
        }
        content += returnHash
        return AppLoginHandle(signed: content, tag: try tag(of: content, instance))
    }

    private static func random() throws(RelyingPartyError.Reason) -> [UInt8] {
        do throws(CryptoError) { return try Random.bytes(randomCount) } catch { throw .internalFault }
    }

    /// Creates a handle from its text; nil if it is none.
    init?(_ text: String) {
        guard let bytes = Base64URL.decode(text.utf8.span), bytes.count == Self.signedCount + 32 else { return nil }
        self.text = text
        signed = Array(bytes[..<Self.signedCount])
        tag = Array(bytes[Self.signedCount...])
    }

    /// The time at which the login began.
    var began: NumericDate {
        let bytes = signed[Self.randomCount..<(Self.randomCount + 8)]
        return NumericDate(secondsSince1970: Double(bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
    }

    /// Returns whether this is the secret of the instance that began the login.
    func isOf(_ instance: [UInt8]) throws(RelyingPartyError.Reason) -> Bool {
        let wanted = try Self.tag(of: signed, instance)
        return constantTimeEquals(wanted.span, tag.span)
    }

    /// Returns whether this is the return value of the login.
    func accepts(_ value: String) throws(RelyingPartyError.Reason) -> Bool {
        let hash = try Self.hash(of: value)
        let wanted = Array(signed[(Self.randomCount + 8)...])
        return constantTimeEquals(hash.span, wanted.span)
    }

    func key(_ kind: String) throws(StoreError) -> StoreKey { try StoreKey(kind: kind, value: signed + tag) }

    /// Returns the hash of a return value.
    static func hash(of value: String) throws(RelyingPartyError.Reason) -> [UInt8] {
        do throws(CryptoError) { return try Hash.sha256.digest(value.utf8.span) } catch { throw .internalFault }
    }

    private static func tag(of bytes: [UInt8], _ instance: [UInt8]) throws(RelyingPartyError.Reason) -> [UInt8] {
        // A MAC key must not be empty, and the secret of an instance never is.
        guard !instance.isEmpty else { throw .bindingMismatch }
        do throws(CryptoError) {
            return try MACKey(.sha256, GuardedBytes(copying: instance.span)).sign(bytes.span)
        } catch {
            throw .internalFault
        }
    }
}
