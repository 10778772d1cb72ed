/// The members of an issuer's metadata whose type is checked as soon as the document is read, by their names (RFC 8414, 2; OpenID
/// Connect Discovery 1.0, 3). Any other is there as JSON text.
@nonexhaustive public enum MetadataMember: String, Sendable, CaseIterable {
    /// Whose metadata this is.
    case issuer
    /// An address.
    case jwksURI = "jwks_uri"
    /// An address.
    case authorizationEndpoint = "authorization_endpoint"
    /// An address.
    case tokenEndpoint = "token_endpoint"
    /// An address.
    case userInfoEndpoint = "userinfo_endpoint"
    /// An address (RFC 9126, 5).
    case pushedAuthorizationRequestEndpoint = "pushed_authorization_request_endpoint"
    /// An address (OpenID Connect RP-Initiated Logout 1.0, 2.1).
    case endSessionEndpoint = "end_session_endpoint"
    /// An address.
    case revocationEndpoint = "revocation_endpoint"
    /// An address.
    case introspectionEndpoint = "introspection_endpoint"
    /// An address.
    case registrationEndpoint = "registration_endpoint"
    /// An address (RFC 8628, 4).
    case deviceAuthorizationEndpoint = "device_authorization_endpoint"
    /// An address (OpenID Connect CIBA 1.0, 4).
    case backchannelAuthenticationEndpoint = "backchannel_authentication_endpoint"
    /// A list.
    case scopes = "scopes_supported"
    /// A list.
    case responseTypes = "response_types_supported"
    /// A list.
    case responseModes = "response_modes_supported"
    /// A list.
    case grantTypes = "grant_types_supported"
    /// A list.
    case acrValues = "acr_values_supported"
    /// A list.
    case subjectTypes = "subject_types_supported"
    /// A list of `alg`.
    case idTokenSigningAlgorithms = "id_token_signing_alg_values_supported"
    /// A list of `alg`.
    case idTokenKeyManagement = "id_token_encryption_alg_values_supported"
    /// A list of `enc`.
    case idTokenContentEncryption = "id_token_encryption_enc_values_supported"
    /// A list of `alg`.
    case userInfoSigningAlgorithms = "userinfo_signing_alg_values_supported"
    /// A list of `alg`.
    case userInfoKeyManagement = "userinfo_encryption_alg_values_supported"
    /// A list of `enc`.
    case userInfoContentEncryption = "userinfo_encryption_enc_values_supported"
    /// A list of `alg`.
    case requestObjectSigningAlgorithms = "request_object_signing_alg_values_supported"
    /// A list of `alg`.
    case requestObjectKeyManagement = "request_object_encryption_alg_values_supported"
    /// A list of `enc`.
    case requestObjectContentEncryption = "request_object_encryption_enc_values_supported"
    /// A list.
    case tokenEndpointAuthMethods = "token_endpoint_auth_methods_supported"
    /// A list of `alg`.
    case tokenEndpointAuthSigningAlgorithms = "token_endpoint_auth_signing_alg_values_supported"
    /// A list.
    case codeChallengeMethods = "code_challenge_methods_supported"
    /// A list of `alg` (RFC 9449, 5.1).
    case dpopSigningAlgorithms = "dpop_signing_alg_values_supported"
    /// A list of `alg` (JARM, 4).
    case authorizationSigningAlgorithms = "authorization_signing_alg_values_supported"
    /// A list of names.
    case claims = "claims_supported"
    /// A truth value (RFC 9207, 3).
    case authorizationResponseIssParameter = "authorization_response_iss_parameter_supported"
    /// A truth value (RFC 9126, 5).
    case requiresPushedAuthorizationRequests = "require_pushed_authorization_requests"
    /// A truth value.
    case requestParameter = "request_parameter_supported"
    /// A truth value.
    case requestURIParameter = "request_uri_parameter_supported"
    /// A truth value.
    case claimsParameter = "claims_parameter_supported"
    /// A truth value (OpenID Connect Back-Channel Logout 1.0, 2.1).
    case backchannelLogout = "backchannel_logout_supported"

    enum Form { case text, address, list, truth }

    var form: Form {
        switch self {
        case .issuer: .text
        case .jwksURI, .authorizationEndpoint, .tokenEndpoint, .userInfoEndpoint, .pushedAuthorizationRequestEndpoint,
            .endSessionEndpoint, .revocationEndpoint, .introspectionEndpoint, .registrationEndpoint,
            .deviceAuthorizationEndpoint, .backchannelAuthenticationEndpoint:
            .address
        case .scopes, .responseTypes, .responseModes, .grantTypes, .acrValues, .subjectTypes, .idTokenSigningAlgorithms,
            .idTokenKeyManagement, .idTokenContentEncryption, .userInfoSigningAlgorithms, .userInfoKeyManagement,
            .userInfoContentEncryption, .requestObjectSigningAlgorithms, .requestObjectKeyManagement,
            .requestObjectContentEncryption, .tokenEndpointAuthMethods, .tokenEndpointAuthSigningAlgorithms,
            .codeChallengeMethods, .dpopSigningAlgorithms, .authorizationSigningAlgorithms, .claims:
            .list
        case .authorizationResponseIssParameter, .requiresPushedAuthorizationRequests, .requestParameter,
            .requestURIParameter, .claimsParameter, .backchannelLogout:
            .truth
        }
    }
}
