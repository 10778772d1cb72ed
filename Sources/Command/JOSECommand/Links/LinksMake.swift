import JOSEAppLinks
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
        let result: Result<[UInt8], LinkFileError>
        switch arguments.operands.first {
        case "apple":
            guard let apps = try arguments.list(LinkOptions.apps) else { throw .usage("needs --app ID") }
            let paths = try arguments.list(LinkOptions.paths) ?? ["*"]
            let links = AppleAppLinks(apps.map { AppleAppLinks.Detail(appID: $0, paths: paths) })
            do throws(LinkFileError) { result = .success(try links.write()) } catch { result = .failure(error) }
        case "android":
            guard let package = try arguments.value(LinkOptions.package) else { throw .usage("needs --package NAME") }
            let prints = try arguments.list(LinkOptions.fingerprints) ?? []
            let more: [AndroidAssetLinks.Relation] = arguments.has(LinkOptions.credentials) ? [.loginCredentials] : []
            let links = AndroidAssetLinks([
                .init(packageName: package, fingerprints: prints, relations: [.handleAllURLs] + more)
            ])
            do throws(LinkFileError) { result = .success(try links.write()) } catch { result = .failure(error) }
        default: throw .usage("needs apple or android")
        }
        switch result {
        case .success(let body): Output.json(body + [0x0A])
        case .failure(let error): throw CommandFailure(error.findings.map { "\($0)" }.joined(separator: "; "))
        }
        return .valid
    }
}
