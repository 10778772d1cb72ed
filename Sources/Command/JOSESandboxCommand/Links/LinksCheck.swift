import AppLinks
import JOSEKeySets
import JOSESettings
import JOSESupport

#if HTTP
    import JOSEFetch
#endif

extension Command {
    static let linksCheck = Command(
        "links check", operands: "FILE|URL...", maximumOperands: 2,
        summary: "check apple-app-site-association and assetlinks.json",
        details: """
            The name of the file determines its kind. An https URL is fetched as phones fetch it, without following
            redirects. Each finding is one line: error or warning, the file or URL, and what is wrong. Exit status 0: no
            errors; 1: at least one error.
            """,
        options: [
            LinkOptions.entitlements.spec, LinkOptions.host.spec, LinkOptions.opens.spec, LinkOptions.strict,
            LinkOptions.contentType.spec,
        ] + [Options.authorities.spec]
    ) { (arguments) throws(CommandFailure) in
        let entitlements = try arguments.list(LinkOptions.entitlements)
        guard !arguments.operands.isEmpty || entitlements != nil else { throw .usage("needs a file or a URL") }
        var report = LinkReport()
        for location in arguments.operands {
            let file = try LinkSource.file(location, arguments)
            let opened = try arguments.value(LinkOptions.opens)
            switch file.kind {
            case .apple:
                let (links, findings) = AppleAppLinks.check(file)
                report.add(findings, location)
                if let opened {
                    let apps = links?.apps(opening: opened) ?? []
                    let names = apps.isEmpty ? "no app" : apps.joined(separator: " ")
                    Output.standard(Output.printable("\(opened): \(names)") + "\n")
                }
            case .android:
                report.add(AndroidAssetLinks.check(file).findings, location)
            }
        }
        if let entitlements {
            let domains = AssociatedDomains(entitlements)
            report.add(domains.check(isStrict: arguments.has(LinkOptions.strict)), "entitlements")
            if let host = try arguments.value(LinkOptions.host) {
                Output.standard(Output.printable("\(host): \(domains.entry(for: host) ?? "no entry")") + "\n")
            }
        }
        return report.isValid ? .valid : .invalid
    }
}

/// Writes findings as they are added, and records whether one of them is an error.
private struct LinkReport {
    private(set) var isValid = true

    mutating func add(_ findings: [LinkFinding], _ name: String) {
        for finding in findings {
            isValid = isValid && finding.severity != .error
            Output.standard(Output.printable("\(finding.severity): \(name): \(finding)") + "\n")
        }
        if findings.isEmpty { Output.standard(Output.printable("ok: \(name)") + "\n") }
    }
}

enum LinkOptions {
    static let entitlements = Option(
        "entitlement", "ENTRY", "an entry of the app's associated domains, such as applinks:*.example.com",
        repeats: true, Options.texts)
    static let host = Option("host", "HOST", "print the entry that applies to this host", Options.text)
    static let opens = Option("opens", "URL", "print the iOS apps that open this URL", Options.text)
    static let strict = OptionSpec("strict", nil, "more than 30 entries are an error")
    static let contentType = Option(
        "content-type", "TYPE", "the content type with which the server delivers a local file", Options.text)

    static let apps = Option(
        "app", "ID", "an iOS app: its team, a dot, its bundle identifier", repeats: true, Options.texts)
    static let paths = Option(
        "path", "PATH", "a path that it opens, such as /login/*; default: all paths", repeats: true, Options.texts)
    static let package = Option("package", "NAME", "the package name of an Android app", Options.text)
    static let fingerprints = Option(
        "fingerprint", "SHA256", "the fingerprint of its signing certificate: pairs separated by colons",
        repeats: true, Options.texts)
    static let credentials = OptionSpec("credentials", nil, "let it share the site's credentials as well")
}

enum LinkSource {
    static func file(_ location: String, _ arguments: Arguments) throws(CommandFailure) -> LinkFile {
        let name = location.split(separator: "/").last.map(String.init) ?? location
        guard let kind = LinkFileKind.allCases.first(where: { name.contains($0.name.prefix { $0 != "." }) }) else {
            throw .usage("'\(location)' is neither apple-app-site-association nor assetlinks.json")
        }
        guard location.contains("://") else {
            let type = try arguments.value(LinkOptions.contentType)
            return LinkFile(kind, location: location, contentType: type, body: try KeyReader.text(location))
        }
        #if HTTP
            return try fetched(kind, location, try arguments.value(Options.authorities))
        #else
            throw CommandFailure("bulla-sandbox was built without the package's trait HTTP, and fetches nothing")
        #endif
    }

    #if HTTP
        private static func fetched(
            _ kind: LinkFileKind, _ url: String, _ authorities: String?
        ) throws(CommandFailure) -> LinkFile {
            var options = CurlTransport.Options()
            // The user of the command names the address.
            (options.allowsLoopback, options.allowsPrivateAddresses) = (true, true)
            if let authorities { options.trust = .file(authorities) }
            var request = TransportRequest(url: url)
            // A file above the limit of iOS is a finding, and is read up to this limit.
            request.bodyLimit = 1 << 20
            let result: Result<TransportResponse, TransportError>
            do throws(CurlTransportError) {
                let transport = try CurlTransport(options)
                let asked = request
                result = Blocking.run {
                    do throws(TransportError) { return .success(try await transport.send(asked)) } catch {
                        return .failure(error)
                    }
                }
            } catch { throw CommandFailure("cannot begin to fetch: \(error)") }
            switch result {
            case .success(let answer):
                return LinkFile(
                    kind, location: url, status: answer.status, contentType: answer.header("Content-Type"),
                    body: answer.body)
            case .failure(.redirectNotAllowed): return LinkFile(kind, location: url, status: 302, body: [])
            case .failure(let error): throw CommandFailure("\(url): \(error)")
            }
        }
    #endif
}
