package import JOSERelyingParty
internal import JOSESupport

extension MitIDParameters {
    /// Creates parameters from a JSON object, or from a JSON string that contains one, as in a published sample. Every
    /// member must have its documented type: a string in place of a Boolean is rejected, for example. Members that the
    /// broker does not document are ignored.
    ///
    /// - Parameter text: The JSON text, of at most 65 536 bytes.
    /// - Throws: `tooLarge`, and `invalidParameter` with the name of the invalid member, or with `idp_params` if the
    ///   text is neither of these.
    package init(parsing text: [UInt8]) throws(RelyingPartyError) {
        do throws(RelyingPartyError.Reason) { try self.init(json: text) } catch {
            throw RelyingPartyError(error, in: .request)
        }
    }

    init(json text: [UInt8]) throws(RelyingPartyError.Reason) { try self.init(parsing: text, mayBeString: true) }

    private init(parsing text: [UInt8], mayBeString: Bool) throws(RelyingPartyError.Reason) {
        let fault = RelyingPartyError.Reason.invalidParameter("idp_params")
        guard text.count <= 65_536 else { throw .tooLarge }
        if mayBeString, text.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "\"") {
            let list = [UInt8(ascii: "[")] + text + [UInt8(ascii: "]")]
            guard let only = try? JSONArray(parsing: list.span), only.values.count == 1,
                let inner = only.values[0].stringBytes(in: list.span)
            else { throw fault }
            try self.init(parsing: inner, mayBeString: false)
            return
        }
        guard let whole = try? JSONObject(parsing: text.span) else { throw fault }
        let own = try Self.members("mitid", of: whole, text)
        let business = try Self.members("mitid_erhverv", of: whole, text)
        guard own != nil || business != nil else { throw fault }
        try self.init(Reader(members: own ?? [], text: text))
        allowsPrivate = try Reader(members: business ?? [], text: text).bool("allow_private") ?? false
    }

    /// Returns the members of a member that is an object; nil if it is absent.
    private static func members(
        _ name: StaticString, of whole: JSONObject, _ text: [UInt8]
    ) throws(RelyingPartyError.Reason) -> [JSONMember]? {
        guard let value = whole.first(name, in: text.span) else { return nil }
        guard let members = value.object(in: text.span) else { throw .invalidParameter("idp_params") }
        return members
    }

    private init(_ reader: Reader) throws(RelyingPartyError.Reason) {
        if try reader.bool("enable_app_switch") ?? false {
            guard let os = try reader.string("app_switch_os") else { throw Reader.invalid("app_switch_os") }
            guard let system = AppSwitch.System(rawValue: os) else { throw Reader.invalid("app_switch_os") }
            guard let url = try reader.string("app_switch_url") else { throw Reader.invalid("app_switch_url") }
            appSwitch = AppSwitch(system, url: url)
        }
        if let bytes = try reader.base64("reference_text") {
            guard isUTF8(bytes.span) else { throw Reader.invalid("reference_text") }
            referenceText = String(decoding: bytes, as: UTF8.self)
        }
        level = try reader.one("loa_value") { NSISLevel(parameter: $0) }
        authenticatorLevel = try reader.one("aal_value") { NSISLevel(parameter: $0) }
        stepsUp = try reader.bool("enable_step_up") ?? false
        uuidHint = try reader.string("uuid_hint")
        cprHint = try reader.one("cpr_hint") { CPRNumber($0) }
        requiresPSD2 = try reader.bool("require_psd2") ?? false
        action = try reader.one("action_text") { Action(rawValue: $0) }
        if let content = try reader.base64("transaction_text") {
            guard let type = try reader.string("transaction_text_type") else {
                throw Reader.invalid("transaction_text_type")
            }
            transactionText = TransactionText(content, type: type)
        }
    }

    private struct Reader {
        let members: [JSONMember]
        let text: [UInt8]

        static func invalid(_ name: StaticString) -> RelyingPartyError.Reason {
            .invalidParameter(ParameterName(name.description))
        }

        func bool(_ name: StaticString) throws(RelyingPartyError.Reason) -> Bool? {
            guard let value = members.first(name, in: text.span) else { return nil }
            guard let truth = value.bool() else { throw Self.invalid(name) }
            return truth
        }

        func string(_ name: StaticString) throws(RelyingPartyError.Reason) -> String? {
            guard let value = members.first(name, in: text.span) else { return nil }
            guard let string = value.string(in: text.span) else { throw Self.invalid(name) }
            return string
        }

        func base64(_ name: StaticString) throws(RelyingPartyError.Reason) -> [UInt8]? {
            try one(name) { Base64.decode(Array($0.utf8)) }
        }

        func one<Value>(_ name: StaticString, _ make: (String) -> Value?) throws(RelyingPartyError.Reason) -> Value? {
            guard let string = try string(name) else { return nil }
            guard let value = make(string) else { throw Self.invalid(name) }
            return value
        }
    }
}
