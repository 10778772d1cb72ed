package import JOSE
internal import JOSECrypto
package import JOSERelyingParty
internal import JOSESupport

/// The signature of the redirect binding (SAML 2.0 Bindings, 3.4.4.1), which covers the encoded query. DigiD's app
/// passes on decoded values, which DigiD encodes again. The signature is therefore valid only over DigiD's own
/// encoding, which leaves unreserved characters as they are, and writes upper-case hexadecimal digits.
package struct RedirectSignature: Sendable {
    /// The URI of RSASSA-PKCS1-v1_5 with SHA-256 (RFC 9231, 2.3.2).
    package static let algorithm = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"

    /// The octets that are signed.
    package let octets: [UInt8]

    /// Creates the octets to sign from the decoded values of the query.
    package init(samlRequest: String, relayState: String?) {
        self.init("SAMLRequest", samlRequest, relayState: relayState)
    }

    /// Creates the octets to sign of a message with another parameter, such as `SAMLResponse`.
    package init(_ name: String, _ message: String, relayState: String? = nil) {
        var fields = [(name: name, value: message)]
        if let relayState { fields.append(("RelayState", relayState)) }
        fields.append(("SigAlg", Self.algorithm))
        octets = Array(FormText.write(fields).utf8)
    }

    /// Creates a value for verification from the octets of a received query.
    package init(octets: [UInt8]) { self.octets = octets }

    /// Returns the URL of an endpoint with the signed query.
    ///
    /// - Parameters:
    ///   - location: The URL of the endpoint, which may have a query.
    ///   - signature: The signature in base64.
    package func url(of location: String, signature: String) -> String {
        location + (location.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + String(decoding: octets, as: UTF8.self)
            + "&Signature=" + FormText.encoded(signature)
    }

    /// Returns the percent-decoded text of a parameter; nil if it is malformed.
    package static func decoded(_ text: [UInt8]) -> String? { FormText.decoded(text.span) }

    /// Signs the octets and returns the signature in base64.
    ///
    /// - Throws: `keyUnsuitable` unless the key is an RSA key of at least 2048 bits that may sign.
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

    /// Returns a key outside the process as one that signs octets. Its signatures are verified before they are used.
    ///
    /// - Throws: `keyUnsuitable` unless the key is an RSA key of at least 2048 bits that may sign.
    package static func signer(_ key: any ExternalSigner) throws(RelyingPartyError.Reason) -> CheckedSigner {
        do throws(JOSEError) {
            return try CheckedSigner(key, .rs256)
        } catch {
            throw RelyingPartyError.Reason(error)
        }
    }

    /// Signs the octets with a key outside the process, which has no time limit, and returns the signature in base64.
    ///
    /// - Throws: `internalFault` if the key does not sign, and `interrupted` if the task is cancelled.
    package func sign(with signer: CheckedSigner) async throws(RelyingPartyError.Reason) -> String {
        do throws(JOSEError) {
            let signature = try await signer.signature(octets, until: nil)
            return Base64.encode(signature.span)
        } catch {
            throw RelyingPartyError.Reason(error)
        }
    }

    /// Verifies a signature, given in base64.
    ///
    /// - Throws: `signatureInvalid` if the signature is not valid, `malformed` if it is not base64, and `keyUnsuitable`
    ///   if the key is not an RSA key of at least 2048 bits that may verify.
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
