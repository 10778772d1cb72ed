internal import JOSE
internal import JOSEKeySets
internal import JOSERelyingParty
internal import JOSESupport
internal import JOSETokens
internal import JOSEZenKey

/// The endpoints that the service's app calls. They answer in JSON.
extension DemoService {
    private static let appCookie = "__Host-demo-app"

    /// Answers a request of the app: `begin` begins a login that the app performs, and `complete` completes it.
    func answerApp(_ login: DemoLogin, _ part: String, _ request: WebRequest) async -> TransportResponse {
        guard request.header("Content-Type") == "application/json" else { return TransportResponse(status: 415) }
        guard let (party, asked) = login.handover else { return .notFound() }
        do throws(RelyingPartyError) {
            switch part {
            case "begin":
                let session = Randomness.text()
                let handover = try await party.beginZenKeyHandover(asked, session: session)
                let cookie = WebCookie.text(Self.appCookie, session, sameSite: "Strict")
                return .json(
                    ["handle": .string(handover.handle), "nonce": .string(handover.nonce)],
                    [TransportHeaderField("Set-Cookie", cookie)])
            case "complete":
                let session = request.cookie(Self.appCookie) ?? ""
                let began = SystemClock.elapsed()
                let user = DemoUser(try await party.completeZenKeyHandover(request.body, session: session))
                count(since: began)
                // The subject stays at the service.
                let name = user.details.first { $0.name == "Name" }?.value ?? ""
                return .json(["name": .string(name)])
            default: return .notFound()
            }
        } catch {
            return .json(["error": .string(Self.failure(error.reason)), "remedy": "\(error.action)"], status: 400)
        }
    }
}
