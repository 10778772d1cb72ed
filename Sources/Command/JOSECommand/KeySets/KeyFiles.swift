import JOSE
import JOSEKeySets
import JOSESettings
import JOSESupport

/// The key sets in files, read for each request: a key is rotated by writing a file.
struct KeyFiles: Sendable {
    /// The folder whose files are served, or nil if the files were named.
    let folder: String?
    private let named: [(name: String, path: String)]
    let maximumAge: Int

    /// Creates the key sets of a folder, or of files.
    ///
    /// - Parameter operands: One folder, or at least one file.
    init(_ operands: [String], maximumAge: Int) throws(CommandFailure) {
        self.maximumAge = maximumAge
        folder = operands.count == 1 && (try? Folder.names(operands[0])) != nil ? operands[0] : nil
        named = operands.map { path in
            (path.unicodeScalars.split(separator: "/").last.map { String($0) } ?? path, path)
        }
        for (index, file) in named.enumerated() {
            guard !named[..<index].contains(where: { bytesEqual($0.name, file.name) }) else {
                throw .usage("two files are named '\(file.name)', and would have the same URL")
            }
        }
    }

    /// A file that contains keys.
    struct File {
        let name: String
        let keys: [PublicKey]
        /// The number of private and symmetric keys in the file. No secret part of them is served.
        let secrets: Int
        let unusable: Int
    }

    /// Returns the files that can be served, and for each other one the reason why it cannot.
    func files() throws(CommandFailure) -> (served: [File], others: [String]) {
        var served: [File] = []
        var others: [String] = []
        for entry in try entries() {
            do throws(CommandFailure) { served.append(try file(entry)) } catch { others.append(error.message) }
        }
        return (served, others)
    }

    /// Returns the files that were named, or those that the folder has now.
    private func entries() throws(CommandFailure) -> [(name: String, path: String)] {
        guard let folder else { return named }
        return try Folder.names(folder).filter(Self.isServed).map { ($0, folder + "/" + $0) }
    }

    /// Returns the response to a request. Only files that were named, or that the folder lists, are opened.
    ///
    /// - Parameter origin: The origin at which the files are served, which is the issuer of their metadata.
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
        guard target.hasPrefix("/"), let entry = try? entries().first(where: { bytesEqual($0.name, name) }),
            let file = try? file(entry)
        else { return TransportResponse(status: 404) }
        return KeySetDocument(file.keys, maximumAge: maximumAge).response(ifNoneMatch: ifNoneMatch)
    }

    /// Returns whether a file of a folder has a name for keys: that of a JWK Set, or one that `bulla key` writes in the
    /// documents.
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

    private func file(_ entry: (name: String, path: String)) throws(CommandFailure) -> File {
        var text = try KeyReader.text(entry.path, isRegular: true)
        defer { for index in text.indices { text[index] = 0 } }
        // The files are those of the user, and the command is for tests: a set of any useful size is served.
        var limits = ParsingLimits.standard
        limits.keysInSet = 10_000
        let set: KeySet
        if let read = try? KeySet(parsing: text.span, limits: limits) {
            set = read
        } else {
            set = KeySet(
                try KeyReader.named(entry.path) { () throws(JOSEError) in try JWK(parsing: text.span) })
        }
        let secrets = set.keys.count { if case .publicKey = $0 { false } else { true } }
        return File(
            name: entry.name, keys: set.keys.compactMap(\.publicKey), secrets: secrets, unusable: set.unusable.count)
    }
}
