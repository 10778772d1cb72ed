#if SAML
    internal import JOSE
    package import JOSERelyingParty

    /// The key with which a service signs its messages, in the process or outside it.
    package struct SAMLSigner: Sendable {
        private enum Key: Sendable {
            case local(SAMLKey)
            case external(CheckedSigner, Certificate)
        }
        private let key: Key

        /// Creates a signer with a key in the process.
        ///
        /// - Throws: `keyUnsuitable` if the key must not sign.
        init(_ key: SAMLKey) throws(RelyingPartyError) {
            guard KeySelection.unsuitability(of: .privateKey(key.key), for: .rs256, .sign) == nil else {
                throw RelyingPartyError(.keyUnsuitable, in: .configuration, action: .fixConfiguration)
            }
            self.key = .local(key)
        }

        /// Creates a signer with a key outside the process.
        ///
        /// - Throws: `keyUnsuitable` unless the key is an RSA key of 2048 to 8192 bits that may sign, and the
        ///   certificate is its own.
        init(_ signer: any ExternalSigner, certificate: Certificate) throws(RelyingPartyError) {
            do throws(RelyingPartyError.Reason) {
                let checked = try RedirectSignature.signer(signer)
                // The certificate is one with which messages can be verified.
                _ = try SAMLCertificate(certificate)
                guard (try? certificate.publicKey()) == signer.publicKey else { throw .keyUnsuitable }
                key = .external(checked, certificate)
            } catch {
                throw RelyingPartyError(error, in: .configuration, action: .fixConfiguration)
            }
        }

        /// The certificate of the key in the service's SAML metadata.
        var certificate: Certificate {
            switch key {
            case .local(let key): key.certificate
            case .external(_, let certificate): certificate
            }
        }

        /// The key that decrypts what was encrypted to the certificate; nil if it is outside the process.
        var decryptionKey: SAMLKey? {
            if case .local(let key) = key { key } else { nil }
        }

        /// Signs a message, and returns it.
        package func sign(_ draft: SAMLDraft) async throws(RelyingPartyError.Reason) -> [UInt8] {
            try draft.element.endSignature(try await sign(RedirectSignature(octets: draft.element.beginSignature())))
            return try draft.document.write()
        }

        /// Signs the octets of a query, and returns the signature in base64.
        func sign(_ query: RedirectSignature) async throws(RelyingPartyError.Reason) -> String {
            switch key {
            case .local(let key): try query.sign(with: key.key)
            case .external(let signer, _): try await query.sign(with: signer)
            }
        }
    }

    /// A message with an empty signature, which names the key of a certificate.
    package struct SAMLDraft {
        let document: XMLDocument
        let element: XMLElement

        /// Creates a draft of a message whose root is to be signed.
        init(_ writer: XMLWriter) throws(RelyingPartyError.Reason) {
            document = try writer.document()
            element = document.root
        }

        /// Creates a draft of a message in a SOAP envelope.
        init(envelope content: (inout XMLWriter) -> Void) throws(RelyingPartyError.Reason) {
            document = try SOAPEnvelope.written(content).document()
            element = try SOAPEnvelope.body(of: document)
        }

        /// Signs the message with a key in the process, and returns it.
        package func signed(with key: SAMLKey) throws(RelyingPartyError.Reason) -> [UInt8] {
            try element.sign(with: key)
            return try document.write()
        }
    }
#endif
