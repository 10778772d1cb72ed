/// What discovery is asked: whose carrier.
public struct CarrierQuery: Sendable {
    /// What the discovery page is to do when it is shown.
    public enum Prompt: String, Sendable {
        /// Ask anew, or not at all.
        case ask = "true", none = "false"
        /// Begin with the list of carriers, with a code to scan, or with the user's devices; or port a number.
        case picker, visualCode = "visual_code", device, porting
    }

    /// From the SIM; nil: not known, and the user will be asked.
    public var network: MobileNetwork?
    /// The user's `sub`, where the service knows who is to log in.
    public var subject: String?
    /// The user's address, as the service sees it.
    public var ipAddress: String?
    /// `sdk_version`: for the carriers' information.
    public var sdkVersion: String?
    /// With one, what is remembered of a network is left alone: the answer is this user's.
    public var prompt: Prompt?

    /// Of a network, and nothing besides.
    public init(network: MobileNetwork? = nil) { self.network = network }

    /// An answer to anything else is not the network's.
    var isOfNetworkAlone: Bool { network != nil && subject == nil && ipAddress == nil && prompt == nil }

    func url(of address: String, clientID: String) -> String {
        CarrierAddress(address).adding([
            ("client_id", clientID), ("mccmnc", network?.digits), ("sub", subject), ("ip", ipAddress),
            ("sdk_version", sdkVersion), ("prompt", prompt?.rawValue),
        ])
    }
}

/// A URL that gets a query of ours.
struct CarrierAddress {
    private let text: String

    init(_ text: String) { self.text = text }

    /// Those that are there, in this order, each escaped once.
    func adding(_ parameters: [(String, String?)]) -> String {
        var url = text
        var hasQuery = text.utf8.contains(UInt8(ascii: "?"))
        for (name, value) in parameters {
            guard let value else { continue }
            url += (hasQuery ? "&" : "?") + name + "=" + Self.escaped(value)
            hasQuery = true
        }
        return url
    }

    /// All but RFC 3986's unreserved characters.
    static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
