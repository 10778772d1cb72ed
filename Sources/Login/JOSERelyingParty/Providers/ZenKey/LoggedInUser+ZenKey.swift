extension LoggedInUser {
    /// The values that only ZenKey returns; nil for a login with another provider.
    public internal(set) var zenKey: ZenKeyUser? {
        get { providerValues[Self.zenKeyValue] as? ZenKeyUser }
        set { providerValues[Self.zenKeyValue] = newValue.map { $0 as any Sendable } }
    }

    private static let zenKeyValue = "zenkey user"
}
