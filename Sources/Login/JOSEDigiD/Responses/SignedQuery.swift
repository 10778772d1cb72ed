#if SAML
    internal import JOSE
    internal import JOSESupport
    internal import JOSERelyingParty

    /// A received query with a signed message (SAML 2.0 Bindings, 3.4.4.1). The signature covers the octets of the
    /// parameters as they were received, in a fixed order.
    struct SignedQuery {
        /// The percent-decoded message.
        let message: String
        private let octets: [UInt8]
        private let signature: String

        /// Reads a query, without the `?`.
        ///
        /// - Parameters:
        ///   - query: The query as it was received.
        ///   - name: The parameter of the message.
        /// - Throws: `tooLarge`, `malformed`, `missingParameter`, `duplicateParameter`, and `algorithmNotAllowed`.
        init(_ query: String, _ name: ParameterName) throws(RelyingPartyError.Reason) {
            guard query.utf8.count <= 16_384 else { throw .tooLarge }
            let wanted: [ParameterName] = [name, "RelayState", "SigAlg", "Signature"]
            var found: [ParameterName: (raw: [UInt8], text: String)] = [:]
            for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
                let pair = Array(pair)
                guard let key = wanted.first(where: { pair.starts(with: ($0.description + "=").utf8) }) else {
                    continue
                }
                guard found[key] == nil else { throw .duplicateParameter(key) }
                guard let text = RedirectSignature.decoded(Array(pair[(key.description.utf8.count + 1)...])) else {
                    throw .malformed
                }
                found[key] = (pair, text)
            }
            func part(_ key: ParameterName) throws(RelyingPartyError.Reason) -> (raw: [UInt8], text: String) {
                guard let part = found[key], !part.text.isEmpty else { throw .missingParameter(key) }
                return part
            }
            message = try part(name).text
            signature = try part("Signature").text
            let algorithm = try part("SigAlg")
            guard bytesEqual(algorithm.text, RedirectSignature.algorithm) else { throw .algorithmNotAllowed }
            let signed = [try part(name).raw] + (found["RelayState"].map { [$0.raw] } ?? []) + [algorithm.raw]
            octets = Array(signed.joined(separator: [UInt8(ascii: "&")]))
        }

        /// Throws `signatureInvalid` unless the key of one of the certificates has signed the query.
        func verify(by certificates: [SAMLCertificate]) throws(RelyingPartyError.Reason) {
            var failure = RelyingPartyError.Reason.keyNotFound
            for certificate in certificates {
                guard let key = try? certificate.certificate.publicKey() else { continue }
                do throws(RelyingPartyError.Reason) {
                    return try RedirectSignature(octets: octets).verify(signature, with: key)
                } catch {
                    failure = error
                }
            }
            throw failure
        }
    }
#endif
