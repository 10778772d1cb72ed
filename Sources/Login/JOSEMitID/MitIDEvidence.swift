public import JOSE
internal import JOSECrypto
public import JOSERelyingParty
internal import JOSESupport

/// A check that the certificate of the key that signed a transaction token was valid when the token was issued.
///
/// After this check, the token can serve as evidence years later, when the broker no longer publishes the key. The key
/// comes from the key set that was fetched over TLS, or from the service's own archive.
public struct MitIDEvidence: Sendable {
    /// The certificate authorities that may have issued the certificate. Each of them is trusted, even if it is not
    /// self-signed. None of them is taken from the broker's key set.
    package let issuers: [Certificate]
    /// The largest difference between the token's `iat` and the time at which the OCSP response was produced.
    public var tolerance: Duration = .seconds(3_600)

    /// Creates a check with the certificate authorities that the service trusts. There are none by default.
    ///
    /// - Parameter issuers: The certificates of the trusted authorities.
    public init(issuers: [Certificate]) { self.issuers = issuers }

    /// Checks that the certificate of the key that signed a transaction token was valid, and not revoked, when the
    /// token was issued.
    ///
    /// - Parameters:
    ///   - key: The key that verified the token.
    ///   - issuedAt: The `iat` of the token.
    ///   - response: The OCSP response in base64, from the member `transaction_token_ocsp_resp` of the token response.
    /// - Throws: `keyUnsuitable` if the key has no certificate or its `kid` is not the certificate's SHA-1 thumbprint,
    ///   `certificateUnknown` if no trusted authority issued the certificate or the response is about another one,
    ///   `certificateRevoked`, `certificateStatusStale`, `responderNotAuthorized`, and `signatureInvalid` or
    ///   `malformed` for the response.
    public func check(key: JWK, issuedAt: NumericDate, response: String) throws(RelyingPartyError) {
        guard let chain = key.certificates, let keyID = key.keyID,
            bytesEqual(keyID, Self.name(of: chain.leaf))
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

    /// Returns the broker's `kid` of a certificate: its SHA-1 digest in upper-case hexadecimal digits.
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
