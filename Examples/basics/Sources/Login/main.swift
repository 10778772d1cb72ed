import JOSEFetch
import JOSERelyingParty

// Login FOLDER: a login at the OpenID provider of `bulla-sandbox serve --dir FOLDER`. SandboxFiles.swift reads what is
// in the folder.
let sandbox = try SandboxFiles(folder: CommandLine.arguments[1])
let party = try RelyingParty(
    .openID(issuer: sandbox.issuer), in: .sandbox(issuer: sandbox.issuer),
    client: RelyingPartyClient(
        id: sandbox.clientID, redirectURI: sandbox.redirectURI, credentials: .keys(signing: sandbox.signingKey)),
    transport: CurlTransport(sandbox.transportOptions), store: MemoryLoginStore())

// A service redirects the browser to this URL, and sets a cookie that ties the login to the browser.
let login = try await party.beginLogin(LoginRequest())
let rules = "--host-resolver-rules='MAP *.test 127.0.0.1' --ignore-certificate-errors --user-data-dir=/tmp/bulla-login"
print("chromium \(rules) '\(login.url)'")

// The provider redirects the browser to the redirect URI, with this query. The binding is in the browser's cookies.
let callback = AuthorizationCallback.query(String((readLine() ?? "").drop { $0 != "?" }.dropFirst()))
let user = try await party.completeLogin(callback: callback, binding: login.binding)
print("subject \(user.subject)")
