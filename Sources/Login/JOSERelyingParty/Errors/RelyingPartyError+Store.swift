extension RelyingPartyError {
    /// Creates the error of a store that did not perform an operation.
    package init(_ error: StoreError) { self.init(RelyingPartyError.Reason(error), in: .store) }
}
