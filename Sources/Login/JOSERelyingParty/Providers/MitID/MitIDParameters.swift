internal import JOSEBytes

/// `idp_params` of a login with MitID: how its client is to behave. What is not set is not sent.
public struct MitIDParameters: Equatable, Sendable {
    /// From the browser tab to MitID's app and back (`enable_app_switch`, `app_switch_os`, `app_switch_url`).
    public struct AppSwitch: Equatable, Sendable {
        /// What the phone runs.
        public enum System: String, Sendable {
            /// As `app_switch_os` spells it.
            case iOS = "ios", android
        }
        /// Which form of link ``url`` is.
        public var system: System
        /// The service app's universal or app link, which brings the tab forward; the result does not come this way.
        public var url: String

        /// An https URL of those that ``MitIDAppLinks`` allows.
        public init(_ system: System, url: String) {
            (self.system, self.url) = (system, url)
        }
    }

    /// The verb that MitID's app shows.
    public enum Action: String, CaseIterable, Sendable {
        /// As `action_text` spells it.
        case logOn = "LOG_ON", approve = "APPROVE", confirm = "CONFIRM", accept = "ACCEPT", sign = "SIGN"
    }

    /// What the user signs, and which `type` of text it is. Its hash comes back in the transaction token.
    public struct TransactionText: Equatable, Sendable {
        /// The text itself, before base64.
        public var content: [UInt8]
        /// `transaction_text_type`, one of the broker's.
        public var type: String

        /// The broker signs the hash of these very bytes.
        public init(_ content: [UInt8], type: String) {
            (self.content, self.type) = (content, type)
        }
    }

    /// Nil: the user finds the way to MitID's app and back.
    public var appSwitch: AppSwitch?
    /// What the user is told about what they log in to; at most 130 characters.
    public var referenceText: String?
    /// The least that will do; the broker's default is `substantial`. Where both are set, this one counts.
    public var level: NSISLevel?
    /// The least of the means alone.
    public var authenticatorLevel: NSISLevel?
    /// The user adds to what they proved before; with `prompt=login` alone.
    public var stepsUp = false
    /// MitID's own identifier of the user who is to log in (`uuid_hint`). A login whose answer names another (`mitid.uuid`) is
    /// `subjectMismatch`. An answer that names none cannot be compared, and passes.
    public var uuidHint: String?
    /// The civil registration number of the user who is to log in (`cpr_hint`), in encrypted and back-channel requests alone. A login
    /// whose answer has another number (`dk.cpr`, which the scope `ssn` returns) is `subjectMismatch`; without the scope nothing can be
    /// compared.
    public var cprHint: CPRNumber?
    /// Whether the login must be one for payments (`require_psd2`). An answer that does not say so (`mitid.psd2`) is `claimMissing`, and
    /// one that denies it `claimUnexpected`.
    public var requiresPSD2 = false
    /// `action_text`; nil: the broker's own.
    public var action: Action?
    /// For the user to sign; the transaction token then has its hash.
    public var transactionText: TransactionText?

    /// Nothing set: the broker's defaults.
    public init() {}

    /// The JSON object, in the order of the broker's documentation.
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

    /// The same as a query's value: all but unreserved characters encoded, once.
    public var percentEncoded: String { FormText.encoded(String(decoding: json, as: UTF8.self)) }

    private static func base64(_ text: String) -> String {
        let bytes = Array(text.utf8)
        return Base64.encode(bytes.span)
    }
}

extension MitIDParameters: CustomStringConvertible, CustomReflectable {
    /// Says nothing of the user.
    public var description: String { "MitIDParameters" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
