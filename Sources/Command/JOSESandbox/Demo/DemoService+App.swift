internal import JOSE
internal import JOSEBytes
internal import JOSEKeySets
internal import JOSERelyingParty
internal import JOSETokens

/// The endpoints that the service's app calls. They answer in JSON.
extension DemoService {
    private static let appCookie = "__Host-demo-app"

    /// Answers a request of the app: `begin` begins a login that the app performs, and `complete` completes it.
    func answerApp(_ login: DemoLogin, _ part: String, _ request: WebRequest) async -> TransportResponse {
        guard request.header("Content-Type") == "application/json" else { return TransportResponse(status: 415) }
        guard let (party, asked) = login.handover else { return Page.notFound() }
        do throws(RelyingPartyError) {
            switch part {
            case "begin":
                let session = Randomness.text()
                let handover = try await party.beginZenKeyHandover(asked, session: session)
                let body: ClaimsBuilder = ["handle": .string(handover.handle), "nonce": .string(handover.nonce)]
                let cookie = "\(Self.appCookie)=\(session); Path=/; Secure; HttpOnly; SameSite=Strict"
                return .json(body.json(), status: 200, [TransportHeaderField("Set-Cookie", cookie)])
            case "complete":
                let session = request.cookie(Self.appCookie) ?? ""
                let began = SystemClock.elapsed()
                let user = DemoUser(try await party.completeZenKeyHandover(request.body, session: session))
                count(since: began)
                // The subject stays at the service.
                let name = user.details.first { $0.name == "Name" }?.value ?? ""
                return .json((["name": .string(name)] as ClaimsBuilder).json())
            default: return Page.notFound()
            }
        } catch {
            let body: ClaimsBuilder = [
                "error": .string(Self.failure(error.reason)), "remedy": .string("\(error.remedy)"),
            ]
            return .json(body.json(), status: 400)
        }
    }
}
