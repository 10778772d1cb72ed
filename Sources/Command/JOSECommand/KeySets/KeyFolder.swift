import JOSE
import JOSEBytes
import JOSEKeySets

/// The key sets in a folder, read for each request: a key is rotated by writing a file.
struct KeyFolder: Sendable {
    let path: String
    let maximumAge: Int

    /// A file of the folder that holds keys.
    struct File {
        let name: String
        let keys: [PublicKey]
        /// The number of private and symmetric keys in the file. No secret part of them is served.
        let secrets: Int
        let unusable: Int
    }

    /// Returns the files that can be served, and for each other file with such a name the reason why it cannot.
    func files() throws(CommandFailure) -> (served: [File], others: [String]) {
        var served: [File] = []
        var others: [String] = []
        for name in try Folder.names(path) where Self.isServed(name) {
            do throws(CommandFailure) { served.append(try file(name)) } catch { others.append(error.message) }
        }
        return (served, others)
    }

    /// Returns the response to a request. Only files that the folder lists are opened.
    ///
    /// - Parameter origin: The origin at which the folder is served, which is the issuer of its metadata.
    func answer(_ target: String, ifNoneMatch: String?, origin: String) -> TransportResponse {
        switch target {
        case "/":
            let keys = ((try? files().served) ?? []).flatMap(\.keys)
            return KeySetDocument(Self.once(keys), maximumAge: maximumAge).response(ifNoneMatch: ifNoneMatch)
        case "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server":
            return metadata(origin)
        default: return file(at: target, ifNoneMatch)
        }
    }

    private func file(at target: String, _ ifNoneMatch: String?) -> TransportResponse {
        let name = String(target.dropFirst())
        guard target.hasPrefix("/"), Self.isServed(name),
            let names = try? Folder.names(path), names.contains(where: { bytesEqual($0, name) }),
            let file = try? file(name)
        else { return TransportResponse(status: 404) }
        return KeySetDocument(file.keys, maximumAge: maximumAge).response(ifNoneMatch: ifNoneMatch)
    }

    /// The names of files with keys: those of a JWK Set, and those that `bulla key` writes in the documents.
    private static func isServed(_ name: String) -> Bool {
        [".json", ".jwk", ".jwks"].contains { name.hasSuffix($0) }
    }

    /// Removes duplicates, because a key may be in several files.
    private static func once(_ keys: [PublicKey]) -> [PublicKey] {
        var seen: Set<String> = []
        return keys.filter { seen.insert($0.jwk()).inserted }
    }

    /// Returns the issuer's metadata (RFC 8414, 2), as far as its keys are concerned.
    private func metadata(_ origin: String) -> TransportResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("issuer", origin)
        writer.member("jwks_uri", origin + "/")
        writer.endObject()
        let fields = [
            TransportHeaderField("Content-Type", "application/json"),
            TransportHeaderField("Cache-Control", "public, max-age=\(maximumAge)"),
        ]
        return TransportResponse(status: 200, headers: fields, body: writer.bytes)
    }

    private func file(_ name: String) throws(CommandFailure) -> File {
        let whole = path + "/" + name
        var text = try KeyReader.text(whole, isListed: true)
        defer { for place in text.indices { text[place] = 0 } }
        let set: KeySet
        if let read = try? KeySet(parsing: text.span) {
            set = read
        } else {
            set = KeySet(
                try KeyReader.named(whole) { () throws(JOSEError) in try JWK(parsing: text.span) })
        }
        let secrets = set.keys.count { if case .publicKey = $0 { false } else { true } }
        return File(
            name: name, keys: set.keys.compactMap(\.publicKey), secrets: secrets, unusable: set.unusable.count)
    }
}
