internal import JOSE
internal import JOSEKeySets
internal import JOSESupport

/// The reason why a callback cannot be parsed.
enum CallbackFault: Error {
    case reason(RelyingPartyError.Reason)
    /// A parameter of this name occurs more than once.
    case duplicate(String)
}

/// The parameters of a callback, none of which is a duplicate.
package struct CallbackParameters: Sendable, Redacted {
    /// The largest number of bytes of a callback (threat R27).
    static let maximumBytes = 16_384
    /// The largest number of parameters of a callback (threat R27).
    static let maximumParameters = 32
    private var values: [(name: String, value: String)]

    init(_ bytes: [UInt8]) throws(CallbackFault) {
        guard bytes.count <= Self.maximumBytes else { throw .reason(.tooLarge) }
        var values: [(name: String, value: String)] = []
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            guard values.count < Self.maximumParameters else { throw .reason(.tooLarge) }
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            let nameBytes = Array(pair[..<equals])
            let valueBytes = equals < pair.endIndex ? Array(pair[(equals + 1)...]) : []
            guard let name = FormText.decoded(nameBytes.span), let value = FormText.decoded(valueBytes.span) else {
                throw .reason(.malformed)
            }
            guard !values.contains(where: { bytesEqual($0.name, name) }) else { throw .duplicate(name) }
            values.append((name, value))
        }
        self.values = values
    }

    /// The parameters of OAuth 2.0 and OpenID Connect.
    static let ofOAuth: [ParameterName] = [
        "code", "state", "iss", "error", "error_description", "error_uri", "detail", "session_state", "id_token",
        "scope",
    ]

    package subscript(_ name: String) -> String? { values.first { bytesEqual($0.name, name) }?.value }

    /// Returns the parameters of a callback and its `state`. A callback without a binding is rejected here, so that the
    /// transaction is not used up.
    package static func of(
        _ callback: AuthorizationCallback, binding: String?, rules: CallbackRules
    ) throws(RelyingPartyError) -> (parameters: CallbackParameters, state: String) {
        do throws(RelyingPartyError.Reason) {
            var parameters = try callback.parameters(rules.parameters)
            if rules.errorMayEndState { parameters.partState() }
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
        guard self["error"] == nil, let index = values.firstIndex(where: { bytesEqual($0.name, "state") }) else {
            return
        }
        let text = Array(values[index].value.utf8)
        guard let at = text.indices.first(where: { text[$0...].starts(with: mark) }) else { return }
        values[index].value = String(decoding: text[..<at], as: UTF8.self)
        values.append(("error", String(decoding: text[(at + mark.count)...], as: UTF8.self)))
    }
}
