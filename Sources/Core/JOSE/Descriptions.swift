internal import JOSEBytes

/// What holds token content shows only what it is and how large, wherever it is printed, dumped or mirrored: what Swift
/// would print by itself lists every byte, and ends in logs (threat T59).

extension JOSEHeader: CustomStringConvertible, CustomReflectable {
    public var description: String { "Header(\(object.members.count) members)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension VerifiedJWS: CustomStringConvertible, CustomReflectable {
    public var description: String { "VerifiedJWS(\(algorithm), \(payload.count) bytes, by \(key))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension DecryptedJWE: CustomStringConvertible, CustomReflectable {
    public var description: String { "DecryptedJWE(\(plaintext.count) bytes)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
