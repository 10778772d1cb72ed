import JOSESupport

func contents(of secret: borrowing SecretBytes) -> [UInt8] {
    secret.withBytes { bytes in bytes.indices.map { bytes[$0] } }
}

/// Returns the fault of a text; nil where it is accepted.
func fault(_ text: String, _ limits: JSONLimits = JSONLimits()) -> JSONFault? {
    fault(Array(text.utf8), limits)
}

func fault(_ text: [UInt8], _ limits: JSONLimits = JSONLimits()) -> JSONFault? {
    do throws(JSONFault) {
        _ = try JSONObject(parsing: text.span, limits: limits)
        return nil
    } catch {
        return error
    }
}

/// Returns a text with the one member `v`, to read its value.
struct OneValue {
    let text: [UInt8]
    let value: JSONValue

    init(_ json: String) throws {
        let text = Array("{\"v\":\(json)}".utf8)
        self.text = text
        value = try JSONObject(parsing: text.span).members[0].value
    }

    var string: String? { value.string(in: text.span) }
    var stringBytes: [UInt8]? { value.stringBytes(in: text.span) }
    var number: Double? { value.number(in: text.span) }
    var integer: Int64? { value.integer(in: text.span) }
    var array: [JSONValue]? { value.array(in: text.span) }
    var object: [JSONMember]? { value.object(in: text.span) }

    func equals(_ other: String) -> Bool {
        let other = Array(other.utf8)
        return value.equals(other.span, in: text.span)
    }
}
