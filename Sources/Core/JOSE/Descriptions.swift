internal import JOSESupport

// Types with token content print only their kind and size, wherever they are printed, dumped or mirrored: the default
// description would list every byte, and end in logs (threat T59).

extension JOSEHeader: CustomStringConvertible, Unmirrored {
    public var description: String { "Header(\(object.members.count) members)" }
}

extension VerifiedJWS: CustomStringConvertible, Unmirrored {
    public var description: String { "VerifiedJWS(\(algorithm), \(payload.count) bytes, by \(key))" }
}

extension DecryptedJWE: CustomStringConvertible, Unmirrored {
    public var description: String { "DecryptedJWE(\(plaintext.count) bytes)" }
}
