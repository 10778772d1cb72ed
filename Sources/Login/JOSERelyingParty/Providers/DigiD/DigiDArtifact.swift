internal import JOSEBytes
internal import JOSECrypto

/// A reference to an answer, for who has the service's certificate to fetch (SAML 2.0 Bindings, 3.6.4.2). Used once.
package struct DigiDArtifact: Sendable {
    /// As it came, and as it is resolved.
    package let text: String

    /// What an artifact must be.
    package enum Form: Sendable {
        /// 44 bytes of type 4, of the first endpoint, of the provider.
        case exact
        /// Base64 of at most 256 characters: the interface's own sample is shorter than its text says.
        case anyLength
    }

    /// `entityID`: DigiD's; of another the artifact is `issuerMismatch`.
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

    /// For who plays DigiD. `handle`: 20 bytes that nobody can guess.
    package init(entityID: String, handle: [UInt8]) throws(RelyingPartyError.Reason) {
        precondition(handle.count == 20)
        let bytes = try [0, 4, 0, 0] + Self.sourceID(entityID) + handle
        text = Base64.encode(bytes.span)
    }

    /// SHA-1 names the provider here, and proves nothing.
    private static func sourceID(_ entityID: String) throws(RelyingPartyError.Reason) -> [UInt8] {
        do throws(CryptoError) { return try Hash.sha1.digest(entityID.utf8.span) } catch { throw .internalFault }
    }

    /// What DigiD's app brings where it shows what a login is like, without one.
    package static let demo = "demo"
}

extension DigiDArtifact: CustomStringConvertible, CustomReflectable {
    package var description: String { "DigiDArtifact" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
