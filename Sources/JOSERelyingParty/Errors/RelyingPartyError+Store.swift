extension RelyingPartyError {
    /// A store that gave no answer.
    init(_ error: StoreError) {
        switch error {
        case .full: self.init(.storeFull, in: .store)
        case .cancelled: self.init(.interrupted, in: .store)
        default: self.init(.storeUnavailable, in: .store)
        }
    }
}
