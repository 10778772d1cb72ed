internal import JOSEBytes

// Types with token content print only their kind and size, wherever they are printed, dumped or mirrored: the default
// description would list every byte, and end in logs (threat T59).

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
