import JOSE
import JOSEKeySets
import JOSERelyingParty
import JOSETesting
import JOSETokens

// Logins with a provider that the library does not know, described by the public interface alone.
let clock = TestClock()
let acme = try ScriptedAcme(clock: clock.wallClock)
let party = try RelyingParty(
    .acme, in: .test,
    client: RelyingPartyClient(
        id: ScriptedAcme.clientID, redirectURI: "https://shop.example/callback",
        credentials: .secret("a secret of the client")),
    transport: acme, store: MemoryLoginStore(clock: clock.wallClock), clock: clock.wallClock)

var request = LoginRequest.acme(tenant: "north")
request.acrValues = ["urn:acme:loa:token"]

/// Returns the error of a login, or nil after a login that succeeded.
@MainActor func failure(
    _ request: LoginRequest, callback: ((String) -> String)? = nil,
    _ change: @escaping @Sendable (inout ClaimsBuilder) -> Void = { _ in }
) async -> RelyingPartyError? {
    acme.change(change)
    do throws(RelyingPartyError) {
        let start = try await party.beginLogin(request)
        let query = acme.visit(start.url)
        _ = try await party.completeLogin(callback: .query(callback?(query) ?? query), binding: start.binding)
        return nil
    } catch {
        return error
    }
}

let start = try await party.beginLogin(request)
precondition(start.url.hasPrefix(ScriptedAcme.issuer + "/authorize?"), start.url)
let sent = ScriptedAcme.parameters(start.url)
precondition(sent["acme_tenant"] == "north" && sent["code_challenge_method"] == "S256", "\(sent.keys.sorted())")
let callback = AuthorizationCallback.query(acme.visit(start.url))
let user = try await party.completeLogin(
    callback: callback, binding: callback.binding(inCookies: String(start.cookie.prefix { $0 != ";" })))
precondition(user.issuer == ScriptedAcme.issuer && user.subject == "user-1")
precondition(user.acmeEmployeeID == "e-7" && user.string("name") == "Jo")

// Each rule rejects what violates it; the logins between them, which meet it, succeed.
let cases: [(RelyingPartyError.Reason?, @Sendable (inout ClaimsBuilder) -> Void)] = [
    (nil, { _ in }),
    (.claimMissing("employee_id"), { $0["employee_id"] = nil }),
    (.claimMissing("employee_id"), { $0["employee_id"] = "" }),
    (.claimType("employee_id"), { $0["employee_id"] = 7 }),
    (nil, { $0["employment"] = "leave" }),
    (.claimUnexpected("employment"), { $0["employment"] = "left" }),
    (.claimUnexpected("tenant"), { $0["tenant"] = "south" }),
    (nil, { $0["acr"] = "urn:acme:loa:card" }),
    (.acrTooLow, { $0["acr"] = "urn:acme:loa:password" }),
    (.acrTooLow, { $0["acr"] = "urn:other" }),
    (.acrTooLow, { $0["acr"] = nil }),
    (.nonceMismatch, { $0["nonce"] = "another" }),
    (.claimType("sub"), { $0["sub"] = "é" }),
]
for (place, (expected, change)) in cases.enumerated() {
    let found = await failure(request, change)
    precondition(found?.reason == expected, "case \(place): \(String(describing: found))")
}

// The provider's own error codes, and one of OAuth.
for (code, reason, action) in [
    ("acme_cancelled", RelyingPartyError.Reason.cancelled, RelyingPartyError.Action.tellUser),
    ("acme_account_locked", .providerError(ProviderErrorCode("acme_account_locked")!), .tellUser),
    ("temporarily_unavailable", .providerError(ProviderErrorCode("temporarily_unavailable")!), .restart),
] {
    let found = await failure(request, callback: { $0.replacing("code=1", with: "error=\(code)") })
    precondition(found?.reason == reason && found?.action == action, "\(code): \(String(describing: found))")
}

// A parameter that the profile does not list is rejected before anything is sent.
let calls = acme.calls
request["acme_theme"] = "dark"
let refusal = await failure(request)
precondition(refusal == RelyingPartyError(.invalidParameter("acme_theme"), in: .request))
precondition(acme.calls == calls)

// A browser that did not begin the login cannot complete it, and the callback cannot be used again.
request["acme_theme"] = nil
let other = try await party.beginLogin(request)
let foreign = AuthorizationCallback.query(acme.visit(other.url))
for (binding, reason) in [("another", RelyingPartyError.Reason.bindingMismatch), (other.binding, .stateMismatch)] {
    do throws(RelyingPartyError) {
        _ = try await party.completeLogin(callback: foreign, binding: binding)
        preconditionFailure("logged in")
    } catch {
        precondition(error.reason == reason, "\(error)")
    }
}
print(
    "A consumer described a provider of its own: \(cases.count) logins, \(acme.calls) of which reached the token endpoint."
)
