import JOSEBytes

/// A generator of numbers that look random and are the same in every run.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) } }
}

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
