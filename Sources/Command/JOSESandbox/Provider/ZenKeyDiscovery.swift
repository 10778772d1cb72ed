internal import JOSEKeySets
internal import JOSETokens
internal import JOSEZenKey

/// ZenKey's discovery service: the carrier of a SIM card, and the page that asks for it if it is unknown.
package struct ZenKeyDiscovery: Sendable {
    package struct ZenKeyCarrier: Sendable {
        /// The six digits of mobile country code and network code.
        package let code: String
        let title: String
        let authority: String
    }

    package let authority: String
    let clientID: String
    let redirectURI: String
    /// The other clients of the carriers, whose users choose no carrier on the page.
    let otherClients: [String]
    package let carriers: [ZenKeyCarrier]

    private var page: String { "https://\(authority)/ui/discovery-ui" }

    func answer(_ request: WebRequest) -> TransportResponse {
        guard request.isRead else { return .methodNotAllowed("GET") }
        guard let query = request.query, query.repeated == nil else { return TransportResponse(status: 400) }
        switch request.path {
        case "/.well-known/openid_configuration": return configuration(query)
        case "/ui/discovery-ui": return choice(query)
        default: return .notFound()
        }
    }

    private func configuration(_ query: FormFields) -> TransportResponse {
        guard let client = query["client_id"], ([clientID] + otherClients).contains(client) else {
            return .json(["error": "invalid_request", "error_description": "no such client_id"], status: 400)
        }
        guard let carrier = carriers.first(where: { $0.code == query["mccmnc"] }), query["prompt"] != "true" else {
            return .json(["error": "provider_not_found", "redirect_uri": .string(page)])
        }
        let issuer = "https://" + carrier.authority
        return .json([
            "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorization"),
            "token_endpoint": .string(issuer + "/token"), "userinfo_endpoint": .string(issuer + "/userinfo"),
            "jwks_uri": .string(issuer + "/jwks"), "mccmnc": .integer(Int64(carrier.code) ?? 0),
            "link_branding": .string(carrier.title), "response_types_supported": ["code"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        ])
    }

    /// Returns the page for choosing a carrier, in place of a code that is shown and confirmed on the telephone.
    private func choice(_ query: FormFields) -> TransportResponse {
        guard query["client_id"] == clientID, query["redirect_uri"] == redirectURI else {
            return .page(
                "Which carrier?", status: 400, "<p role=\"alert\">The client or its redirect_uri is not known.</p>")
        }
        if let carrier = carriers.first(where: { $0.code == query["carrier"] }) {
            var fields = FormFields()
            fields.add("login_hint_token", Randomness.text())
            fields.add("mccmnc", carrier.code)
            if let state = query["state"] { fields.add("state", state) }
            return .seeOther(redirectURI + "?" + fields.encoded)
        }
        let kept: [Markup] = ["client_id", "redirect_uri", "state"].compactMap { name in
            query[name].map { "<input type=\"hidden\" name=\"\(name)\" value=\"\($0)\">" }
        }
        let buttons: [Markup] = carriers.map {
            "<button name=\"carrier\" value=\"\($0.code)\">\($0.title)</button>"
        }
        return .page(
            // The service redirects the browser to the carrier that was chosen.
            "Which carrier?",
            formTargets: [redirectURI.origin] + carriers.map { "https://" + $0.authority },
            """
            <p>This device has no SIM card: which carrier is your telephone with?</p>
            <form method="get" action="/ui/discovery-ui">
            \(kept)
            <p>\(buttons)</p></form>
            """)
    }
}
