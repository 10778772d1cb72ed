public import JOSE
internal import JOSEKeySets
public import JOSERelyingParty
internal import JOSESupport

/// The request that a service's app passes to DigiD's app: a SAML request and its signature, as the value of the
/// parameter `app-app`. Create it when the user taps the login button, because DigiD accepts it for one minute only.
public struct DigiDAppRequest: Sendable {
    /// The URL of the service's icon, which DigiD's app shows during the login.
    package let icon: String
    /// The return URL: the universal link or app link of the service's app, which DigiD's app opens when the login has
    /// ended.
    package let returnURL: String
    /// The SAML request, compressed with DEFLATE and encoded in base64, as it is before percent-encoding in the
    /// redirect binding (SAML 2.0 Bindings, 3.4.4.1).
    package let samlRequest: String
    /// The name of DigiD's test environment (`Host`); nil in production.
    package let host: String?
    /// The `RelayState` of the request, which DigiD's app returns unchanged.
    package let relayState: String?
    /// The URI of the signature algorithm in the redirect binding (`SigAlg`); nil if the SAML request contains its own
    /// signature.
    package let signatureAlgorithm: String?
    /// The signature in the redirect binding, in base64; nil if the SAML request contains its own signature.
    package let signature: String?

    /// Creates a request and signs the octets that the redirect binding specifies.
    ///
    /// - Parameters:
    ///   - app: The app that the user is using.
    ///   - samlRequest: The SAML request, compressed with DEFLATE and encoded in base64.
    ///   - relayState: The value that DigiD's app returns unchanged: 1 to 80 letters, digits and characters of `._~-`;
    ///     nil for none.
    ///   - host: The name of DigiD's test environment; nil in production.
    ///   - key: The signing key: RSA with at least 2048 bits.
    /// - Throws: `invalidParameter(RelayState)` if `relayState` has another form, and `keyUnsuitable` if `key` is of
    ///   another kind, is too short, or must not sign.
    public init(
        of app: DigiDApp, samlRequest: String, relayState: String?, host: String? = nil, signedBy key: PrivateKey
    ) throws(RelyingPartyError) {
        do throws(RelyingPartyError.Reason) {
            let signature = try RedirectSignature(samlRequest: samlRequest, relayState: relayState).sign(with: key)
            try self.init(
                of: app, samlRequest: samlRequest, relayState: relayState, host: host, signature: signature)
        } catch {
            throw RelyingPartyError(error, in: .request)
        }
    }

    /// Creates a request. A key outside the process signs the octets that the redirect binding specifies.
    ///
    /// - Parameters:
    ///   - app: The app that the user is using.
    ///   - samlRequest: The SAML request, compressed with DEFLATE and encoded in base64.
    ///   - relayState: The value that DigiD's app returns unchanged: 1 to 80 letters, digits and characters of `._~-`;
    ///     nil for none.
    ///   - host: The name of DigiD's test environment; nil in production.
    ///   - signer: The signing key: RSA with at least 2048 bits. The algorithm is RS256.
    /// - Throws: `invalidParameter(RelayState)` if `relayState` has another form, `keyUnsuitable` if the key is of
    ///   another kind, is too short, or must not sign, and `internalFault` or `interrupted` if it does not sign.
    public init(
        of app: DigiDApp, samlRequest: String, relayState: String?, host: String? = nil,
        signedBy signer: any ExternalSigner
    ) async throws(RelyingPartyError) {
        do throws(RelyingPartyError.Reason) {
            let octets = RedirectSignature(samlRequest: samlRequest, relayState: relayState)
            let signature = try await octets.sign(with: RedirectSignature.signer(signer))
            try self.init(
                of: app, samlRequest: samlRequest, relayState: relayState, host: host, signature: signature)
        } catch {
            throw RelyingPartyError(error, in: .request)
        }
    }

    /// Creates a request with a signature, in base64, over the octets that the redirect binding specifies.
    package init(
        of app: DigiDApp, samlRequest: String, relayState: String?, host: String?, signature: String
    ) throws(RelyingPartyError.Reason) {
        try self.init(
            app, samlRequest, relayState, host, algorithm: RedirectSignature.algorithm, signature: signature)
    }

    /// Creates a request that contains its own signature, as DigiD's SAML interface after version 3.7 requires. It must
    /// have a `RelayState`.
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
        guard (1...80).contains(text.utf8.count), text.isAlphanumeric(or: "._~-") else {
            throw .invalidParameter("RelayState")
        }
    }

    /// The value of the parameter `app-app`, which consists of letters and digits alone.
    package var value: String {
        var members = [("Icon", icon), ("ReturnUrl", returnURL), ("SAMLRequest", samlRequest)]
        for (name, value) in [
            ("Host", host), ("RelayState", relayState), ("SigAlg", signatureAlgorithm), ("Signature", signature),
        ] {
            if let value { members.append((name, value)) }
        }
        return AppText.write(members.map { (name: $0.0, value: $0.1) })
    }

    /// Returns the link that the service's app opens to start DigiD's app.
    ///
    /// - Parameter base: The link of DigiD's app, without a query.
    /// - Throws: `tooLarge` if the link has more than 2000 bytes, because not every browser supports longer links.
    public func link(to base: String = "https://app.digid.nl/digid-app") throws(RelyingPartyError) -> String {
        let link = "\(base)?\(AppText.parameter)=\(value)"
        guard link.utf8.count <= Self.linkLimit else { throw RelyingPartyError(.tooLarge, in: .request) }
        return link
    }

    /// The link of DigiD's app, which is the same in all environments.
    package static let base = "https://app.digid.nl/digid-app"
    static let linkLimit = 2000

    /// Parses a link, for a simulator of DigiD's app. The parameter names are case-sensitive, and the signature is not
    /// verified.
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

extension DigiDAppRequest: Redacted {}
