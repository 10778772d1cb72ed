internal import JOSERelyingParty
internal import JOSESupport

/// The encoding of the JSON objects that the two apps exchange: base64 (RFC 4648, 4) that consists of letters and
/// digits alone. DigiD does not percent-decode everywhere, and some ways turn a `+` into a space; a value without `%`,
/// `+`, `/` and padding arrives unchanged.
///
/// A group of six bits is 62 or 63 only if a byte has its high bit set, or if the last of three bytes is `>`, `?`, `~`
/// or DEL. None of these bytes is ever written. Spaces behind the JSON take the place of padding.
enum AppText {
    static func write(_ members: [(name: String, value: String)]) -> String {
        var json: [UInt8] = [UInt8(ascii: "{")]
        for (index, member) in members.enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            append(member.name, to: &json)
            json.append(UInt8(ascii: ":"))
            append(member.value, to: &json)
        }
        json.append(UInt8(ascii: "}"))
        while !json.count.isMultiple(of: 3) { json.append(UInt8(ascii: " ")) }
        return Base64.encode(json.span)
    }

    private static func append(_ text: String, to json: inout [UInt8]) {
        json.append(UInt8(ascii: "\""))
        for unit in text.utf16 {
            switch unit {
            case 0x22, 0x5C: json += [UInt8(ascii: "\\"), UInt8(unit)]
            case 0x3E, 0x3F, 0x7E, 0x7F..., ..<0x20: escape(unit, to: &json)
            default: json.append(UInt8(unit))
            }
        }
        json.append(UInt8(ascii: "\""))
    }

    private static func escape(_ unit: UInt16, to json: inout [UInt8]) {
        json += [UInt8(ascii: "\\"), UInt8(ascii: "u")]
        for shift in [12, 8, 4, 0] as [UInt16] {
            let digit = UInt8(unit >> shift & 15)
            json.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }

    /// Returns the members of an object whose names are in `names` and whose values are not `null`. Other members are
    /// ignored.
    static func read(_ value: [UInt8], _ names: [String]) throws(RelyingPartyError.Reason) -> [String: String] {
        var text = value
        // Form decoding turns each `+` into a space.
        for index in text.indices where text[index] == UInt8(ascii: " ") { text[index] = UInt8(ascii: "+") }
        if !text.contains(UInt8(ascii: "=")) {
            while !text.count.isMultiple(of: 4) { text.append(UInt8(ascii: "=")) }
        }
        guard let json = Base64.decode(text) else { throw .malformed }
        let object: JSONObject
        do throws(JSONFault) {
            object = try JSONObject(parsing: json.span, limits: JSONLimits(depth: 4, members: 32))
        } catch {
            guard error.reason == .duplicateName else { throw .malformed }
            // Only a known name is reported. Any other was chosen by the sender of the link.
            let quoted = json[min(error.offset, json.count)...].drop { $0 == UInt8(ascii: "\"") }
            guard let name = names.first(where: { quoted.starts(with: ($0 + "\"").utf8) }) else { throw .malformed }
            throw .duplicateParameter(ParameterName(name))
        }
        var found: [String: String] = [:]
        for name in names {
            guard let value = object.first(name.utf8.span, in: json.span), value.kind != .null else { continue }
            guard let text = value.string(in: json.span) else { throw .malformed }
            found[name] = text
        }
        return found
    }

    /// The parameter of a link that contains the object.
    static let parameter: ParameterName = "app-app"

    /// Returns the percent-decoded value of the only parameter `app-app` of the query of a link to DigiD's app. A `+`
    /// is not decoded.
    static func value(inQuery query: [UInt8]) throws(RelyingPartyError.Reason) -> [UInt8] {
        var found: [UInt8]?
        for pair in query.split(separator: UInt8(ascii: "&")) {
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            guard try percentDecoded(pair[..<equals]).elementsEqual(parameter.description.utf8) else { continue }
            guard found == nil else { throw .duplicateParameter(parameter) }
            found = try percentDecoded(equals < pair.endIndex ? pair[(equals + 1)...] : [])
        }
        guard let found, !found.isEmpty else { throw .missingParameter(parameter) }
        return found
    }

    private static func percentDecoded(_ text: ArraySlice<UInt8>) throws(RelyingPartyError.Reason) -> [UInt8] {
        guard let bytes = FormText.percentDecoded(text.span, plus: UInt8(ascii: "+")) else { throw .malformed }
        return bytes
    }
}
