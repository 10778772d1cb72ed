import JOSE
import JOSEKeySets
import Testing

@Suite("Error codes of key sets") struct ErrorCodeTests {
    @Test("an error has the code of its case, and an error that wraps another has the code of that one") func codes() {
        let keySet: [(KeySetError, String)] = [
            (.urlInvalid, "url_invalid"), (.optionsInvalid(.floor), "option_invalid"),
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
}
