import JOSE
import JOSEBytes
import JOSEStore

extension KeyReader {
    /// A key that is named by a URI and not by a path: a scheme of two letters at least before the first colon, and no slash
    /// before that. A file of such a name is given as `./name`.
    static func isURI(_ path: String) -> Bool { (path.scheme?.utf8.count ?? 0) > 1 }

    /// The one key at a URI.
    func stored(_ uri: String) throws(CommandFailure) -> JWK {
        var failure: CommandFailure?
        // A PIN may stand in the query (RFC 7512, 2.4).
        let shown = String(uri.prefix { $0 != "?" })
        do throws(JOSEError) {
            return try JWK(uri: uri) {
                do throws(CommandFailure) { return try passphrase.word(for: shown) } catch {
                    failure = error
                    return nil
                }
            }
        } catch {
            if let failure { throw failure }
            throw CommandFailure("\(Output.printable(shown)): \(error)")
        }
    }
}
