internal import JOSE

/// The request that a browser or an app sends to the redirect URI, with the provider's authorization response.
///
/// The parameters are parsed once, when the callback is created. They are unchecked until
/// ``RelyingParty/completeLogin(callback:binding:)`` verifies them, which also throws the error of a callback that
/// cannot be parsed.
public struct AuthorizationCallback: Sendable {
    package let mode: ResponseMode
    /// The number of bytes of the query or of the form.
    package let byteCount: Int
    private let parsed: Result<CallbackParameters, CallbackFault>
    /// The `state`, for a callback that has it inside another parameter; it may be missing there.
    private var enclosedState: String??

    /// Creates a callback from a GET request.
    ///
    /// - Parameter query: The query of the request's URL without the `?`, still percent-encoded.
    public static func query(_ query: String) -> AuthorizationCallback {
        AuthorizationCallback(mode: .query, Array(query.utf8))
    }

    /// Creates a callback from a GET request in which the whole response, the `state` included, is the value of one
    /// parameter.
    ///
    /// - Parameters:
    ///   - query: The query of the request's URL without the `?`, still percent-encoded.
    ///   - readState: A function that returns the `state`; nil if there is none, or the value cannot be parsed.
    package static func query(
        _ query: String, readState: (AuthorizationCallback) -> String?
    ) -> AuthorizationCallback {
        var callback = Self.query(query)
        callback.enclosedState = .some(readState(callback))
        return callback
    }

    /// Creates a callback from a POST request with an HTML form as its body (OAuth 2.0 Form Post Response Mode).
    ///
    /// - Parameters:
    ///   - body: The body of the request, as it was received.
    ///   - contentType: The value of the request's `Content-Type` header.
    public static func form(_ body: [UInt8], contentType: String) -> AuthorizationCallback {
        AuthorizationCallback(mode: .formPost, body, fault: isForm(contentType) ? nil : .contentTypeMismatch)
    }

    private init(mode: ResponseMode, _ bytes: [UInt8], fault: RelyingPartyError.Reason? = nil) {
        self.mode = mode
        byteCount = bytes.count
        if let fault {
            parsed = .failure(.reason(fault))
        } else {
            parsed = Result { () throws(CallbackFault) in try CallbackParameters(bytes) }
        }
    }

    private static func isForm(_ contentType: String) -> Bool {
        let type = contentType.utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 != UInt8(ascii: " ") }
        return type.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
            .elementsEqual("application/x-www-form-urlencoded".utf8)
    }

    /// Returns the value of a parameter that must be there once.
    package func value(_ name: ParameterName) throws(RelyingPartyError.Reason) -> String {
        guard let value = try parameters([name])[name.description], !value.isEmpty else {
            throw .missingParameter(name)
        }
        return value
    }

    /// Returns the parameters.
    ///
    /// - Parameter names: The names of parameters besides those of OAuth and OpenID Connect, a duplicate of which is
    ///   reported by its name. Any other name may have been chosen by an attacker, and is not reported.
    package func parameters(_ names: [ParameterName] = []) throws(RelyingPartyError.Reason) -> CallbackParameters {
        do throws(CallbackFault) { return try parsed.get() } catch {
            switch error {
            case .reason(let reason): throw reason
            case .duplicate(let name):
                let known = (CallbackParameters.ofOAuth + names).first { $0 == ParameterName(name) }
                throw known.map { .duplicateParameter($0) } ?? .malformed
            }
        }
    }

    /// The `state` of the callback; nil if there is none, or the callback cannot be parsed.
    var state: String? {
        if let enclosedState { return enclosedState }
        guard let parameters = try? parameters() else { return nil }
        guard let state = parameters["state"] ?? parameters["RelayState"] else { return nil }
        // A state of this library has no question mark; some providers append their error behind one.
        return String(Substring(state.utf8.prefix { $0 != UInt8(ascii: "?") }))
    }
}

extension AuthorizationCallback: Redacted {}
