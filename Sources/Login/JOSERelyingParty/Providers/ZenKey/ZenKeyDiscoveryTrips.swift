/// How often one login may go to the discovery page: once, and once more after the carrier said `user_not_found`.
public struct ZenKeyDiscoveryTrips: Sendable, Equatable {
    private var taken: UInt8 = 0
    private(set) var isExtended = false

    /// Of a login that has not been there.
    public init() {}

    /// As it was kept with the login; nil for what `kept` never gives.
    init?(kept: UInt8) {
        (taken, isExtended) = (kept & 0x7F, kept & 0x80 != 0)
        guard taken <= 2 else { return nil }
    }

    var kept: UInt8 { taken | (isExtended ? 0x80 : 0) }

    /// Before the user is sent there. Throws `redirectLoop`.
    public mutating func take() throws(RelyingPartyError) {
        guard taken < (isExtended ? 2 : 1) else { throw RelyingPartyError(.redirectLoop, in: .discovery) }
        taken += 1
    }

    /// The carrier does not know the user: whether they may be asked once more who their carrier is.
    public mutating func extend() -> Bool {
        guard !isExtended else { return false }
        isExtended = true
        // Whoever came without the page before has its first trip still, and no more than that.
        taken = max(taken, 1)
        return true
    }
}
