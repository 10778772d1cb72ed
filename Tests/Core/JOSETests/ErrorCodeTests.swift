import JOSE
import Testing

@Suite("Error codes of the module JOSE") struct ErrorCodeTests {
    private static let codes: [(JOSEError, String)] = [
        (.malformed(ParseFailure(.token, .parts)), "malformed"),
        (.limitExceeded(.tokenBytes), "limit_exceeded"),
        (.headerInvalid(.algorithmMissing), "header_alg_missing"),
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
        (.externalKey(.signature(.notDER)), "external_key_failure"),
        (.externalKey(.awaitRequired), "await_required"),
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

    @Test("a fault of the header has a code and a text that name the header parameter") func headerParameters() {
        let faults: [(HeaderFault, names: [String])] = [
            (.algorithmMissing, ["alg"]), (.contentEncryptionMissing, ["enc"]), (.contentEncryptionDiffers, ["enc"]),
            (.critical, ["crit"]), (.b64, ["b64"]), (.ephemeralKey, ["epk"]), (.agreementInfo, ["apu", "apv"]),
            (.keyWrap, ["iv", "tag"]), (.password, ["p2s", "p2c"]), (.compression, ["zip"]),
            (.compressionNotBuilt, ["zip"]), (.type, ["typ"]), (.contentType, ["cty"]),
        ]
        for (fault, names) in faults {
            let error = JOSEError.headerInvalid(fault)
            #expect(error.code == fault.code && error.code.hasPrefix("header_"))
            for name in names {
                #expect(error.code.split(separator: "_").contains(Substring(name)), "\(error.code)")
                #expect("\(error)".contains(name), "\(error)")
            }
        }
        #expect(Set(faults.map(\.0.code)).count == faults.count)
        // Of a member of another JSON type the text has the name, which is one of the registry.
        #expect(
            "\(JOSEError.headerInvalid(.memberType("x5t#S256")))" == "header invalid: x5t#S256 has the wrong JSON type")
    }

    @Test("an error code does not depend on the associated value, except for a certificate, a header and an await")
    func associatedValues() {
        #expect(JOSEError.keyInvalid(.noStore(scheme: "pkcs11")).code == JOSEError.keyInvalid(.numbers).code)
        #expect(JOSEError.externalKey(.timedOut).code == JOSEError.externalKey(.signatureInvalid).code)
        #expect(JOSEError.overloaded(.timedOut).code == JOSEError.overloaded(.busy).code)
    }
}
