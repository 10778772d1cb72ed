/// A fault of a file for app links, or of the associated domains of an app.
public struct LinkFinding: Equatable, Sendable {
    /// The consequence of a finding.
    @nonexhaustive public enum Severity: Sendable {
        /// Phones may behave in another way than was meant.
        case warning
        /// Phones reject the file, or the entry.
        case error
    }

    /// The kind of a fault.
    @nonexhaustive public enum Problem: Equatable, Sendable {
        // Faults of how the file is served.
        /// The URL is not an https URL.
        case notHTTPS
        /// The file is not at the path or does not have the name that phones look for, for example because it ends in `.json`.
        case name
        /// The server redirects, and phones do not follow.
        case redirected
        /// The server responded with this status.
        case status(Int)
        /// The content type is not `application/json`.
        case contentType
        /// The file has that many bytes, more than ``LinkFile/appleByteLimit``.
        case tooLarge(Int)

        // Faults of the contents.
        /// The file is not JSON; the offset is that of the first wrong byte.
        case notJSON(at: Int)
        /// An object has a duplicate member at this offset, and parsers differ in which one they use.
        case duplicateMember(at: Int)
        /// A required member is missing.
        case missing
        /// A value has a wrong type.
        case wrongType
        /// The list `apps` is not empty.
        case notEmpty
        /// A list has no element, so that no URL is opened.
        case empty
        /// An app ID does not have the form `TEAMID.bundle.id`: ten capital letters and digits, a dot, then letters, digits, dots
        /// and hyphens.
        case appID
        /// A path begins with neither `/` nor `*`, or has a fragment or a character that is not allowed.
        case path
        /// A relation is not one of App Links.
        case relation
        /// A statement is about something else than an app.
        case namespace
        /// A package name does not consist of at least two parts of letters, digits and `_`, separated by dots.
        case packageName
        /// A fingerprint does not consist of 32 pairs of capital hexadecimal digits, separated by colons.
        case fingerprint
        /// An entry is a duplicate.
        case repeated
        /// A member is not part of the format, and has no effect.
        case unknownMember

        // Faults of the associated domains of an app.
        /// An entry does not consist of `applinks:` and a host, which may begin with `*.`.
        case entitlement
        /// The app has that many entries; phones ignore some beyond 20 to 30.
        case entitlementCount(Int)
    }

    /// The consequence of the fault.
    public let severity: Severity
    /// The kind of the fault.
    public let problem: Problem
    /// The path to the value, such as `applinks.details[0].appID`. It is empty for the whole file.
    public let place: String

    static func error(_ problem: Problem, at place: String = "") -> LinkFinding {
        LinkFinding(severity: .error, problem: problem, place: place)
    }
    static func warning(_ problem: Problem, at place: String = "") -> LinkFinding {
        LinkFinding(severity: .warning, problem: problem, place: place)
    }
}

extension LinkFinding: CustomStringConvertible {
    /// A description for a person. It contains nothing of the file except the path to the value.
    public var description: String { (place.isEmpty ? "" : place + ": ") + problem.text }
}

extension LinkFinding.Problem {
    fileprivate var text: String {
        switch self {
        case .notHTTPS: "not an https URL"
        case .name: "not the name and path that phones look for"
        case .redirected: "the server redirects, which phones do not follow"
        case .status(let status): "the server responds with status \(status)"
        case .contentType: "the content type is not application/json"
        case .tooLarge(let count): "\(count) bytes, more than \(LinkFile.appleByteLimit)"
        case .notJSON(let offset): "not JSON, from byte \(offset) on"
        case .duplicateMember(let offset): "duplicate member at byte \(offset)"
        case .missing: "is missing"
        case .wrongType: "is of a wrong type"
        case .notEmpty: "must be empty"
        case .empty: "is empty, so that no URL is opened"
        case .appID: "not a team identifier, a dot and a bundle identifier"
        case .path: "not a path, which begins with / or *, and has no query and no fragment"
        case .relation: "not a relation of App Links"
        case .namespace: "not about an Android app"
        case .packageName: "not a package name"
        case .fingerprint: "not 32 pairs of capital hexadecimal digits separated by colons"
        case .repeated: "is a duplicate"
        case .unknownMember: "has an unknown member, which has no effect"
        case .entitlement: "not applinks: and a host"
        case .entitlementCount(let count): "\(count) entries; phones ignore some beyond 20 to 30"
        }
    }
}

/// The error that is thrown instead of writing a file that phones would reject.
public struct LinkFileError: Error, Equatable, Sendable {
    /// The errors that a check of the file would report.
    public let findings: [LinkFinding]
}
