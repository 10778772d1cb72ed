/// A fault in a file for app links, or in the associated domains of an app.
package struct LinkFinding: Equatable, Sendable {
    /// The severity of a finding.
    @nonexhaustive package enum Severity: Sendable {
        /// Devices may not behave as intended.
        case warning
        /// Devices reject the file or the entry.
        case error
    }

    /// The kind of a fault.
    @nonexhaustive package enum Problem: Equatable, Sendable {
        // Faults of how the file is served.
        /// The URL is not an https URL.
        case notHTTPS
        /// The file is not at the path, or does not have the name, at which devices request it, for example because its
        /// name has the extension `.json`.
        case name
        /// The server responded with a redirect, which devices do not follow.
        case redirected
        /// The server responded with this HTTP status and not with 200.
        case status(Int)
        /// The content type is not `application/json`.
        case contentType
        /// The file has this many bytes, more than ``LinkFile/appleByteLimit``.
        case tooLarge(Int)

        // Faults of the contents.
        /// The file is not valid JSON. The associated value is the offset of the first invalid byte.
        case notJSON(at: Int)
        /// An object has two members of the same name, and parsers differ in which one they use. The associated value
        /// is the offset of the second one.
        case duplicateMember(at: Int)
        /// A required member is missing.
        case missing
        /// A value has the wrong JSON type.
        case wrongType
        /// The list `apps` is not empty, although Apple requires it to be.
        case notEmpty
        /// A list that must have an element is empty, so that no app opens a URL.
        case empty
        /// An app ID does not have the form `TEAMID.bundle.id`: ten uppercase letters and digits, a dot, then letters,
        /// digits, dots and hyphens.
        case appID
        /// A path pattern begins with neither `/` nor `*`, or contains `#` or a character other than visible ASCII.
        case path
        /// A relation is not one of those that ``AndroidAssetLinks/Relation`` defines.
        case relation
        /// The `namespace` of a statement is not `android_app`, so that it is not about an app.
        case namespace
        /// A package name does not consist of at least two parts of letters, digits and `_`, separated by dots.
        case packageName
        /// A fingerprint does not consist of 32 pairs of uppercase hexadecimal digits, separated by colons.
        case fingerprint
        /// An entry occurs more than once.
        case repeated
        /// A member is not part of the format, and has no effect.
        case unknownMember

        // Faults of the associated domains of an app.
        /// An entry does not consist of `applinks:` and a host name, optionally with the prefix `*.`.
        case entitlement
        /// The app has this many associated domains. Devices ignore some of them beyond the first 20 to 30.
        case entitlementCount(Int)
    }

    /// The severity of the fault.
    package let severity: Severity
    /// The kind of the fault.
    package let problem: Problem
    /// The path to the faulty value, such as `applinks.details[0].appID`. It is empty if the fault is in the file or
    /// the list as a whole.
    package let location: String

    static func error(_ problem: Problem, at location: String = "") -> LinkFinding {
        LinkFinding(severity: .error, problem: problem, location: location)
    }
    static func warning(_ problem: Problem, at location: String = "") -> LinkFinding {
        LinkFinding(severity: .warning, problem: problem, location: location)
    }
}

extension LinkFinding: CustomStringConvertible {
    /// A human-readable description. It contains nothing from the file except the path to the value.
    package var description: String { (location.isEmpty ? "" : location + ": ") + problem.text }
}

extension LinkFinding.Problem {
    /// A stable identifier of the problem for logs, metrics and clients. The article "Error codes" of `JOSETokens`
    /// lists all identifiers.
    package var code: String { row.code }
    fileprivate var text: String { row.text }

    private var row: (code: String, text: String) {
        switch self {
        case .notHTTPS: ("app_link_not_https", "not an https URL")
        case .name: ("app_link_location_wrong", "not the name and path that phones look for")
        case .redirected: ("app_link_redirected", "the server redirects, which phones do not follow")
        case .status(let status): ("app_link_unexpected_status", "the server responds with status \(status)")
        case .contentType: ("app_link_content_type_mismatch", "the content type is not application/json")
        case .tooLarge(let count): ("app_link_too_large", "\(count) bytes, more than \(LinkFile.appleByteLimit)")
        case .notJSON(let offset): ("app_link_not_json", "not JSON, from byte \(offset) on")
        case .duplicateMember(let offset): ("app_link_member_duplicate", "duplicate member at byte \(offset)")
        case .missing: ("app_link_member_missing", "is missing")
        case .wrongType: ("app_link_type_invalid", "is of a wrong type")
        case .notEmpty: ("app_link_list_not_empty", "must be empty")
        case .empty: ("app_link_list_empty", "is empty, so that no URL is opened")
        case .appID: ("app_link_app_id_invalid", "not a team identifier, a dot and a bundle identifier")
        case .path: ("app_link_path_invalid", "not a path, which begins with / or *, and has no query and no fragment")
        case .relation: ("app_link_relation_invalid", "not a relation of App Links")
        case .namespace: ("app_link_namespace_invalid", "not about an Android app")
        case .packageName: ("app_link_package_name_invalid", "not a package name")
        case .fingerprint:
            ("app_link_fingerprint_invalid", "not 32 pairs of capital hexadecimal digits separated by colons")
        case .repeated: ("app_link_entry_duplicate", "is a duplicate")
        case .unknownMember: ("app_link_member_unknown", "has an unknown member, which has no effect")
        case .entitlement: ("app_link_entitlement_invalid", "not applinks: and a host")
        case .entitlementCount(let count):
            ("app_link_too_many_entitlements", "\(count) entries; phones ignore some beyond 20 to 30")
        }
    }
}

/// The error that is thrown if the file to write has faults for which devices would reject it.
package struct LinkFileError: Error, Equatable, Sendable {
    /// The findings of severity `error` that a check of the file would report.
    package let findings: [LinkFinding]
}

extension LinkFileError: CustomStringConvertible {
    /// A stable identifier of the first finding for logs, metrics and clients. The article "Error codes" of
    /// `JOSETokens` lists all identifiers.
    package var code: String { findings.first?.problem.code ?? "app_link_invalid" }
    /// The findings, separated by semicolons.
    package var description: String { findings.map { "\($0)" }.joined(separator: "; ") }
}
