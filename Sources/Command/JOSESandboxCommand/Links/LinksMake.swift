import AppLinks
import JOSESettings

extension Command {
    static let linksMake = Command(
        "links make", operands: "apple|android", maximumOperands: 1,
        summary: "make apple-app-site-association or assetlinks.json",
        details: """
            Writes the file to standard output. Serve it as application/json over https, without a redirect:
            apple-app-site-association at /.well-known/ or the root, and assetlinks.json at /.well-known/.
            """,
        options: [
            LinkOptions.apps.spec, LinkOptions.paths.spec, LinkOptions.package.spec, LinkOptions.fingerprints.spec,
            LinkOptions.credentials,
        ]
    ) { (arguments) throws(CommandFailure) in
        let write: () throws(LinkFileError) -> [UInt8]
        switch arguments.operands.first {
        case "apple":
            guard let apps = try arguments.list(LinkOptions.apps) else { throw .usage("needs --app ID") }
            let paths = try arguments.list(LinkOptions.paths) ?? ["*"]
            write = AppleAppLinks(apps.map { AppleAppLinks.Detail(appID: $0, paths: paths) }).write
        case "android":
            guard let package = try arguments.value(LinkOptions.package) else { throw .usage("needs --package NAME") }
            let prints = try arguments.list(LinkOptions.fingerprints) ?? []
            let more: [AndroidAssetLinks.Relation] = arguments.has(LinkOptions.credentials) ? [.loginCredentials] : []
            write =
                AndroidAssetLinks([
                    .init(packageName: package, fingerprints: prints, relations: [.handleAllURLs] + more)
                ]).write
        default: throw .usage("needs apple or android")
        }
        do throws(LinkFileError) { Output.json(try write() + [0x0A]) } catch {
            throw CommandFailure(error.findings.map { "\($0)" }.joined(separator: "; "))
        }
        return .valid
    }
}
