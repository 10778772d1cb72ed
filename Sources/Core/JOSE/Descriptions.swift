internal import JOSESupport

// Types with token content print only their kind and size, wherever they are printed, dumped or mirrored: the default
// description would list every byte, and end in logs (threat T59).

extension JOSEHeader: Redacted {
    public var description: String { "Header(\(object.members.count) members)" }
}

extension VerifiedJWS: Redacted {
    public var description: String { "VerifiedJWS(\(algorithm), \(payload.count) bytes, by \(key))" }
}

extension DecryptedJWE: Redacted {
    public var description: String { "DecryptedJWE(\(plaintext.count) bytes)" }
}
