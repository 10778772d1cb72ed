internal import JOSESupport

// Types with token content print only their kind and size, wherever they are printed, dumped or mirrored: the default
// description would list every byte, and end in logs (threat T59).

extension JOSEHeader: Redacted {
    package var summary: String { "Header(\(object.members.count) members)" }
}

extension VerifiedJWS: Redacted {
    package var summary: String { "VerifiedJWS(\(algorithm), \(payload.count) bytes, by \(key))" }
}

extension DecryptedJWE: Redacted {
    package var summary: String { "DecryptedJWE(\(plaintext.count) bytes)" }
}
