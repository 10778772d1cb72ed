internal import JOSESupport

/// The contents of an `assetlinks.json` file (Digital Asset Links), which lists the Android apps that may open the URLs
/// of its site (App Links).
package struct AndroidAssetLinks: Equatable, Sendable {
    /// A permission that a site grants to an app.
    package struct Relation: Hashable, Sendable {
        /// The name of the relation in the file.
        package let name: String
        init(_ name: String) { self.name = name }

        /// The permission to open the URLs of the site.
        package static let handleAllURLs = Relation("delegate_permission/common.handle_all_urls")
        /// The permission to use the login credentials that the user saved for the site.
        package static let loginCredentials = Relation("delegate_permission/common.get_login_creds")
        /// The permission to use the origin of the site as the app's own, for example in a Custom Tab.
        package static let useAsOrigin = Relation("delegate_permission/common.use_as_origin")
        static let all = [handleAllURLs, loginCredentials, useAsOrigin]
    }

    /// A statement of the file about one app.
    package struct Statement: Equatable, Sendable {
        /// The permissions that the site grants to the app.
        package var relations: [Relation]
        /// The package name of the app.
        package var packageName: String
        /// The SHA-256 fingerprints of the app's signing certificates, each as 32 pairs of uppercase hexadecimal
        /// digits, separated by colons.
        package var fingerprints: [String]

        /// Creates a statement about an app, which by default may open the URLs of the site.
        package init(packageName: String, fingerprints: [String], relations: [Relation] = [.handleAllURLs]) {
            self.relations = relations
            self.packageName = packageName
            self.fingerprints = fingerprints
        }
    }

    /// The statements in the order of the file.
    package var statements: [Statement]

    /// Creates the contents of a file with these statements.
    package init(_ statements: [Statement]) { self.statements = statements }

    /// Parses a file and returns its contents, with an error or warning for each fault.
    ///
    /// - Parameter file: The file, with the HTTP status and the content type of the response if it came from a server.
    /// - Returns: The valid statements, or nil if the file is not a JSON array, and the findings in the order of the
    ///   file.
    package static func check(_ file: LinkFile) -> (links: AndroidAssetLinks?, findings: [LinkFinding]) {
        var reader = LinkReader(file)
        let values: [JSONValue]
        do throws(JSONFault) { values = try JSONArray(parsing: file.body.span).values } catch {
            reader.note(error)
            return (nil, reader.findings)
        }
        if values.isEmpty { reader.note(.error(.empty)) }
        var statements: [Statement] = []
        for (index, value) in values.enumerated() {
            if let statement = statement(value, at: "[\(index)]", &reader) { statements.append(statement) }
        }
        return (AndroidAssetLinks(statements), reader.findings)
    }

    private static func statement(_ value: JSONValue, at location: String, _ reader: inout LinkReader) -> Statement? {
        guard let members = reader.object(value, at: location) else { return nil }
        let list = reader.value("relation", of: members, at: location)
        let names = reader.strings(list, at: location + ".relation", .relation) { name in
            Relation.all.contains { $0.name == name }
        }
        let inner = location + ".target"
        let found = reader.value("target", of: members, at: location)
        guard let target = reader.object(found, at: inner) else { return nil }
        let space = reader.value("namespace", of: target, at: inner)
        guard let namespace = reader.string(space, at: inner + ".namespace") else { return nil }
        guard namespace == "android_app" else {
            // A file may contain statements about other sites.
            reader.note(namespace == "web" ? .warning(.namespace, at: inner) : .error(.namespace, at: inner))
            return nil
        }
        let name = reader.value("package_name", of: target, at: inner)
        let package = reader.string(name, at: inner + ".package_name")
        if let package, !isPackage(package) { reader.note(.error(.packageName, at: inner + ".package_name")) }
        let prints = reader.value("sha256_cert_fingerprints", of: target, at: inner)
        let fingerprints = reader.strings(prints, at: inner + ".sha256_cert_fingerprints", .fingerprint, isFingerprint)
        guard let package, isPackage(package), !fingerprints.isEmpty, !names.isEmpty else { return nil }
        return Statement(packageName: package, fingerprints: fingerprints, relations: names.map { Relation($0) })
    }

    /// Returns the contents as the bytes of an `assetlinks.json` file.
    ///
    /// - Throws: ``LinkFileError`` with the errors that ``check(_:)`` would report for the file.
    package func write() throws(LinkFileError) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginArray()
        for statement in statements {
            writer.beginObject()
            writer.name("relation")
            writer.beginArray()
            for relation in statement.relations { writer.string(relation.name) }
            writer.endArray()
            writer.name("target")
            writer.beginObject()
            writer.member("namespace", "android_app")
            writer.member("package_name", statement.packageName)
            writer.name("sha256_cert_fingerprints")
            writer.beginArray()
            for fingerprint in statement.fingerprints { writer.string(fingerprint) }
            writer.endArray()
            writer.endObject()
            writer.endObject()
        }
        writer.endArray()
        let file = LinkFile(.android, location: LinkFileKind.android.name, body: writer.bytes)
        let errors = Self.check(file).findings.filter { $0.severity == .error }
        guard errors.isEmpty else { throw LinkFileError(findings: errors) }
        return writer.bytes
    }

    /// Returns whether an app may open the URLs of the site.
    ///
    /// - Parameters:
    ///   - packageName: The package name of the app.
    ///   - fingerprint: The SHA-256 fingerprint of its signing certificate: 32 pairs of uppercase hexadecimal digits,
    ///     separated by colons.
    package func opens(packageName: String, fingerprint: String) -> Bool {
        statements.contains {
            $0.relations.contains(.handleAllURLs) && $0.packageName == packageName
                && $0.fingerprints.contains(fingerprint)
        }
    }

    private static func isPackage(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count >= 2
            && parts.allSatisfy { part in
                guard let first = part.utf8.first, (0x41...0x5A).contains(first & 0xDF), first & 0x80 == 0 else {
                    return false
                }
                return part.utf8.allSatisfy {
                    (0x41...0x5A).contains($0 & 0xDF) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_")
                }
            }
    }

    private static func isFingerprint(_ text: String) -> Bool {
        let pairs = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        return pairs.count == 32
            && pairs.allSatisfy { pair in
                pair.count == 2 && pair.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x46).contains($0) }
            }
    }
}
