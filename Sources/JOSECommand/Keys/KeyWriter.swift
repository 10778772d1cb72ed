import JOSE

/// Keys on their way out. A private one goes to a new file of mode 0600, or to standard output if that was asked for.
enum KeyWriter {
    /// A text ends with a line feed, which is not put to `bytes`: that would copy them, and they may be a secret.
    static func write(
        _ bytes: [UInt8], to path: String?, isPrivate: Bool, isText: Bool = true
    ) throws(CommandFailure) {
        let end = isText && bytes.last != 0x0A ? "\n" : ""
        guard let path else {
            Output.standard(bytes)
            Output.standard(end)
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

    /// The private or secret key as a JWK.
    static func privateJWK(_ key: JWK) throws(CommandFailure) -> [UInt8] {
        do throws(JOSEError) {
            switch key {
            case .privateKey(let key): return try key.exportPrivateJWK()
            case .symmetricKey(let key): return key.exportSecretJWK()
            case .publicKey: throw JOSEError.keyInvalid(.wrongHalf)
            }
        } catch {
            throw CommandFailure("\(error)")
        }
    }

    static func publicHalf(_ key: JWK) throws(CommandFailure) -> PublicKey {
        guard let half = key.publicKey else { throw CommandFailure("a symmetric key has no public half") }
        return half
    }
}
