/// What DigiD's app brought back, read strictly and not believed: any page can open the link.
package struct DigiDReturn: Sendable {
    package let artifact: String?
    package let relayState: String?
    package let errorMessage: String?

    /// For who plays DigiD's app.
    package init(artifact: String?, relayState: String?, errorMessage: String?) {
        self.artifact = artifact
        self.relayState = relayState
        self.errorMessage = errorMessage
    }

    /// More is not read.
    static let mostBytes = 4_096

    package init(_ callback: AuthorizationCallback) throws(RelyingPartyError.Reason) {
        guard case .query(let query) = callback.source else { throw .contentTypeMismatch }
        guard query.count <= Self.mostBytes else { throw .tooLarge }
        let found = try AppText.read(
            try AppText.value(inQuery: query), ["SAMLart", "RelayState", "ErrorMessage"])
        // An empty text says what none says.
        func text(_ name: String) -> String? { found[name].flatMap { $0.isEmpty ? nil : $0 } }
        artifact = text("SAMLart")
        relayState = text("RelayState")
        errorMessage = text("ErrorMessage")
    }

    /// The query that goes behind the return URL.
    package var query: String {
        let members = [("SAMLart", artifact), ("RelayState", relayState), ("ErrorMessage", errorMessage)]
        return AppText.parameter + "="
            + AppText.write(members.compactMap { name, value in value.map { (name: name, value: $0) } })
    }
}

extension DigiDReturn: CustomStringConvertible, CustomReflectable {
    package var description: String { "DigiDReturn" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
