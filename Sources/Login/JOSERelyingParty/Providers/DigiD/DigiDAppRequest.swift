public import JOSE
internal import JOSEBytes
internal import JOSEKeySets

/// What a service's app hands to DigiD's: the SAML request and its signature, in the value of `app-app`. Made anew at the tap, for it is old
/// after a minute.
public struct DigiDAppRequest: Sendable {
    /// What DigiD's app shows of the service.
    public let icon: String
    /// Where it goes back to.
    public let returnURL: String
    /// DEFLATE and base64, as the redirect binding has it before its encoding (SAML 2.0 Bindings, 3.4.4.1).
    public let samlRequest: String
    /// Which of DigiD's test environments; nil in production.
    public let host: String?
    /// Given back as it is.
    public let relayState: String?
    /// The redirect binding's; nil where the signature is in the request.
    public let signatureAlgorithm: String?
    /// Base64.
    public let signature: String?

    /// Signed over the exact octets of the redirect binding. Throws `invalidParameter(RelayState)` for more than 80 characters, or others
    /// than letters, digits and `._~-`; `keyUnsuitable` for a key that does not sign with RSA of 2048 bits or more.
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

    /// With the signature in the request itself, as the later interface has it: there `RelayState` must be.
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

    /// The value of `app-app`: of letters and digits alone.
    public var value: String {
        var members = [("Icon", icon), ("ReturnUrl", returnURL), ("SAMLRequest", samlRequest)]
        for (name, value) in [
            ("Host", host), ("RelayState", relayState), ("SigAlg", signatureAlgorithm), ("Signature", signature),
        ] {
            if let value { members.append((name, value)) }
        }
        return AppText.write(members.map { (name: $0.0, value: $0.1) })
    }

    /// The link that the app opens. `base`: of DigiD's app. Throws `tooLarge` above 2000 characters, which no browser on the way would carry.
    public func link(to base: String = DigiDAppRequest.base) throws(RelyingPartyError) -> String {
        let link = "\(base)?\(AppText.parameter)=\(value)"
        guard link.utf8.count <= Self.linkLimit else { throw RelyingPartyError(.tooLarge, in: .request) }
        return link
    }

    /// DigiD's app, of every environment.
    public static let base = "https://app.digid.nl/digid-app"
    static let linkLimit = 2000

    /// What stands in a link: for who plays DigiD's app. The names are taken by their case; of the signature nothing is checked here.
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
    /// Without the request.
    public var description: String { "DigiDAppRequest(\(returnURL))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
