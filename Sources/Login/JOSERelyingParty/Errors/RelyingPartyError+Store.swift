extension RelyingPartyError {
    /// A store that gave no answer.
    init(_ error: StoreError) { self.init(RelyingPartyError.Reason(error), in: .store) }
}
