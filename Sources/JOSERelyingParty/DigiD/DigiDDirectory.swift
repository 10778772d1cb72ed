internal import JOSE
internal import JOSEBytes
internal import JOSEKeySets
internal import JOSETokens

/// DigiD, whose metadata are signed (RFC 8414, 2.1): what is read of them is what the pinned key has signed.
struct DigiDDirectory: ProviderDirectory {
    private let single: SingleProvider
    private let verifier: Verifier?

    init(_ settings: DirectorySettings, pinned: KeySet?) throws(RelyingPartyError) {
        guard pinned != nil || !settings.place.isProduction else {
            throw RelyingPartyError(.configurationError, in: .configuration)
        }
        single = try SingleProvider(settings)
        verifier = pinned.map { Verifier(keys: $0, policy: SignaturePolicy(algorithms: [.rs256])) }
    }

    func provider(_ hint: String?) async throws(RelyingPartyError) -> Provider {
        let provider = try await single.provider(hint)
        do throws(RelyingPartyFailure) { try check(provider.metadata) } catch {
            throw RelyingPartyError(error, in: .discovery)
        }
        return provider
    }

    /// What the document announces of algorithms is not looked at: it is wrong there.
    private func check(_ metadata: IssuerMetadata) throws(RelyingPartyFailure) {
        guard let verifier else { return }
        let document = try JSONAnswer(metadata.json)
        let jws = try document.required("signed_metadata")
        let payload: [UInt8]
        do throws(JOSEError) { payload = try verifier.verify(jws).payload } catch {
            throw RelyingPartyFailure(error)
        }
        let signed = try JSONAnswer(payload)
        for name in ["issuer", "authorization_endpoint", "token_endpoint", "jwks_uri"] {
            guard let said = document.string(name), let held = signed.string(name), sameBytes(said, held) else {
                throw .discoveryMismatch
            }
        }
    }
}
