import JOSE
import JOSEKeySets
import JOSETesting
import JOSETokens
import TestSupport
import Testing

@testable import JOSEMitID
@testable import JOSERelyingParty

@Suite("Retryable errors of a login") struct RetryableTests {
    @Test("T81 a retryable error of a token or of a fetch has an action that retries the call")
    func actions() {
        let tokens: [JOSEError] = [
            .keysUnavailable(.notFetched), .keysUnavailable(.expired), .keysUnavailable(.closed),
            .keysUnavailable(.refreshIncomplete), .overloaded(.busy), .overloaded(.timedOut), .backend,
            .externalKey(.failed(ExternalCause(CancellationError()))),
        ]
        for error in tokens {
            #expect(error.isRetryable)
            let failure = RelyingPartyError.Reason(.jose(error, layer: .signature), isNested: true)
            // The code of the login is used up when its ID token is verified.
            let late = RelyingPartyError(failure, in: .idToken)
            #expect(late.action == .restart && !late.isRetryable, "\(error)")
            let early = RelyingPartyError(failure, in: .discovery)
            #expect(early.action == .retry && early.isRetryable && !early.usedUp.isRetryable, "\(error)")
        }
        for error in [KeySetError.transport(.connectFailed), .transport(.backend), .status(503), .deadlineExceeded] {
            #expect(error.isRetryable)
            #expect(RelyingPartyError(RelyingPartyError.Reason(error), in: .discovery).isRetryable, "\(error)")
        }
        for error in [JOSEError.keyNotFound, .signatureInvalid, .decryptionFailed, .keyUnsuitable(.use)] {
            #expect(!error.isRetryable)
            let failure = RelyingPartyError.Reason(.jose(error, layer: .signature), isNested: true)
            #expect(!RelyingPartyError(failure, in: .discovery).isRetryable, "\(error)")
        }
    }

    @Test("the reasons of revoked certificates are those of the login, with the same codes") func revocation() {
        for (fault, reason) in [
            (.revoked, .certificateRevoked), (.statusUnknown, .certificateUnknown),
            (.statusOutdated, .certificateStatusStale), (.statusUntrusted, .responderNotAuthorized),
        ] as [(CertificateFault, RelyingPartyError.Reason)] {
            let error = JOSEError.certificateInvalid(fault)
            #expect(RelyingPartyError.Reason(error) == reason && reason.code == error.code)
        }
        #expect(RelyingPartyError.Reason(.certificateInvalid(.untrusted)) == .keyUnsuitable)
    }

    @Test("T81 a source that wraps another one reports that source's outage for a missing key")
    func wrappers() throws {
        func token(_ keyID: String) throws -> String {
            try Forge.encrypted(
                header: #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","kid":"\#(keyID)"}"#, plaintext: [1, 2, 3],
                with: .publicKey(TestKeys.clientEncryption.publicKey), .rsaOAEP, .a128cbcHS256)
        }
        let (known, unknown) = (try token("e1"), try token("e9"))
        let policy = EncryptionPolicy(keyManagement: [.rsaOAEP], contentEncryption: [.a128cbcHS256])
        let source = ChangingKeys(KeySet(TestKeys.clientEncryption))
        for keys in [UnpublishedKeys(source, rejecting: .all), MitIDKeyRoles(source, for: .login)] as [any KeySource] {
            let decrypter = try JWEDecrypter(keys: keys, policy: policy)
            for (outage, expected) in [
                (nil, .keyNotFound), (.refreshIncomplete, .keysUnavailable(.refreshIncomplete)), (nil, .keyNotFound),
            ] as [(KeysUnavailableReason?, JOSEError)] {
                source.onMissing(outage)
                #expect(try decrypter.decrypt(known).plaintext == [1, 2, 3])
                #expect(throws: expected) { try decrypter.decrypt(unknown) }
                #expect(expected.isRetryable == (outage != nil))
            }
        }
    }
}
