package import JOSEKeySets

/// Remedies for a key set that cannot be fetched: those of the library, or the option of the command that corrects the
/// failure.
package enum KeySetRemedy {
    package static func text(_ error: KeySetError) -> String { "\(error); remedy: \(remedy(error))" }

    package static func remedy(_ error: KeySetError) -> String {
        switch error {
        case .transport(.bodyTooLarge), .refused(.tooLarge):
            "check that the URL is that of the key set, or raise the limit: --max-keys COUNT"
        case .transport(let error): remedy(error)
        case .urlInvalid: "\(error.remedy); for http on this machine: --allow-loopback-http"
        case .deadlineExceeded: "raise the timeout: --timeout SECONDS"
        case .discovery(.issuerInvalid): "\(error.remedy); for http on this machine: --allow-loopback-http"
        case .discovery(.missing): "give the URL of its JWKS instead: --keys, or keys fetch URL"
        case .refused(.privateKey): "\(error.remedy) (bulla key public)"
        default: error.remedy
        }
    }

    static func remedy(_ error: TransportError) -> String {
        switch error {
        case .schemeNotAllowed: "use https; for http on this machine: --allow-loopback-http"
        case .tls(.untrusted): "give the root certificates of its issuer: --ca FILE"
        case .connectDeadlineExceeded, .deadlineExceeded: "raise the timeout: --timeout SECONDS"
        case .addressNotAllowed: "use https; http is for this machine only, and link-local addresses are never allowed"
        default: error.remedy
        }
    }
}
