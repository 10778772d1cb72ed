public import JOSERelyingParty

extension LoggedInUser {
    /// The values about the user that only ZenKey returns; nil after a login with another provider.
    public internal(set) var zenKey: ZenKeyUser? {
        get { providerValues[Self.zenKeyValue] as? ZenKeyUser }
        set { providerValues[Self.zenKeyValue] = newValue.map { $0 as any Sendable } }
    }

    private static let zenKeyValue = "zenkey user"
}
