/// One thing that a file of links, or an app's list of domains, has wrong.
public struct LinkFinding: Equatable, Sendable {
    /// Whether phones refuse it.
    @nonexhaustive public enum Severity: Sendable {
        /// Phones may do other than was meant.
        case warning
        /// Phones refuse the file, or the entry.
        case error
    }

    /// What is wrong.
    @nonexhaustive public enum Problem: Equatable, Sendable {
        // How it is served.
        /// Not https, or no URL.
        case notHTTPS
        /// Not where, or not named as, phones look for it: `.json` behind Apple's name, for one.
        case name
        /// The server sends elsewhere; phones do not go there.
        case redirected
        /// The server answered with this status.
        case status(Int)
        /// Not `application/json`.
        case contentType
        /// More bytes than ``LinkFile/appleByteLimit``.
        case tooLarge(Int)

        // What it says.
        /// Not JSON, from this byte on.
        case notJSON(at: Int)
        /// A member's name comes twice in one object, at this byte; readers differ in which one they take.
        case duplicateMember(at: Int)
        /// A member that must be there is not.
        case missing
        /// A value of another type than it must have.
        case wrongType
        /// A list that must be empty is not (`apps`).
        case notEmpty
        /// A list without an element: nothing is opened.
        case empty
        /// Not `TEAMID.bundle.id`: ten capital letters and digits, a dot, letters, digits, dots and hyphens.
        case appID
        /// Not a path: it begins with neither `/` nor `*`, or has a query or a fragment, which are not looked at.
        case path
        /// Not a relation that App Links know.
        case relation
        /// A statement about something else than an app.
        case namespace
        /// Not a package's name: parts of letters, digits and `_` behind dots, two at least.
        case packageName
        /// Not 32 pairs of capital hexadecimal digits with colons between them.
        case fingerprint
        /// The same twice.
        case repeated
        /// A member that this form does not have, so that what it says counts for nothing here.
        case unknownMember

        // An app's own list.
        /// Not `applinks:` and a host, which may begin with `*.`.
        case entitlement
        /// So many entries; beyond 20 to 30 phones leave some out.
        case entitlementCount(Int)
    }

    /// By what phones do about it.
    public let severity: Severity
    /// What is wrong there.
    public let problem: Problem
    /// The path to the value, such as `applinks.details[0].appID`; empty for the whole.
    public let place: String

    static func error(_ problem: Problem, at place: String = "") -> LinkFinding {
        LinkFinding(severity: .error, problem: problem, place: place)
    }
    static func warning(_ problem: Problem, at place: String = "") -> LinkFinding {
        LinkFinding(severity: .warning, problem: problem, place: place)
    }
}

extension LinkFinding: CustomStringConvertible {
    /// For a person; nothing of the file but the path to the value.
    public var description: String { (place.isEmpty ? "" : place + ": ") + problem.text }
}

extension LinkFinding.Problem {
    fileprivate var text: String {
        switch self {
        case .notHTTPS: "not a URL of https"
        case .name: "not the name and place that phones look for"
        case .redirected: "the server sends elsewhere, where phones do not go"
        case .status(let status): "the server answers with status \(status)"
        case .contentType: "the content type is not application/json"
        case .tooLarge(let count): "\(count) bytes, more than \(LinkFile.appleByteLimit)"
        case .notJSON(let offset): "not JSON, from byte \(offset) on"
        case .duplicateMember(let offset): "a member comes twice, at byte \(offset)"
        case .missing: "is missing"
        case .wrongType: "is of a wrong type"
        case .notEmpty: "must be empty"
        case .empty: "is empty, so that nothing is opened"
        case .appID: "not a team's identifier, a dot and a bundle's identifier"
        case .path: "not a path, which begins with / or *, and has no query and no fragment"
        case .relation: "not a relation of App Links"
        case .namespace: "not about an Android app"
        case .packageName: "not the name of a package"
        case .fingerprint: "not 32 pairs of capital hexadecimal digits with colons between them"
        case .repeated: "is there twice"
        case .unknownMember: "is none of this form, and counts for nothing"
        case .entitlement: "not applinks: and a host"
        case .entitlementCount(let count): "\(count) entries; beyond 20 to 30 phones leave some out"
        }
    }
}

/// Why a file was not made.
public struct LinkFileError: Error, Equatable, Sendable {
    /// What a check of it would find; errors alone.
    public let findings: [LinkFinding]
}
