import JOSE
import JOSETokens
import TestSupport
import Testing

@Suite("Retryable errors") struct RetryableErrorTests {
    /// One of each, and whether it is retryable.
    static let errors: [(JOSEError, Bool)] = [
        (.malformed(ParseFailure(.token, .parts)), false), (.limitExceeded(.tokenBytes), false),
        (.limitExceeded(.iterations), false), (.headerInvalid(.critical), false), (.headerInvalid(.type), false),
        (.algorithmNotAllowed(.signature), false), (.criticalHeaderUnknown, false), (.keyNotFound, false),
        (.keysUnavailable(.notFetched), true), (.keysUnavailable(.expired), true), (.keysUnavailable(.closed), true),
        (.keysUnavailable(.noSigningKey), true), (.keysUnavailable(.refreshIncomplete), true),
        (.keyUnsuitable(.curve), false), (.keyUnsuitable(.tooSmall), false), (.configurationInvalid(.noKeys), false),
        (.keyInvalid(.numbers), false),
        (.certificateInvalid(.notYetValid), false), (.certificateInvalid(.revoked), false),
        (.certificateInvalid(.statusUnknown), false), (.certificateInvalid(.statusOutdated), false),
        (.certificateInvalid(.statusUntrusted), false), (.signatureInvalid, false), (.decryptionFailed, false),
        (.decompressionFailed, false), (.cancelled, true),
        (.externalKey(.failed(ExternalCause(CancellationError()))), true),
        (.externalKey(.timedOut), true), (.externalKey(.awaitRequired), false),
        (.externalKey(.signatureInvalid), false),
        (.overloaded(.busy), true), (.overloaded(.queueFull), true), (.overloaded(.timedOut), true), (.backend, true),
    ]
    static let others: [(TokenError, Bool)] = [
        (.claim(.expired), false), (.claim(.notYetValid), false), (.claim(.issuedInFuture("iat")), false),
        (.claim(.lifetimeTooLong), false), (.claim(.expiresTooSoon), false),
        (.claims([.issuerMismatch]), false),
        (.claim(.missing("sub")), false), (.claim(.invalid("sub")), false), (.claim(.audienceMismatch), false),
        (.issuerUnknown, false), (.policyInvalid(.leeway), false), (.awaitRequired, false),
        (.notDecodable(CodingFailure(.other)), false), (.notEncodable(CodingFailure(.other)), false),
        (.cancelled, true),
        (.replay(.seen), false),
        (.replay(.shareFull), true), (.replay(.storeFull), true),
        (.replay(.storeUnavailable), true), (.disclosure(.form), false),
        (.claim(.forbidden("sub")), false), (.claim(.tooOld("iat")), false), (.claim(.tooOld("auth_time")), false),
        (.claim(.headerCopyDiffers("iss")), false),
        (.disclosure(.malformed), false), (.disclosure(.hash), false), (.disclosure(.reservedName), false),
        (.disclosure(.digests), false), (.disclosure(.repeatedDigest), false),
        (.disclosure(.repeatedDisclosure), false), (.disclosure(.unreferenced), false),
        (.disclosure(.wrongPlace), false), (.disclosure(.nameTaken), false), (.disclosure(.path), false),
        (.disclosure(.keyBindingMissing), false), (.disclosure(.keyBindingUnexpected), false),
        (.disclosure(.holderKeyMissing), false), (.disclosure(.keyBinding(.expired)), false),
    ]

    @Test("T81 an error is retryable if the token was neither accepted nor rejected, in every layer")
    func table() {
        for (error, isRetryable) in Self.errors {
            #expect(error.isRetryable == isRetryable, "\(error)")
            for layer in [TokenLayer.encryption, .signature, .keyBinding] {
                #expect(TokenError.jose(error, layer: layer).isRetryable == isRetryable, "\(error)")
            }
        }
        for (error, isRetryable) in Self.others { #expect(error.isRetryable == isRetryable, "\(error)") }
    }

    @Test("T81 a refresh is awaited only for errors that a missing key caused, in the layer of its source")
    func awaited() {
        for (error, _) in Self.errors {
            let isAwaited =
                switch error {
                case .keyNotFound, .keysUnavailable, .keyUnsuitable, .signatureInvalid, .keyInvalid: true
                default: false
                }
            #expect(TokenError.jose(error, layer: .signature).mayChangeWithKeys(of: .signature) == isAwaited)
            #expect(!TokenError.jose(error, layer: .encryption).mayChangeWithKeys(of: .signature))
        }
        #expect(!TokenError.claim(.expired).mayChangeWithKeys(of: .signature))
    }

    @Test("T81 the article on error codes lists every code and states whether it is retryable")
    func documented() throws {
        let table = try ErrorCodeTable()
        #expect(Set(table.rows.map(\.code)).count == table.rows.count)
        let all = Self.errors.map { (TokenError.jose($0.0, layer: .signature), $0.1) } + Self.others
        for (error, isRetryable) in all {
            let found = table.rows.first { $0.code == error.code }?.retryable
            #expect(found == (isRetryable ? "yes" : "no") || found == "depends", "\(error.code): \(found ?? "no row")")
        }
        let types: Set = [
            "JOSEError", "CertificateFault", "TokenError", "ClaimFailure", "ReplayFault", "DisclosureFault",
        ]
        let samples = all.map { (code: $0.0.code, isRetryable: $0.0.isRetryable) }
        #expect(table.differences(of: types, from: samples) == [])
    }

    @Test("T81 if one of several signatures could not be verified the error is retryable, unless all must be valid")
    func severalSignatures() throws {
        let known = try PrivateKey.generate(.p256, keyID: "known")
        let other = try PrivateKey.generate(.p256, keyID: "known")
        let late = try PrivateKey.generate(.p256, keyID: "late")
        let source = ChangingKeys(KeySet(known.publicKey))
        func error(_ keys: [PrivateKey], _ requirement: SignatureRequirement) throws -> JOSEError? {
            let entries = try keys.map { JSONSigner.Entry(try JWSSigner(key: $0, algorithm: .es256)) }
            let json = try JSONSigner(entries).sign("{}")
            var policy = SignaturePolicy(algorithms: [.es256])
            policy.requirement = requirement
            do throws(JOSEError) {
                _ = try JWSVerifier(keys: source, policy: policy).verify(json: json)
                return nil
            } catch {
                return error
            }
        }
        let incomplete = JOSEError.keysUnavailable(.refreshIncomplete)
        for keys in [[late, other], [other, late]] {
            source.onMissing(.refreshIncomplete)
            #expect(try error(keys, .any) == incomplete)
            #expect(try error(keys, .keys([.keyID("late")])) == incomplete)
            #expect(try error(keys, .all) == .signatureInvalid)
            // A source that knows that there is no such key.
            source.onMissing(nil)
            for requirement in [SignatureRequirement.any, .all] {
                #expect(try error(keys, requirement) == .signatureInvalid)
            }
        }
        source.onMissing(.refreshIncomplete)
        #expect(try error([late, known], .any) == nil)
        #expect(try error([late, known], .all) == incomplete)
    }
}
