extension RelyingPartyError {
    /// A store that gave no answer.
    init(_ error: StoreError) { self.init(RelyingPartyFailure(error), in: .store) }
}
