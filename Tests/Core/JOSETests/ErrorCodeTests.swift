import JOSE
import Testing

@Suite("Error codes of the module JOSE") struct ErrorCodeTests {
    private static let codes: [(JOSEError, String)] = [
        (.malformed(ParseFailure(.token, .parts)), "malformed"),
        (.limitExceeded(.tokenBytes), "limit_exceeded"),
        (.headerInvalid(.algorithmMissing), "header_invalid"),
        (.algorithmNotAllowed(.signature), "algorithm_not_allowed"),
        (.criticalHeaderUnknown, "critical_header_unknown"),
        (.keyNotFound, "key_not_found"),
        (.keysUnavailable(.notFetched), "keys_unavailable"),
        (.keyUnsuitable(.kind), "key_unsuitable"),
        (.configurationInvalid(.noKeys), "configuration_invalid"),
        (.keyInvalid(.numbers), "key_invalid"),
        (.certificateInvalid(.untrusted), "certificate_invalid"),
        (.certificateInvalid(.revoked), "certificate_revoked"),
        (.certificateInvalid(.statusUnknown), "certificate_unknown"),
        (.certificateInvalid(.statusOutdated), "certificate_status_stale"),
        (.certificateInvalid(.statusUntrusted), "responder_not_authorized"),
        (.signatureInvalid, "signature_invalid"),
        (.decryptionFailed, "decryption_failed"),
        (.decompressionFailed, "decompression_failed"),
        (.externalKey(.signatureForm), "external_key_failure"),
        (.overloaded(.busy), "overloaded"),
        (.cancelled, "task_cancelled"),
        (.backend, "backend_failure"),
    ]

    @Test("each error has its own code, in lower-case ASCII words joined by underscores") func codes() {
        for (error, code) in Self.codes { #expect(error.code == code) }
        #expect(Set(Self.codes.map(\.1)).count == Self.codes.count)
        for (_, code) in Self.codes {
            #expect(code.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") })
        }
    }

    @Test("an error code does not depend on the associated value") func associatedValues() {
        #expect(JOSEError.keyInvalid(.noStore(scheme: "pkcs11")).code == JOSEError.keyInvalid(.numbers).code)
        #expect(JOSEError.overloaded(.timedOut).code == JOSEError.overloaded(.busy).code)
    }
}
