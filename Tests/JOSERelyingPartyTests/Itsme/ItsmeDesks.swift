import JOSERelyingParty

extension LoginDesk {
    static func itsmeV2(request: LoginRequest = .itsme(service: "SHOP", level: .basic)) throws -> LoginDesk {
        var manner = ProviderManner(authentication: .assertion(audience: issuer + "/token", isEncrypted: true))
        manner.acr = "http://itsme.services/V2/claim/acr_basic"
        return try LoginDesk(.itsmeV2, manner: manner, request: request)
    }
}
