package import JOSE
internal import JOSEBytes
internal import JOSECrypto

/// The signature of the redirect binding (SAML 2.0 Bindings, 3.4.4.1), over the encoded query. DigiD's app carries decoded values, and DigiD
/// encodes them anew: only its own encoding verifies, which leaves unreserved characters and writes hexadecimal digits as capitals.
package struct RedirectSignature: Sendable {
    /// RSA with SHA-256 (RFC 9231, 2.3.2).
    package static let algorithm = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"

    /// What is signed.
    package let octets: [UInt8]

    package init(samlRequest: String, relayState: String?) {
        var fields = [(name: "SAMLRequest", value: samlRequest)]
        if let relayState { fields.append(("RelayState", relayState)) }
        fields.append(("SigAlg", Self.algorithm))
        octets = Array(FormText.write(fields).utf8)
    }

    /// As a query brought it.
    package init(octets: [UInt8]) { self.octets = octets }

    /// Base64. `keyUnsuitable` for any key but RSA of 2048 bits or more that may sign.
    package func sign(with key: PrivateKey) throws(RelyingPartyError.Reason) -> String {
        guard KeySelection.unsuitability(of: .privateKey(key), for: .rs256, .sign) == nil,
            case .asymmetric(let rsa) = key.material
        else { throw .keyUnsuitable }
        do throws(CryptoError) {
            let signature = try rsa.sign(.rs256, octets.span)
            return Base64.encode(signature.span)
        } catch {
            throw .internalFault
        }
    }

    /// `signatureInvalid` for one that does not hold.
    package func verify(_ signature: String, with key: PublicKey) throws(RelyingPartyError.Reason) {
        guard KeySelection.unsuitability(of: .publicKey(key), for: .rs256, .verify) == nil,
            case .asymmetric(let rsa) = key.material
        else { throw .keyUnsuitable }
        guard let bytes = Base64.decode(Array(signature.utf8)) else { throw .malformed }
        do throws(CryptoError) {
            try rsa.verify(.rs256, octets.span, signature: bytes.span)
        } catch {
            throw error == .invalid ? .signatureInvalid : .internalFault
        }
    }
}
