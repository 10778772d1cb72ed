import JOSE
import JOSEKeySets
import Testing

@Suite("Error codes of key sets") struct ErrorCodeTests {
    @Test("an error has the code of its case, and an error that wraps another has the code of that one") func codes() {
        let keySet: [(KeySetError, String)] = [
            (.urlInvalid, "url_invalid"), (.optionInvalid("floor"), "option_invalid"),
            (.status(500), "unexpected_status"),
            (.transport(.nameNotResolved), "name_not_resolved"), (.transport(.tls(.nameMismatch)), "tls_name_mismatch"),
            (.transport(.backend), "backend_failure"), (.refused(.duplicateKeyID), "duplicate_key_id"),
            (.discovery(.issuerMismatch), "issuer_mismatch"), (.deadlineExceeded, "deadline_exceeded"),
        ]
        for (error, code) in keySet { #expect(error.code == code) }
        let rotation: [(KeyRotationError, String)] = [
            (.keyIDMissing, "key_id_missing"), (.tooEarly(1_700_000_000), "step_too_early"),
            (.inUse(until: 1), "key_in_use"),
            (.privateKeyMissing(keyID: "a"), "private_key_missing"),
        ]
        for (error, code) in rotation { #expect(error.code == code) }
        #expect(SnapshotFault.fromFuture.code == "snapshot_from_future")
        #expect(SnapshotFault.system(13).code == "snapshot_system_error")
        #expect(SnapshotFault.refused(.privateKey).code == "private_key_published")
    }

    @Test("the remedy of an error names what to correct, and is that of the error that it wraps") func remedies() {
        let remedies: [(KeySetError, String)] = [
            (.urlInvalid, "give the whole URL, such as https://id.example.com/jwks"),
            (.transport(.connectFailed), "check that the server runs at this port"),
            (.transport(.tls(.nameMismatch)), "use the host name in the server's certificate"),
            (.status(403), "a key set is public: ask its operator"),
            (.status(404), "check that the URL is that of the key set"), (.status(503), "retry later"),
            (.status(304), "check the URL, and the server's log"),
            (.refused(.notKeySet), "check that the URL is that of the key set"),
            (
                .refused(.privateKey),
                "that key is compromised: its owner must replace it, and publish public keys only"
            ),
            (.discovery(.issuerMismatch), "give the issuer exactly as in its metadata, slashes included"),
        ]
        for (error, remedy) in remedies { #expect(error.remedy == remedy, "\(error)") }
        let others: [(any CodedError, String)] = [
            (KeyRotationError.tooEarly(1), "repeat the step at the time in the error, or force it"),
            (KeyRotationError.keyUnsuitable(.publicKey), "give the private key"),
            (SnapshotFault.fromFuture, "correct the clock"), (SnapshotFault.refused(.tooOld), "fetch the keys again"),
        ]
        for (error, remedy) in others { #expect(error.remedy == remedy && !error.isRetryable, "\(error)") }
    }
}
