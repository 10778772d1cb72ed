internal import JOSEBytes
internal import JOSEKeySets

/// The request that a browser or an app sends to the redirect URI, with the provider's authorization response.
///
/// A new callback is unchecked: its parameters are parsed and verified by
/// ``RelyingParty/completeLogin(callback:binding:)``.
public struct AuthorizationCallback: Sendable {
    enum Source: Sendable {
        case query([UInt8])
        case form([UInt8], contentType: String)
    }
    let source: Source

    /// Creates a callback from a GET request.
    ///
    /// - Parameter query: The query of the request's URL without the `?`, still percent-encoded.
    public static func query(_ query: String) -> AuthorizationCallback {
        AuthorizationCallback(source: .query(Array(query.utf8)))
    }

    /// Creates a callback from a POST request with an HTML form as its body (OAuth 2.0 Form Post Response Mode).
    ///
    /// - Parameters:
    ///   - body: The body of the request, as it was received.
    ///   - contentType: The value of the request's `Content-Type` header.
    public static func form(_ body: [UInt8], contentType: String) -> AuthorizationCallback {
        AuthorizationCallback(source: .form(body, contentType: contentType))
    }

    var mode: ResponseMode {
        switch source {
        case .query: .query
        case .form: .formPost
        }
    }
}

extension AuthorizationCallback: CustomStringConvertible, CustomReflectable {
    /// The response mode of the callback (`query` or `form_post`), without its parameters.
    public var description: String { "Callback(\(mode.rawValue))" }
    /// An empty mirror, so that `dump(_:)` does not print the parameters, which are secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The parameters of a callback, none of which is a duplicate.
struct CallbackParameters: Sendable {
    /// The largest number of bytes of a callback (threat R27).
    static let mostBytes = 16_384
    /// The largest number of parameters of a callback (threat R27).
    static let mostParameters = 32
    private var values: [(name: String, value: String)]

    init(_ callback: AuthorizationCallback) throws(RelyingPartyError.Reason) {
        let bytes: [UInt8]
        switch callback.source {
        case .query(let query): bytes = query
        case .form(let body, let contentType):
            guard Self.isForm(contentType) else { throw .contentTypeMismatch }
            bytes = body
        }
        guard bytes.count <= Self.mostBytes else { throw .tooLarge }
        var values: [(name: String, value: String)] = []
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            guard values.count < Self.mostParameters else { throw .tooLarge }
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            let nameBytes = Array(pair[..<equals])
            let valueBytes = equals < pair.endIndex ? Array(pair[(equals + 1)...]) : []
            guard let name = FormText.decoded(nameBytes.span), let value = FormText.decoded(valueBytes.span) else {
                throw .malformed
            }
            if values.contains(where: { bytesEqual($0.name, name) }) {
                // An unknown name may have been chosen by an attacker, and is not reported.
                throw Self.known.first { bytesEqual($0, name) }
                    .map { .duplicateParameter(ParameterName($0)) } ?? .malformed
            }
            values.append((name, value))
        }
        self.values = values
    }

    private static let known = [
        "code", "state", "iss", "error", "error_description", "error_uri", "detail", "session_state", "id_token",
        "mccmnc", "login_hint_token", "correlation_id", "scope",
    ]

    subscript(_ name: String) -> String? { values.first { bytesEqual($0.name, name) }?.value }

    /// Parses a callback and returns its parameters and its `state`. A callback without a binding is rejected here, so
    /// that the transaction is not used up.
    static func of(
        _ callback: AuthorizationCallback, binding: String?, errorMayEndState: Bool = false
    ) throws(RelyingPartyError) -> (parameters: CallbackParameters, state: String) {
        do throws(RelyingPartyError.Reason) {
            var parameters = try CallbackParameters(callback)
            if errorMayEndState { parameters.partState() }
            guard let state = parameters["state"], !state.isEmpty else { throw .stateMismatch }
            guard let binding, !binding.isEmpty else { throw .bindingMismatch }
            return (parameters, state)
        } catch {
            throw RelyingPartyError(error, in: .callback)
        }
    }

    /// Splits `state=S?error=E`, as some providers send it, into `state=S` and `error=E`.
    private mutating func partState() {
        let mark = Array("?error=".utf8)
        guard self["error"] == nil, let place = values.firstIndex(where: { bytesEqual($0.name, "state") }) else {
            return
        }
        let text = Array(values[place].value.utf8)
        guard let at = text.indices.first(where: { text[$0...].starts(with: mark) }) else { return }
        values[place].value = String(decoding: text[..<at], as: UTF8.self)
        values.append(("error", String(decoding: text[(at + mark.count)...], as: UTF8.self)))
    }

    private static func isForm(_ contentType: String) -> Bool {
        let type = contentType.utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 != UInt8(ascii: " ") }
        return type.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
            .elementsEqual("application/x-www-form-urlencoded".utf8)
    }
}
