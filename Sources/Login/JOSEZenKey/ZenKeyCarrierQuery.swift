internal import JOSE
internal import JOSERelyingParty

/// A query to ZenKey's discovery service for a user's carrier.
package struct ZenKeyCarrierQuery: Sendable {
    /// An instruction to the discovery page.
    package enum Prompt: String, Sendable {
        /// An instruction to ask the user again (`ask`), or not to ask the user (`none`).
        case ask = "true", none = "false"
        /// The view with which the page begins: the list of carriers, a code to scan, the user's devices, or the
        /// porting of a number.
        case picker, visualCode = "visual_code", device, porting
    }

    /// The network of the SIM in the user's device; nil if it is not known, in which case the user is asked.
    package var network: MobileNetwork?
    /// The subject (`sub`) of the user who must log in; nil if the service does not know it.
    package var subject: String?
    /// The user's IP address, as the service sees it.
    package var ipAddress: String?
    /// The version of the SDK, which is reported to the carriers (`sdk_version`).
    package var sdkVersion: String?
    /// The instruction to the discovery page; nil for none. A query with an instruction is never answered from the
    /// cache, because the result depends on the user.
    package var prompt: Prompt?

    /// Creates a query for a network.
    ///
    /// - Parameter network: The network of the SIM in the user's device; nil if it is not known.
    package init(network: MobileNetwork? = nil) { self.network = network }

    /// Whether the answer depends on the network alone.
    var isOfNetworkAlone: Bool { network != nil && subject == nil && ipAddress == nil && prompt == nil }

    func url(of address: String, clientID: String) -> String {
        CarrierAddress.adding(
            [
                ("client_id", clientID), ("mccmnc", network?.digits), ("sub", subject), ("ip", ipAddress),
                ("sdk_version", sdkVersion), ("prompt", prompt?.rawValue),
            ], to: address)
    }
}

/// The construction of URLs with a query.
enum CarrierAddress {
    /// Returns a URL with those parameters whose values are not nil, in their order, each percent-encoded once.
    static func adding(_ parameters: [(String, String?)], to address: String) -> String {
        let query = FormText.write(parameters.compactMap { name, value in value.map { (name: name, value: $0) } })
        return address + (address.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + query
    }
}

extension ZenKeyCarrierQuery: Redacted {}
