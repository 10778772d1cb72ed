import JOSE

/// Keys on their way out. A private one goes to a new file of mode 0600, or to standard output if that was asked for.
enum KeyWriter {
    static func write(_ bytes: [UInt8], to path: String?, isPrivate: Bool) throws(CommandFailure) {
        guard let path else {
            Output.standard(bytes)
            return
        }
        let file = try Descriptor(creating: path, isPrivate: isPrivate)
        let isWritten = file.tryWrite(bytes.span)
        let fault = Process.fault()
        file.end()
        if !isWritten {
            Process.remove(path)
            throw CommandFailure("cannot write \(path): \(fault)")
        }
    }

    /// The private or secret key as a JWK with a line feed.
    static func privateJWK(_ key: JWK) throws(CommandFailure) -> [UInt8] {
        do throws(JOSEError) {
            switch key {
            case .privateKey(let key): return try key.exportPrivateJWK() + [0x0A]
            case .symmetricKey(let key): return key.exportSecretJWK() + [0x0A]
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
