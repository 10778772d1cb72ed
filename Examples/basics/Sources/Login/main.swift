import Foundation
import JOSEFetch
import JOSERelyingParty

// Login FOLDER ISSUER CLIENT REDIRECT-URI RESOLVE: a login at the OpenID provider of `bulla sandbox --dir FOLDER`.
let (folder, issuer) = (CommandLine.arguments[1], CommandLine.arguments[2])
let (clientID, redirectURI) = (CommandLine.arguments[3], CommandLine.arguments[4])
var options = CurlTransport.Options()  // For a provider in production, `CurlTransport()` is sufficient.
options.trust = .file(folder + "/ca.pem")
options.resolve = [CommandLine.arguments[5]]
options.allowsLoopback = true
let key = try PrivateKey(jwk: String(contentsOfFile: folder + "/signing.jwk", encoding: .utf8))
let party = try RelyingParty(
    .openID(issuer: issuer), in: .sandbox(issuer: issuer),
    client: RelyingPartyClient(id: clientID, redirectURI: redirectURI, credentials: .keys(signing: key)),
    transport: CurlTransport(options), store: MemoryLoginStore())

// A service redirects the browser to this URL, and sets a cookie that ties the login to the browser.
let login = try await party.beginLogin(LoginRequest())
print(login.url)

// The provider redirects the browser to the redirect URI, with this query. The binding is in the browser's cookies.
let callback = AuthorizationCallback.query(readLine() ?? "")
let user = try await party.completeLogin(callback: callback, binding: login.binding)
print("subject \(user.subject)")
