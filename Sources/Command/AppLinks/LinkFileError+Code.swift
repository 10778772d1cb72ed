extension LinkFileError {
    /// A stable identifier of the first finding for logs, metrics and clients. The article "Error codes" of
    /// `JOSETokens` lists all identifiers.
    package var code: String { findings.first?.problem.code ?? "app_link_invalid" }
}

extension LinkFinding.Problem {
    /// A stable identifier of the problem for logs, metrics and clients. The article "Error codes" of `JOSETokens`
    /// lists all identifiers.
    package var code: String {
        switch self {
        case .notHTTPS: "app_link_not_https"
        case .name: "app_link_location_wrong"
        case .redirected: "app_link_redirected"
        case .status: "app_link_unexpected_status"
        case .contentType: "app_link_content_type_mismatch"
        case .tooLarge: "app_link_too_large"
        case .notJSON: "app_link_not_json"
        case .duplicateMember: "app_link_member_duplicate"
        case .missing: "app_link_member_missing"
        case .wrongType: "app_link_type_invalid"
        case .notEmpty: "app_link_list_not_empty"
        case .empty: "app_link_list_empty"
        case .appID: "app_link_app_id_invalid"
        case .path: "app_link_path_invalid"
        case .relation: "app_link_relation_invalid"
        case .namespace: "app_link_namespace_invalid"
        case .packageName: "app_link_package_name_invalid"
        case .fingerprint: "app_link_fingerprint_invalid"
        case .repeated: "app_link_entry_duplicate"
        case .unknownMember: "app_link_member_unknown"
        case .entitlement: "app_link_entitlement_invalid"
        case .entitlementCount: "app_link_too_many_entitlements"
        }
    }
}
