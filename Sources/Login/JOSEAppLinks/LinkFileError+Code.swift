extension LinkFileError {
    /// A stable identifier of the first finding for logs, metrics and other languages; the article Error codes of JOSETokens
    /// lists
    /// them.
    public var code: String { findings.first?.problem.code ?? "app_link_invalid" }
}

extension LinkFinding.Problem {
    /// A stable identifier of the problem for logs, metrics and other languages; the article Error codes of JOSETokens lists
    /// them.
    public var code: String {
        switch self {
        case .notHTTPS: "app_link_not_https"
        case .name: "app_link_name"
        case .redirected: "app_link_redirected"
        case .status: "app_link_status"
        case .contentType: "app_link_content_type"
        case .tooLarge: "app_link_too_large"
        case .notJSON: "app_link_not_json"
        case .duplicateMember: "app_link_duplicate_member"
        case .missing: "app_link_missing"
        case .wrongType: "app_link_wrong_type"
        case .notEmpty: "app_link_not_empty"
        case .empty: "app_link_empty"
        case .appID: "app_link_app_id"
        case .path: "app_link_path"
        case .relation: "app_link_relation"
        case .namespace: "app_link_namespace"
        case .packageName: "app_link_package_name"
        case .fingerprint: "app_link_fingerprint"
        case .repeated: "app_link_repeated"
        case .unknownMember: "app_link_unknown_member"
        case .entitlement: "app_link_entitlement"
        case .entitlementCount: "app_link_entitlement_count"
        }
    }
}
