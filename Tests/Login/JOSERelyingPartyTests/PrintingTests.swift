import JOSEItsme
import JOSEMitID
import JOSERelyingParty
import JOSEZenKey
import Testing

@Suite("Descriptions of a login") struct PrintingTests {
    @Test(
        "the description of a request has its parameter names, and nothing about the user or the text to sign")
    func requests() throws {
        let secret = "32+470000001"
        var request = LoginRequest()
        request["login_hint"] = secret
        request["id_token_hint"] = secret
        request.expectedSubject = secret
        var claims = ClaimsRequest()
        claims.askInUserInfo("phone_number", .essential(value: secret))
        request.claims = claims
        var query = ZenKeyCarrierQuery()
        query.subject = secret
        let printed: [Any] = [
            request, claims, ClaimsRequest.Requirement.essential(value: secret), ItsmeConfirmation.freeText(secret),
            MitIDParameters.TransactionText(Array(secret.utf8), type: "text"), query,
            AppLogin.Answer.ended(Array(secret.utf8)),
        ]
        let bytes = Array(secret.utf8).map { "\($0)" }.joined(separator: ", ")
        for value in printed {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                #expect(!text.contains(secret) && !text.contains(bytes), "\(type(of: value))")
            }
        }
        #expect("\(request)" == "LoginRequest")
    }
}
