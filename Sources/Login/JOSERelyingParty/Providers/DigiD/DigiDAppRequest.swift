public import JOSE
internal import JOSEBytes
internal import JOSEKeySets

/// The request that a service's app passes to DigiD's app: a SAML request and its signature, as the value of the parameter
/// `app-app`. It is created when the user taps the button, because DigiD accepts it for one minute.
public struct DigiDAppRequest: Sendable {
    /// The URL of the service's icon, which DigiD's app shows.
    public let icon: String
    /// The URL to which DigiD's app returns.
    public let returnURL: String
    /// The SAML request in DEFLATE and base64, as the redirect binding has it before percent-encoding (SAML 2.0 Bindings,
    /// 3.4.4.1).
    public let samlRequest: String
    /// The test environment of DigiD; nil in production.
    public let host: String?
    /// The value that DigiD's app returns unchanged.
    public let relayState: String?
    /// The signature algorithm of the redirect binding; nil if the request contains its signature.
    public let signatureAlgorithm: String?
    /// The signature of the redirect binding in base64; nil if the request contains its signature.
    public let signature: String?

    /// Creates a request with a signature over the exact octets of the redirect binding.
    ///
    /// - Parameters:
    ///   - app: The app in which the user is.
    ///   - samlRequest: The SAML request in DEFLATE and base64.
    ///   - relayState: The value that DigiD's app returns: 1 to 80 letters, digits and characters of `._~-`.
    ///   - host: The test environment of DigiD; nil in production.
    ///   - key: An RSA key of at least 2048 bits that may sign.
    /// - Throws: `invalidParameter(RelayState)` for any other value, and `keyUnsuitable` for any other key.
    public init(
        of app: DigiDApp, samlRequest: String, relayState: String?, host: String? = nil, signedBy key: PrivateKey
    ) throws(RelyingPartyError) {
        do throws(RelyingPartyError.Reason) {
            try self.init(app, samlRequest: samlRequest, relayState: relayState, host: host, signingKey: key)
        } catch {
            throw RelyingPartyError(error, in: .request)
        }
    }

    package init(
        _ app: DigiDApp, samlRequest: String, relayState: String?, host: String?, signingKey key: PrivateKey
    ) throws(RelyingPartyError.Reason) {
        let signature = try RedirectSignature(samlRequest: samlRequest, relayState: relayState).sign(with: key)
        try self.init(
            app, samlRequest, relayState, host, algorithm: RedirectSignature.algorithm, signature: signature)
    }

    /// Creates a request that contains its own signature, as the interface after 3.7 has it. It requires a `RelayState`.
    package init(
        of app: DigiDApp, signedRequest: String, relayState: String, host: String? = nil
    ) throws(RelyingPartyError.Reason) {
        try self.init(app, signedRequest, relayState, host, algorithm: nil, signature: nil)
    }

    private init(
        _ app: DigiDApp, _ request: String, _ relayState: String?, _ host: String?, algorithm: String?,
        signature: String?
    ) throws(RelyingPartyError.Reason) {
        if let relayState { try Self.checkRelayState(relayState) }
        (icon, returnURL) = (app.icon, app.returnURL)
        samlRequest = request
        self.host = host
        self.relayState = relayState
        signatureAlgorithm = algorithm
        self.signature = signature
    }

    private static func checkRelayState(_ text: String) throws(RelyingPartyError.Reason) {
        let holds =
            (1...80).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
        guard holds else { throw .invalidParameter("RelayState") }
    }

    /// The value of the parameter `app-app`, which consists of letters and digits alone.
    public var value: String {
        var members = [("Icon", icon), ("ReturnUrl", returnURL), ("SAMLRequest", samlRequest)]
        for (name, value) in [
            ("Host", host), ("RelayState", relayState), ("SigAlg", signatureAlgorithm), ("Signature", signature),
        ] {
            if let value { members.append((name, value)) }
        }
        return AppText.write(members.map { (name: $0.0, value: $0.1) })
    }

    /// Returns the link that the service's app opens.
    ///
    /// - Parameter base: The link of DigiD's app.
    /// - Throws: `tooLarge` for a link of more than 2000 characters, which browsers on the way may not support.
    public func link(to base: String = DigiDAppRequest.base) throws(RelyingPartyError) -> String {
        let link = "\(base)?\(AppText.parameter)=\(value)"
        guard link.utf8.count <= Self.linkLimit else { throw RelyingPartyError(.tooLarge, in: .request) }
        return link
    }

    /// The link of DigiD's app, which is the same in all environments.
    public static let base = "https://app.digid.nl/digid-app"
    static let linkLimit = 2000

    /// Reads a link, for a stand-in of DigiD's app. The names are case-sensitive. The signature is not checked.
    package init(link: String) throws(RelyingPartyError.Reason) {
        guard link.utf8.count <= Self.linkLimit else { throw .tooLarge }
        let query = link.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
        let found = try AppText.read(try AppText.value(inQuery: Array(query)), Self.names)
        func text(_ name: String) throws(RelyingPartyError.Reason) -> String {
            guard let text = found[name], !text.isEmpty else { throw .missingParameter(ParameterName(name)) }
            return text
        }
        icon = try text("Icon")
        returnURL = try text("ReturnUrl")
        samlRequest = try text("SAMLRequest")
        (host, relayState) = (found["Host"], found["RelayState"])
        (signatureAlgorithm, signature) = (found["SigAlg"], found["Signature"])
        if let relayState { try Self.checkRelayState(relayState) }
        guard (signatureAlgorithm == nil) == (signature == nil) else { throw .missingParameter("Signature") }
    }

    private static let names = ["Icon", "ReturnUrl", "SAMLRequest", "Host", "RelayState", "SigAlg", "Signature"]
}

extension DigiDAppRequest: CustomStringConvertible, CustomReflectable {
    /// The return URL, without the request.
    public var description: String { "DigiDAppRequest(\(returnURL))" }
    /// An empty mirror: the values are secret or personal.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
