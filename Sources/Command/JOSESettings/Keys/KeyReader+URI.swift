import JOSE
import JOSEStore
import JOSESupport

extension KeyReader {
    /// Whether the argument is a URI and not a path: it has a scheme of at least two letters before the first colon,
    /// and no slash before that. A file of such a name is given as `./name`.
    static func isURI(_ path: String) -> Bool { (path.scheme?.utf8.count ?? 0) > 1 }

    /// Whether the URI has a PIN in it (RFC 7512, 2.4), which every process of the machine can read in the arguments.
    static func hasPIN(_ uri: String) -> Bool {
        let attributes = uri.utf8.split { [0x3A, 0x3B, 0x3F, 0x26].contains($0) }
        return attributes.contains { attribute in
            let name = attribute.prefix { $0 != UInt8(ascii: "=") }.map(\.asciiLowercased)
            return name.count < attribute.count && name.elementsEqual("pin-value".utf8)
        }
    }

    /// Reads the one key at a URI.
    func stored(_ uri: String) throws(CommandFailure) -> JWK {
        var failure: CommandFailure?
        // The query is not shown: its attributes, such as `pin-source`, may be confidential.
        let shown = String(uri.prefix { $0 != "?" })
        guard !Self.hasPIN(uri) else {
            throw CommandFailure(
                "\(uri.scheme ?? ""): pin-value in a URI is visible to every process of the machine: give pin-source=file:PATH, --passphrase-file or --passphrase-fd"
            )
        }
        do throws(JOSEError) {
            return try JWK(uri: uri) {
                do throws(CommandFailure) { return try passphrase.word(for: shown) } catch {
                    failure = error
                    return nil
                }
            }
        } catch {
            if let failure { throw failure }
            throw CommandFailure("\(TerminalText.escaped(shown)): \(error)")
        }
    }
}
