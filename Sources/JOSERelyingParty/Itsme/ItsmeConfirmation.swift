/// Template claims of itsme's Confirm service, and values that skip identification (itsme.md, 3).
enum ItsmeConfirmation {
    static func check(_ claims: ClaimsRequest, _ delivery: RequestDelivery?) throws(RelyingPartyFailure) {
        let isObject =
            switch delivery {
            case .object, .reference: true
            default: false
            }
        // Whoever reads the query would read them too.
        for name in ["sub", "phone_number"] where claims.wish(inUserInfo: name)?.value != nil && !isObject {
            throw .invalidParameter("claims")
        }
    }
}
