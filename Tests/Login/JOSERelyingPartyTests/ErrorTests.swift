import JOSEKeySets
import JOSERelyingParty
import JOSETokens
import TestSupport
import Testing

@Suite("Errors of a login") struct ErrorTests {
    @Test("an error code of a provider is kept if it is visible ASCII of at most 100 characters (RFC 6749, 4.1.2.1)")
    func codes() {
        #expect(ProviderErrorCode("access_denied")?.description == "access_denied")
        #expect(ProviderErrorCode(String(repeating: "a", count: 100)) != nil)
        for text in ["", String(repeating: "a", count: 101), "a b", "a\"b", "a\\b", "a\nb", "é"] {
            #expect(ProviderErrorCode(text) == nil)
        }
    }

    @Test("an error's code names its reason in snake_case, whatever the associated value and the step") func codeWords()
    {
        let codes: [(RelyingPartyError.Reason, String)] = [
            (.malformed, "malformed"), (.criticalNotUnderstood, "critical_header_unknown"), (.expired, "token_expired"),
            (.replayed, "token_replayed"), (.claimMissing("exp"), "claim_missing"),
            (.claimType("exp"), "claim_type_invalid"), (.missingParameter("code"), "missing_parameter"),
            (.returnURLUnknown, "return_url_unknown"), (.unexpectedStatus(500), "unexpected_status"),
            (.internalFault, "backend_failure"), (.storeFull, "store_full"),
            (.metadataMissing(.tokenEndpoint), "metadata_member_missing"),
            (.metadataInvalid(.tokenEndpoint), "metadata_member_invalid"),
            (.keySetRejected(.privateKey, keys: []), "private_key_published"),
        ]
        for (reason, code) in codes {
            #expect(reason.code == code)
            #expect(RelyingPartyError(reason, in: .idToken).code == code)
        }
        #expect(StoreError.full.code == RelyingPartyError.Reason.storeFull.code)
        #expect(StoreError.unavailable.code == RelyingPartyError.Reason.storeUnavailable.code)
    }

    @Test("the article on error codes states for each reason whether its errors are retryable")
    func documented() throws {
        let reasons: [RelyingPartyError.Reason] = [
            .malformed, .tooLarge, .notEncrypted, .notSigned, .algorithmNotAllowed, .encryptionNotAllowed,
            .criticalNotUnderstood, .contentTypeMismatch, .keyNotFound, .keyUnsuitable, .decryptionFailed,
            .signatureInvalid, .certificateRevoked, .certificateUnknown, .certificateStatusStale,
            .responderNotAuthorized, .claimMissing("exp"), .claimType("exp"), .claimUnexpected("exp"), .issuerMismatch,
            .audienceMismatch, .authorizedPartyMismatch, .expired, .notYetValid, .issuedInFuture, .tooOld,
            .authenticationTooOld, .nonceMismatch, .hashMismatch, .acrTooLow, .subjectMismatch, .replayed,
            .inResponseToMismatch, .sectorUnexpected, .stateMismatch, .bindingMismatch, .missingParameter("code"),
            .duplicateParameter("code"), .invalidParameter("code"), .cancelled, .loginPending,
            .appNotFound, .notActivated,
            .switchedOff, .switchedOffForService, .returnURLUnknown, .pinBlocked, .sessionExpired, .discoveryMismatch,
            .metadataMissing(.tokenEndpoint), .metadataInvalid(.tokenEndpoint),
            .keySetRejected(.privateKey, keys: []), .untrustedIssuer, .redirectLoop,
            .configurationError, .unreachable, .unexpectedStatus(500),
            .storeUnavailable, .storeFull, .interrupted, .internalFault,
            .providerError(try #require(ProviderErrorCode("temporarily_unavailable"))),
            .providerError(try #require(ProviderErrorCode("access_denied"))),
        ]
        var samples: [(code: String, isRetryable: Bool)] = []
        for reason in reasons {
            for step in [LoginStep.discovery, .idToken] {
                let error = RelyingPartyError(reason, in: step)
                samples.append((error.code, error.isRetryable))
            }
        }
        #expect(try ErrorCodeTable().differences(of: ["RelyingPartyError.Reason"], from: samples) == [])
    }

    @Test("the remedy of an error says what its action is, and its code is that of the reason") func texts() {
        let errors: [(any CodedError, String)] = [
            (RelyingPartyError(.unreachable, in: .discovery), "repeat the call a little later"),
            (RelyingPartyError(.unreachable, in: .idToken), "begin a new login"),
            (
                RelyingPartyError(.cancelled, in: .callback),
                "tell the user that the login did not succeed, and offer another way to log in"
            ),
        ]
        for (error, remedy) in errors { #expect(error.remedy == remedy, "\(error)") }
        #expect(errors.map(\.0.code) == ["provider_unreachable", "provider_unreachable", "user_cancelled"])
        #expect(errors.map(\.0.isRetryable) == [true, false, false])
        #expect("\(errors[1].0)" == "idToken: unreachable; action: restart")
    }

    @Test("DigiD: each failure situation has its documented action")
    func situations() {
        let actions: [(RelyingPartyError.Reason, RelyingPartyError.Action)] = [
            (.appNotFound, .tellUser), (.notActivated, .tellUser), (.acrTooLow, .tellUser), (.switchedOff, .tellUser),
            (.switchedOffForService, .fixConfiguration), (.returnURLUnknown, .fixConfiguration),
            (.pinBlocked, .tellUser), (.cancelled, .tellUser), (.sessionExpired, .restart),
            (.inResponseToMismatch, .investigate), (.sectorUnexpected, .investigate),
        ]
        for (failure, action) in actions {
            #expect(RelyingPartyError(failure, in: .artifactResponse).action == action, "\(failure)")
        }
    }
}
