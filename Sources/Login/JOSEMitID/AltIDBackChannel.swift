package import JOSE
internal import JOSEKeySets
public import JOSERelyingParty
internal import JOSESupport

/// The way in which a service shows an age proof that its back end begins (`flow_type`).
public enum AltIDFlow: String, Sendable {
    /// A link, which a browser or the wallet opens (`authentication_uri`).
    case link = "authentication_uri"
    /// A page of the broker, which the service embeds in a frame (`iframe_src`).
    case iframe

    /// The member of the response that has the URL.
    fileprivate var member: ParameterName {
        switch self {
        case .link: "authentication_uri"
        case .iframe: "iframe_src"
        }
    }

    /// Returns whether a browser may be sent to a URL. A URL of another scheme, such as `javascript:`, would run in the
    /// page of the service.
    fileprivate func accepts(_ text: String) -> Bool {
        // Of printable ASCII, these are no characters of a URI (RFC 3986, 2). They could end an attribute of a page.
        let others = Array("\"<>\\^`{|}".utf8)
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !others.contains($0) }) else { return false }
        if case .link = self, text.utf8.starts(with: "av:".utf8), text.utf8.count > 3 { return true }
        guard let url = WebURL(text) else { return false }
        return url.scheme == .https && !url.hasUserInformation
    }
}

/// The format of an image with a QR code (`qr_code_response`).
public enum AltIDQRCode: String, Sendable {
    /// PNG, or SVG. A page shows an SVG image in an `img` element, where it cannot run scripts.
    case png, svg
}

/// An age proof that the back end began, and what the service shows to the user.
public struct AltIDPendingProof: Sendable {
    /// The pending proof, whose handle the service stores in the session for
    /// `RelyingParty.pollAltIDAgeProof(_:session:)`.
    public let pending: BackChannelLogin
    /// The URL of the link, with the scheme `https` or `av`, or that of the frame, with the scheme `https`.
    public let url: String
    /// The bytes of the image with the QR code; nil if none was requested.
    public let qrCode: [UInt8]?
}

/// The result of `RelyingParty.pollAltIDAgeProof(_:session:)`.
public enum AltIDProofPoll: Equatable, Sendable {
    /// The user has not decided yet. A poll before `nextPoll` sends no request to the provider.
    case pending(nextPoll: NumericDate)
    /// The answer for each requested age.
    case age(MitIDAge)

    /// The answer; nil while the proof is pending.
    public var age: MitIDAge? { if case .age(let age) = self { age } else { nil } }
}

extension RelyingParty {
    /// Begins an age proof from the back end (CIBA), with the profile `ProviderProfile.altIDAge(_:)`. No hint names
    /// the user: whoever opens the link proves an age.
    ///
    /// - Parameters:
    ///   - request: The request, which `LoginRequest.altIDAge(atLeast:)` returns. It may have the parameter
    ///     `reference_id`.
    ///   - flow: The way in which the service shows the proof.
    ///   - qrCode: The format of an image with a QR code of the link; nil for none.
    ///   - session: A secret of the session that begins the proof, of at least 16
    ///     bytes. Only this session receives the result.
    /// - Returns: The pending proof, with the URL for the user.
    /// - Throws: `configurationError` if the relying party has another profile or the secret is too short;
    ///   `invalidParameter`, with the name of a member of the response if a URL has another scheme; `missingParameter`;
    ///   or the error of the provider or the store.
    public func beginAltIDAgeProof(
        _ request: LoginRequest, flow: AltIDFlow, qrCode: AltIDQRCode? = nil, session: String
    ) async throws(RelyingPartyError) -> AltIDPendingProof {
        guard !profile.isLogin, let rules = profile.backChannel else {
            throw RelyingPartyError(.configurationError, in: .request)
        }
        var request = request
        request["flow_type"] = flow.rawValue
        request["qr_code_response"] = qrCode?.rawValue
        let (pending, shown) = try await begin(request, rules, session) { (answer) throws(RelyingPartyError.Reason) in
            try AltIDShown(answer, flow, qrCode)
        }
        return AltIDPendingProof(pending: pending, url: shown.url, qrCode: shown.qrCode)
    }

    /// Asks the provider for the result of an age proof that the back end began, as `poll(_:session:)` does for a
    /// login.
    ///
    /// - Parameters:
    ///   - handle: The handle of the proof (``AltIDPendingProof/pending``).
    ///   - session: The secret of the session that began the proof.
    /// - Returns: The answer for each requested age, or the time of the next poll while the proof is pending.
    /// - Throws: `configurationError` if the relying party has another profile, and the errors of `poll(_:session:)`.
    public func pollAltIDAgeProof(
        _ handle: String, session: String
    ) async throws(RelyingPartyError) -> AltIDProofPoll {
        guard !profile.isLogin else { throw RelyingPartyError(.configurationError, in: .tokenResponse) }
        switch try await pollRequest(handle, session: session) {
        case .pending(let next): return .pending(nextPoll: next)
        case .user(let proof):
            guard let age = proof.mitIDAge else { throw RelyingPartyError(.internalFault, in: .idToken) }
            return .age(age)
        }
    }
}

/// The members of a response that the service shows to the user.
private struct AltIDShown: Sendable {
    let url: String
    let qrCode: [UInt8]?

    init(_ answer: JSONAnswer, _ flow: AltIDFlow, _ format: AltIDQRCode?) throws(RelyingPartyError.Reason) {
        url = try answer.required(flow.member)
        guard flow.accepts(url) else { throw .invalidParameter(flow.member) }
        guard format != nil else {
            qrCode = nil
            return
        }
        guard let image = Base64.decode(Array(try answer.required("qr_b64").utf8)), !image.isEmpty else {
            throw .invalidParameter("qr_b64")
        }
        qrCode = image
    }
}

extension AltIDPendingProof: Redacted {}
