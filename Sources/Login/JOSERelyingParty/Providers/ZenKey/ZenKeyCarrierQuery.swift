/// What discovery is asked: whose carrier.
public struct ZenKeyCarrierQuery: Sendable {
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
        CarrierAddress.adding(
            [
                ("client_id", clientID), ("mccmnc", network?.digits), ("sub", subject), ("ip", ipAddress),
                ("sdk_version", sdkVersion), ("prompt", prompt?.rawValue),
            ], to: address)
    }
}

/// A URL that gets a query of ours.
enum CarrierAddress {
    /// Those that are there, in this order, each escaped once.
    static func adding(_ parameters: [(String, String?)], to address: String) -> String {
        let query = FormText.write(parameters.compactMap { name, value in value.map { (name: name, value: $0) } })
        return address + (address.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + query
    }
}
