public import JOSE
internal import JOSEBytes
internal import JOSECrypto

/// Whether the key of a transaction token was its certificate holder's when the token was made: what lets a token be shown years later, when
/// the broker no longer publishes the key. The key itself is that of the set that TLS brought, or the one kept since.
public struct MitIDEvidence: Sendable {
    /// Authorities that may have issued the certificate; each is believed whether self-signed or not. The broker's set has none of them.
    public let issuers: [Certificate]
    /// The longest time between the token's `iat` and the production of the OCSP response.
    public var tolerance: Duration = .seconds(3_600)

    /// The authorities are the caller's to choose: none is built in.
    public init(issuers: [Certificate]) { self.issuers = issuers }

    /// Throws `keyUnsuitable` where the key has no certificate or is not named by it, `certificateUnknown` where no issuer issued that or
    /// the response is about another, `certificateRevoked`, `certificateStatusStale`, `responderNotAuthorized`, and
    /// `signatureInvalid` and `malformed` of the response. `issuedAt` is the token's, `response` the token answer's
    /// `transaction_token_ocsp_resp`.
    public func check(key: JWK, issuedAt: NumericDate, response: String) throws(RelyingPartyError) {
        guard let chain = key.certificates, let keyID = key.keyID,
            keyID.utf8.elementsEqual(Self.name(of: chain.leaf).utf8)
        else { throw Self.fault(.keyUnsuitable) }
        let issuer = try issuer(of: chain.leaf, at: issuedAt)
        let text = Array(response.utf8)
        guard text.count <= Certificate.statusByteLimit, let der = Base64.decode(text) else {
            throw Self.fault(.malformed)
        }
        do throws(X509StatusFault) {
            try chain.leaf.checkStatus(der, issuer: issuer, at: issuedAt.secondsSince1970, within: tolerance.inSeconds)
        } catch {
            throw Self.fault(RelyingPartyError.Reason(error))
        }
    }

    /// The broker's `kid`: the SHA-1 of the certificate in upper-case hexadecimal digits.
    static func name(of certificate: Certificate) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var name: [UInt8] = []
        for byte in certificate.sha1Thumbprint { name += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        return String(decoding: name, as: UTF8.self)
    }

    private func issuer(of leaf: Certificate, at time: NumericDate) throws(RelyingPartyError) -> Certificate {
        for issuer in issuers {
            guard let trust = try? CertificateTrust(roots: [issuer], clock: .fixed(time)),
                let chain = try? CertificateChain([leaf, issuer]), (try? trust.verify(chain)) != nil
            else { continue }
            return issuer
        }
        throw Self.fault(.certificateUnknown)
    }

    private static func fault(_ failure: RelyingPartyError.Reason) -> RelyingPartyError {
        RelyingPartyError(failure, in: .transactionToken)
    }
}

extension RelyingPartyError.Reason {
    fileprivate init(_ fault: X509StatusFault) {
        self =
            switch fault {
            case .malformed: .malformed
            case .responder: .responderNotAuthorized
            case .signature: .signatureInvalid
            case .otherCertificate, .unknown, .backend: .certificateUnknown
            case .revoked: .certificateRevoked
            case .stale: .certificateStatusStale
            }
    }
}
