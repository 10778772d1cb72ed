internal import JOSE

// Descriptions omit everything about a user, so that hints, identification numbers and texts to sign do not reach logs.

extension RelyingParty: Redacted {}

extension LogoutNotice: Redacted {}

extension LoginRequest: Redacted {}

extension ClaimsRequest: Redacted {}

extension ClaimsRequest.Requirement: Redacted {}
