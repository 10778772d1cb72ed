import Foundation
import JOSEFetch
import JOSERelyingParty

/// What `bulla-sandbox serve --dir FOLDER` writes for the service whose users log in: of sandbox.json the client
/// `openid`, of keys.json the key with which the clients sign, and the authority of the providers' certificates.
struct SandboxFiles {
    let issuer: String
    let clientID: String
    let redirectURI: String
    let signingKey: PrivateKey
    let transportOptions: CurlTransport.Options

    private struct Configuration: Decodable {
        struct Client: Decodable {
            let name: String
            let issuer: String
            let clientId: String
            let redirectUri: String
        }
        let hosts: [String]
        let port: Int
        let clients: [Client]
    }

    struct Incomplete: Error {}

    init(folder: String) throws {
        func contents(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: folder + "/" + name)) }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let configuration = try decoder.decode(Configuration.self, from: contents("sandbox.json"))
        let keys = try KeySet(parsing: contents("keys.json")).keys
        guard let client = configuration.clients.first(where: { $0.name == "openid" }),
            case .privateKey(let key)? = keys.first(where: { $0.use == .signature })
        else { throw Incomplete() }
        (issuer, clientID, redirectURI) = (client.issuer, client.clientId, client.redirectUri)
        signingKey = key
        var options = CurlTransport.Options()
        options.trust = .file(folder + "/ca.pem")
        // The hosts of the sandbox are known to no name server, and are on this machine.
        options.resolve = configuration.hosts.map { "\($0):\(configuration.port):127.0.0.1" }
        options.allowsLoopback = true
        transportOptions = options
    }
}
