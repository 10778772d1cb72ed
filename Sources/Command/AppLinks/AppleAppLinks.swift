internal import JOSESupport

/// The contents of an `apple-app-site-association` file, which lists the iOS apps that may open the URLs of its site
/// (universal links).
package struct AppleAppLinks: Equatable, Sendable {
    /// An app and the paths of the site that it opens.
    package struct Detail: Equatable, Sendable {
        /// The app ID: the team identifier, a dot, and the bundle identifier of the app.
        package var appID: String
        /// The patterns of the paths that the app opens; the first one that matches a path decides. In a pattern, `*`
        /// matches any number of characters and `?` matches one. A pattern that begins with `NOT ` excludes the paths
        /// that it matches. Matching is case-sensitive, and ignores the query and the fragment of the URL.
        package var paths: [String]

        /// Creates an entry for an app.
        package init(appID: String, paths: [String]) {
            self.appID = appID
            self.paths = paths
        }
    }

    /// The apps in the order of the file.
    package var details: [Detail]

    /// Creates the contents of a file with these apps.
    package init(_ details: [Detail]) { self.details = details }

    /// Parses a file and returns its contents, with an error or warning for each fault.
    ///
    /// - Parameter file: The file, with the HTTP status and the content type of the response if it came from a server.
    /// - Returns: The valid apps, or nil if the file is too large or has no list of apps, and the findings in the order
    ///   of the file.
    package static func check(_ file: LinkFile) -> (links: AppleAppLinks?, findings: [LinkFinding]) {
        var reader = LinkReader(file)
        // iOS reads no larger file.
        guard file.body.count <= LinkFile.appleByteLimit else { return (nil, reader.findings) }
        let members: [JSONMember]
        do throws(JSONFault) { members = try JSONObject(parsing: file.body.span).members } catch {
            reader.note(error)
            return (nil, reader.findings)
        }
        let location = "applinks"
        let found = reader.value("applinks", of: members, at: "")
        guard let links = reader.object(found, at: location) else { return (nil, reader.findings) }
        let apps = reader.value("apps", of: links, at: location)
        if let apps = reader.list(apps, at: "applinks.apps"), !apps.isEmpty {
            reader.note(.error(.notEmpty, at: "applinks.apps"))
        }
        reader.others(than: ["apps", "details"], in: links, at: location)
        let list = reader.value("details", of: links, at: location)
        guard let values = reader.list(list, at: "applinks.details") else { return (nil, reader.findings) }
        if values.isEmpty { reader.note(.error(.empty, at: "applinks.details")) }
        var details: [Detail] = []
        var seen: Set<[UInt8]> = []
        for (index, value) in values.enumerated() {
            guard let detail = detail(value, at: "applinks.details[\(index)]", &reader) else { continue }
            if !seen.insert(Array(detail.appID.utf8)).inserted {
                reader.note(.warning(.repeated, at: "applinks.details[\(index)].appID"))
            }
            details.append(detail)
        }
        return (AppleAppLinks(details), reader.findings)
    }

    private static func detail(_ value: JSONValue, at location: String, _ reader: inout LinkReader) -> Detail? {
        guard let members = reader.object(value, at: location) else { return nil }
        let name = reader.value("appID", of: members, at: location)
        let appID = reader.string(name, at: location + ".appID")
        if let appID, !isAppID(appID) { reader.note(.error(.appID, at: location + ".appID")) }
        let list = reader.value("paths", of: members, at: location)
        let paths = reader.strings(list, at: location + ".paths", .path, isPath)
        reader.others(than: ["appID", "paths"], in: members, at: location)
        guard let appID, isAppID(appID), !paths.isEmpty else { return nil }
        return Detail(appID: appID, paths: paths)
    }

    /// Returns the contents as the bytes of an `apple-app-site-association` file.
    ///
    /// - Throws: ``LinkFileError`` with the errors that ``check(_:)`` would report for the file.
    package func write() throws(LinkFileError) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("applinks")
        writer.beginObject()
        writer.name("apps")
        writer.beginArray()
        writer.endArray()
        writer.name("details")
        writer.beginArray()
        for detail in details {
            writer.beginObject()
            writer.member("appID", detail.appID)
            writer.name("paths")
            writer.beginArray()
            for path in detail.paths { writer.string(path) }
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        writer.endObject()
        let file = LinkFile(.apple, location: LinkFileKind.apple.name, body: writer.bytes)
        let errors = Self.check(file).findings.filter { $0.severity == .error }
        guard errors.isEmpty else { throw LinkFileError(findings: errors) }
        return writer.bytes
    }

    /// Returns the app IDs of the apps that open a URL, in the order of the file. The list is empty if the text is not
    /// an https URL.
    package func apps(opening url: String) -> [String] {
        guard let url = LinkURL(url) else { return [] }
        return details.filter { $0.opens(url.path) }.map(\.appID)
    }

    private static func isAppID(_ text: String) -> Bool {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 10,
            parts[0].utf8.allSatisfy({ (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) })
        else { return false }
        return parts[1].split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty
                && part.utf8.allSatisfy {
                    (0x41...0x5A).contains($0 & 0xDF) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
                }
        }
    }

    private static func isPath(_ text: String) -> Bool {
        let path = text.hasPrefix("NOT ") ? text.dropFirst(4) : text[...]
        guard path.first == "/" || path.first == "*" else { return false }
        return path.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }
    }
}

extension AppleAppLinks.Detail {
    func opens(_ path: String) -> Bool {
        for entry in paths {
            let isExclusion = entry.hasPrefix("NOT ")
            let pattern = isExclusion ? String(entry.dropFirst(4)) : entry
            if LinkPattern.matches(pattern, path) { return !isExclusion }
        }
        return false
    }
}
