internal import JOSE
internal import JOSERelyingParty
internal import JOSESupport

/// The parameters of a login with MitID (`idp_params`), which control MitID's client. A parameter without a value is
/// not sent.
public struct MitIDParameters: Equatable, Sendable {
    /// A switch from the browser tab to MitID's app and back (`enable_app_switch`, `app_switch_os`, `app_switch_url`).
    public struct AppSwitch: Equatable, Sendable {
        /// An operating system of a phone, as the broker names it (`app_switch_os`).
        public enum System: String, Sendable {
            /// The operating system iOS or Android, as a value of `app_switch_os`.
            case iOS = "ios", android
        }
        /// The operating system of the phone, which determines the form of ``url``.
        package var system: System
        /// The universal link (iOS) or app link (Android) of the service's app, which MitID's app opens to bring the
        /// browser tab to the foreground. The link does not carry the result of the login.
        package var url: String

        /// Creates an app switch.
        ///
        /// - Parameters:
        ///   - system: The operating system of the phone.
        ///   - url: An https URL that ``MitIDAppLinks`` allows.
        public init(_ system: System, url: String) {
            (self.system, self.url) = (system, url)
        }
    }

    /// A verb for the user's action, which MitID's app shows.
    public enum Action: String, CaseIterable, Sendable {
        /// The verb to log on, approve, confirm, accept or sign, as a value of `action_text`.
        case logOn = "LOG_ON", approve = "APPROVE", confirm = "CONFIRM", accept = "ACCEPT", sign = "SIGN"
    }

    /// A text that the user signs, and its type. The transaction token contains the hash of the text.
    public struct TransactionText: Equatable, Sendable {
        /// The text, before it is encoded in base64.
        package var content: [UInt8]
        /// The type of the text, which is one of those that the broker defines (`transaction_text_type`).
        package var type: String

        /// Creates a text that the user signs.
        ///
        /// - Parameters:
        ///   - content: The text. The broker signs the hash of exactly these bytes.
        ///   - type: The type of the text, which is one of those that the broker defines.
        public init(_ content: [UInt8], type: String) {
            (self.content, self.type) = (content, type)
        }
    }

    /// The switch to MitID's app; nil if the user opens MitID's app and returns from it manually.
    public var appSwitch: AppSwitch?
    /// A text of at most 130 Unicode scalars that tells the user to which service they log in (`reference_text`).
    public var referenceText: String?
    /// The lowest accepted level of assurance of the login (`loa_value`); nil for the broker's default, which is
    /// `substantial`. If ``authenticatorLevel`` is set too, only this level is checked.
    public var level: NSISLevel?
    /// The lowest accepted level of assurance of the authenticator (`aal_value`). It is checked only if ``level`` is
    /// nil.
    public var authenticatorLevel: NSISLevel?
    /// Whether the login raises the level of an earlier login (`enable_step_up`), which requires `prompt=login`.
    public var stepsUp = false
    /// The UUID by which MitID identifies the user who must log in (`uuid_hint`). If the response contains another UUID
    /// (`mitid.uuid`), the login fails with `subjectMismatch`. If it contains none, the login is accepted without a
    /// comparison.
    public var uuidHint: String?
    /// The civil registration number of the user who must log in (`cpr_hint`), for encrypted and back-channel requests
    /// only. If the response contains another number (`dk.cpr`, which the scope `ssn` requests), the login fails with
    /// `subjectMismatch`. If it contains none, the login is accepted without a comparison.
    public var cprHint: CPRNumber?
    /// Whether the login must be valid for payments under PSD2 (`require_psd2`). If the response does not state this
    /// (`mitid.psd2`), the login fails with `claimMissing`; if the response denies it, with `claimUnexpected`.
    public var requiresPSD2 = false
    /// The verb that MitID's app shows (`action_text`); nil for the broker's default.
    public var action: Action?
    /// The text that the user signs (`transaction_text`); nil for none. The transaction token then contains the hash of
    /// the text.
    public var transactionText: TransactionText?

    /// Whether a login with MitID Erhverv may be that of a private person (`allow_private`).
    public var allowsPrivate = false

    /// Creates parameters without values, so that the broker's defaults apply.
    public init() {}

    /// The parameters as a JSON object, in the order of the broker's documentation.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        if hasMitIDMembers || !allowsPrivate {
            writer.name("mitid")
            writer.beginObject()
            writeMembers(to: &writer)
            writer.endObject()
        }
        if allowsPrivate {
            writer.name("mitid_erhverv")
            writer.beginObject()
            writer.name("allow_private")
            writer.bool(true)
            writer.endObject()
        }
        writer.endObject()
        return writer.bytes
    }

    /// Whether the member `mitid` has a value.
    var hasMitIDMembers: Bool {
        var members = self
        members.allowsPrivate = false
        return members != MitIDParameters()
    }

    /// Writes the members of `mitid`.
    private func writeMembers(to writer: inout JSONWriter) {
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
    }

    /// The JSON object as the value of a query parameter, in which all characters except the unreserved ones are
    /// percent-encoded once.
    package var percentEncoded: String { FormText.encoded(String(decoding: json, as: UTF8.self)) }

    private static func base64(_ text: String) -> String {
        let bytes = Array(text.utf8)
        return Base64.encode(bytes.span)
    }
}

extension MitIDParameters: Redacted {}

extension MitIDParameters.TransactionText: Redacted {}
