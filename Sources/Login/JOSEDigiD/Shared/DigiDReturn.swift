internal import JOSE
public import JOSERelyingParty

/// The response that DigiD's app appends to the return URL, or DigiD to the URL of the assertion consumer service. It
/// is parsed strictly and is not trusted, because any web page can open both URLs.
package struct DigiDReturn: Sendable {
    package let artifact: String?
    package let relayState: String?
    package let errorMessage: String?

    /// Creates a response, for a simulator of DigiD's app.
    package init(artifact: String?, relayState: String?, errorMessage: String?) {
        self.artifact = artifact
        self.relayState = relayState
        self.errorMessage = errorMessage
    }

    /// The largest accepted number of bytes of a query.
    static let maximumBytes = 4_096

    /// Parses the response in a callback.
    ///
    /// - Throws: `contentTypeMismatch` if the callback is a form, `tooLarge`, `malformed`, and `missingParameter` or
    ///   `duplicateParameter`.
    package init(_ callback: AuthorizationCallback, by route: DigiDRoute) throws(RelyingPartyError.Reason) {
        guard callback.mode == .query else { throw .contentTypeMismatch }
        guard callback.byteCount <= Self.maximumBytes else { throw .tooLarge }
        switch route {
        case .app: try self.init(app: callback)
        case .browser: try self.init(browser: callback)
        }
    }

    /// Parses the query of the assertion consumer service, in which form decoding turns each `+` into a space (SAML 2.0
    /// Bindings, 3.6.3).
    private init(browser callback: AuthorizationCallback) throws(RelyingPartyError.Reason) {
        let parameters = try callback.parameters(["SAMLart", "RelayState", AppText.parameter])
        guard parameters[AppText.parameter.description] == nil else { throw .malformed }
        guard let artifact = parameters["SAMLart"], !artifact.isEmpty else { throw .missingParameter("SAMLart") }
        self.artifact = artifact
        relayState = parameters["RelayState"].flatMap { $0.isEmpty ? nil : $0 }
        errorMessage = nil
    }

    private init(app callback: AuthorizationCallback) throws(RelyingPartyError.Reason) {
        guard let value = try callback.parameters([AppText.parameter])[AppText.parameter.description], !value.isEmpty
        else { throw .missingParameter(AppText.parameter) }
        let found = try AppText.read(Array(value.utf8), ["SAMLart", "RelayState", "ErrorMessage"])
        // An empty string counts as absent.
        func text(_ name: String) -> String? { found[name].flatMap { $0.isEmpty ? nil : $0 } }
        artifact = text("SAMLart")
        relayState = text("RelayState")
        errorMessage = text("ErrorMessage")
    }

    /// The query that DigiD's app appends to the return URL.
    package var query: String {
        let members = [("SAMLart", artifact), ("RelayState", relayState), ("ErrorMessage", errorMessage)]
        return AppText.parameter.description + "="
            + AppText.write(members.compactMap { name, value in value.map { (name: name, value: $0) } })
    }
}

extension DigiDReturn: Redacted {}

extension AuthorizationCallback {
    /// Creates a callback from the request with which DigiD's app opens the return URL.
    ///
    /// - Parameter query: The query of the request's URL without the `?`, still percent-encoded. Its parameter `app`
    ///   contains the response, with `RelayState` in place of `state`.
    public static func digiDApp(_ query: String) -> AuthorizationCallback {
        .query(query) { (try? DigiDReturn($0, by: .app))?.relayState }
    }
}
