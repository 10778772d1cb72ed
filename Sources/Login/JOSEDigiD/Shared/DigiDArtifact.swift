internal import JOSE
internal import JOSECrypto
package import JOSERelyingParty
internal import JOSESupport

/// A SAML artifact: a reference to a response, which only a client with the service's certificate can resolve (SAML 2.0
/// Bindings, 3.6.4.2). An artifact is used once.
package struct DigiDArtifact: Sendable {
    /// The artifact in base64, exactly as it was received.
    package let text: String

    /// The accepted form of artifacts.
    package enum Form: Sendable {
        /// An artifact of 44 bytes with type code 4, endpoint index 0 and the source ID of the provider.
        case exact
        /// Any base64 text of at most 256 characters, because the sample in DigiD's interface specification is shorter
        /// than the specification requires.
        case anyLength
    }

    /// Creates an artifact from a received text.
    ///
    /// - Parameters:
    ///   - text: The artifact in base64.
    ///   - entityID: The entity ID of DigiD.
    ///   - form: The accepted form.
    /// - Throws: `malformed` if the text does not have the accepted form, and `issuerMismatch` if the artifact is of
    ///   another provider.
    package init(_ text: String, entityID: String, form: Form = .exact) throws(RelyingPartyError.Reason) {
        guard text.utf8.count <= 256, let bytes = Base64.decode(Array(text.utf8)), !bytes.isEmpty else {
            throw .malformed
        }
        if form == .exact {
            guard bytes.count == 44, bytes.starts(with: [0, 4, 0, 0]) else { throw .malformed }
            guard bytes[4..<24].elementsEqual(try Self.sourceID(entityID)) else { throw .issuerMismatch }
        }
        self.text = text
    }

    /// Creates an artifact, for a simulator of DigiD.
    ///
    /// - Parameters:
    ///   - entityID: The entity ID of the provider.
    ///   - handle: 20 random bytes.
    package init(entityID: String, handle: [UInt8]) throws(RelyingPartyError.Reason) {
        precondition(handle.count == 20)
        let bytes = try [0, 4, 0, 0] + Self.sourceID(entityID) + handle
        text = Base64.encode(bytes.span)
    }

    /// Returns the source ID of a provider: the SHA-1 digest of its entity ID, which only names it.
    private static func sourceID(_ entityID: String) throws(RelyingPartyError.Reason) -> [UInt8] {
        do throws(CryptoError) { return try Hash.sha1.digest(entityID.utf8.span) } catch { throw .internalFault }
    }

    /// The artifact that DigiD's app returns in its demonstration mode, in which no user logs in.
    package static let demo = "demo"
}

extension DigiDArtifact: Redacted {}
