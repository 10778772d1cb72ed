internal import JOSEBytes

/// The parameters of a login with MitID (`idp_params`), which control MitID's client. A value that is not set is not sent.
public struct MitIDParameters: Equatable, Sendable {
    /// A switch from the browser tab to MitID's app and back (`enable_app_switch`, `app_switch_os`, `app_switch_url`).
    public struct AppSwitch: Equatable, Sendable {
        /// The operating system of a phone.
        public enum System: String, Sendable {
            /// The values of `app_switch_os`.
            case iOS = "ios", android
        }
        /// The operating system of the phone, which determines the form of ``url``.
        public var system: System
        /// The universal or app link of the service's app, which brings the tab to the foreground. The result of the login is
        /// not returned by it.
        public var url: String

        /// Creates an app switch.
        ///
        /// - Parameters:
        ///   - system: The operating system of the phone.
        ///   - url: An https URL that ``MitIDAppLinks`` allows.
        public init(_ system: System, url: String) {
            (self.system, self.url) = (system, url)
        }
    }

    /// The verb that MitID's app shows.
    public enum Action: String, CaseIterable, Sendable {
        /// The values of `action_text`.
        case logOn = "LOG_ON", approve = "APPROVE", confirm = "CONFIRM", accept = "ACCEPT", sign = "SIGN"
    }

    /// A text that the user signs, and its type. The transaction token contains its hash.
    public struct TransactionText: Equatable, Sendable {
        /// The text, before it is encoded in base64.
        public var content: [UInt8]
        /// The type of the text (`transaction_text_type`), one of those that the broker defines.
        public var type: String

        /// Creates a text that the user signs.
        ///
        /// - Parameters:
        ///   - content: The text. The broker signs the hash of exactly these bytes.
        ///   - type: The type of the text.
        public init(_ content: [UInt8], type: String) {
            (self.content, self.type) = (content, type)
        }
    }

    /// The switch to MitID's app; nil if the user opens the app, and returns from it, by themselves.
    public var appSwitch: AppSwitch?
    /// The text, of at most 130 characters, that informs the user about the service to which they log in.
    public var referenceText: String?
    /// The lowest accepted level of the login; the broker's default is `substantial`. If ``authenticatorLevel`` is set too,
    /// this property takes precedence.
    public var level: NSISLevel?
    /// The lowest accepted level of the authenticator.
    public var authenticatorLevel: NSISLevel?
    /// Whether the user raises the level of an earlier login; requires `prompt=login`.
    public var stepsUp = false
    /// The UUID by which MitID identifies the user who must log in (`uuid_hint`). A login whose response names another user
    /// (`mitid.uuid`) fails with `subjectMismatch`. A response without the claim cannot be compared, and is accepted.
    public var uuidHint: String?
    /// The civil registration number of the user who must log in (`cpr_hint`), for encrypted and back-channel requests only. A
    /// login whose response has another number (`dk.cpr`, which the scope `ssn` returns) fails with `subjectMismatch`. Without
    /// the scope nothing can be compared.
    public var cprHint: CPRNumber?
    /// Whether the login must be valid for payments (`require_psd2`). A response that does not confirm it (`mitid.psd2`) fails
    /// with `claimMissing`, and one that denies it with `claimUnexpected`.
    public var requiresPSD2 = false
    /// The verb that MitID's app shows (`action_text`); nil for the broker's default.
    public var action: Action?
    /// The text that the user signs. The transaction token then contains its hash.
    public var transactionText: TransactionText?

    /// Creates parameters without values, with which the broker's defaults apply.
    public init() {}

    /// The parameters as a JSON object, in the order of the broker's documentation.
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("mitid")
        writer.beginObject()
        if let appSwitch {
            writer.name("enable_app_switch")
            writer.bool(true)
            writer.member("app_switch_os", appSwitch.system.rawValue)
            writer.member("app_switch_url", appSwitch.url)
        }
        if let referenceText { writer.member("reference_text", Self.base64(referenceText)) }
        if let level { writer.member("loa_value", level.parameter) }
        if let authenticatorLevel { writer.member("aal_value", authenticatorLevel.parameter) }
        if stepsUp {
            writer.name("enable_step_up")
            writer.bool(true)
        }
        if let uuidHint { writer.member("uuid_hint", uuidHint) }
        if let cprHint { writer.member("cpr_hint", cprHint.digits) }
        if requiresPSD2 {
            writer.name("require_psd2")
            writer.bool(true)
        }
        if let action { writer.member("action_text", action.rawValue) }
        if let transactionText {
            writer.member("transaction_text", Base64.encode(transactionText.content.span))
            writer.member("transaction_text_type", transactionText.type)
        }
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    /// The JSON object as a value of a query: all characters except the unreserved ones are percent-encoded, once.
    public var percentEncoded: String { FormText.encoded(String(decoding: json, as: UTF8.self)) }

    private static func base64(_ text: String) -> String {
        let bytes = Array(text.utf8)
        return Base64.encode(bytes.span)
    }
}

extension MitIDParameters: CustomStringConvertible, CustomReflectable {
    /// Only the name of the type, because the values are personal data.
    public var description: String { "MitIDParameters" }
    /// An empty mirror: the values are secret or personal.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
