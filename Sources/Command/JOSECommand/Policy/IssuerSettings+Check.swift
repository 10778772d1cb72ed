import JOSE
import JOSESettings
import JOSETokens

extension IssuerSettings {
    /// Returns the check of a token.
    ///
    /// - Parameter requirement: The signatures that must be valid, in place of what the options require.
    func check(requirement: SignatureRequirement? = nil) throws(CommandFailure) -> TokenCheck {
        guard isOfBytes else {
            let verifier = try verifier()
            return patient(.token(verifier, BatchVerifier(verifier)))
        }
        try refuseClaimOptions()
        let decrypter = form.isEncrypted ? try decrypter() : nil
        let verifier = form.isSigned ? try layerVerifier(requirement) : nil
        return patient(arguments.has(Options.json) ? .json(decrypter, verifier) : .layers(decrypter, verifier))
    }

    /// Returns the check, extended by the wait for new keys if the keys are a remote JWKS.
    func patient(_ check: TokenCheck) -> TokenCheck { source.map { .fetched(check, $0) } ?? check }
}
