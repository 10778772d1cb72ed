import JOSE
import JOSESettings
import JOSESupport

/// Writes keys. A private key goes to a new file of mode 0600, or to standard output if that was requested.
enum KeyWriter {
    /// Writes a key or a token. Text ends with a line feed, which is written separately: appending it would copy
    /// `bytes`, which may be secret.
    static func write(
        _ bytes: [UInt8], to path: String?, isPrivate: Bool, isText: Bool = true
    ) throws(CommandFailure) {
        guard isText else {
            if path == nil, Descriptor.output.isTerminal {
                throw CommandFailure("DER is not text: give --out, or redirect standard output")
            }
            return try write(bytes, end: "", to: path, isPrivate: isPrivate)
        }
        let end = bytes.last == 0x0A ? "" : "\n"
        // PEM and compact tokens are ASCII, and everything else is JSON. Names in keys and headers may come from
        // others.
        guard var escaped = TerminalText.escapedJSON(bytes) else {
            return try write(bytes, end: end, to: path, isPrivate: isPrivate)
        }
        defer { wipe(&escaped) }
        try write(escaped, end: end, to: path, isPrivate: isPrivate)
    }

    private static func write(
        _ bytes: [UInt8], end: String, to path: String?, isPrivate: Bool
    ) throws(CommandFailure) {
        guard let path else {
            Descriptor.output.write(bytes.span)
            Descriptor.output.write(end.utf8.span)
            return
        }
        let file = try Descriptor(creating: path, isPrivate: isPrivate)
        let isWritten = file.tryWrite(bytes.span) && file.tryWrite(end.utf8.span)
        let fault = Process.fault()
        file.end()
        if !isWritten {
            Process.remove(path)
            throw CommandFailure("cannot write \(path): \(fault)")
        }
    }

    /// Returns the private or symmetric key as a JWK.
    static func privateJWK(_ key: JWK) throws(CommandFailure) -> [UInt8] {
        try CommandFailure.inWords { () throws(JOSEError) in
            switch key {
            case .privateKey(let key): try key.exportPrivateJWK()
            case .symmetricKey(let key): key.exportSecretJWK()
            case .publicKey: throw JOSEError.keyInvalid(.privateKeyRequired)
            }
        }
    }

    static func publicHalf(_ key: JWK) throws(CommandFailure) -> PublicKey {
        guard let half = key.publicKey else { throw CommandFailure("a symmetric key has no public half") }
        return half
    }
}
