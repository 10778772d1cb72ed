package import JOSERelyingParty

/// A counter of the visits of one login to ZenKey's discovery page. One visit is allowed, and a second one after the
/// carrier has responded with `user_not_found`.
package struct ZenKeyDiscoveryVisits: Sendable, Equatable {
    private var taken: UInt8 = 0
    private(set) var isExtended = false

    /// Creates a counter for a login that has not visited the discovery page.
    package init() {}

    /// Creates a value from the stored ``kept``. Nil for a number that ``kept`` never has.
    init?(kept: UInt8) {
        (taken, isExtended) = (kept & 0x7F, kept & 0x80 != 0)
        guard taken <= 2 else { return nil }
    }

    /// The value as it is stored with the login.
    var kept: UInt8 { taken | (isExtended ? 0x80 : 0) }

    /// Counts a visit to the discovery page. Call it before the browser is sent there.
    ///
    /// - Throws: `redirectLoop` if the login has used up its visits to the page.
    package mutating func take() throws(RelyingPartyError) {
        guard taken < (isExtended ? 2 : 1) else { throw RelyingPartyError(.redirectLoop, in: .discovery) }
        taken += 1
    }

    /// Allows the login a second visit to the discovery page, after the carrier has responded with `user_not_found`.
    ///
    /// - Returns: True if this call allowed the second visit, and false if an earlier call did.
    package mutating func extend() -> Bool {
        guard !isExtended else { return false }
        isExtended = true
        // A login without a visit has one left, and no more.
        taken = max(taken, 1)
        return true
    }
}
