package import JOSE
internal import JOSESupport

/// The tenants whose tokens an ``IssuerTemplate`` accepts. A tenant is named by a GUID in lower case, as `tid` has it.
public enum TenantRule: Sendable, Equatable {
    /// `tid` must be one of these tenants. An empty list, and a text that is not a GUID in lower case, is rejected with
    /// `policyInvalid`.
    case oneOf([String])
    /// Any tenant but these is accepted: the administrators of every tenant can then issue tokens for users of theirs.
    /// A text that is not a GUID in lower case is rejected with `policyInvalid`.
    case any(except: [String])
}

/// The issuers of a provider with many tenants, such as Microsoft Entra ID: the address of each contains the tenant.
///
/// A token meets the template if `tid` is a GUID in lower case, if `iss` equals the template with that tenant in place
/// of `{tenantid}`, byte by byte, if the tenant is accepted, and if the key that verified the token has a member
/// `issuer` which with the tenant in place of `{tenantid}` equals `iss` too. Such a provider publishes the keys of all
/// tenants in one key set, and that member says for which of them a key may sign; a key without the member is rejected.
///
/// ```swift
/// let issuers = IssuerTemplate(
///     "https://login.microsoftonline.com/{tenantid}/v2.0", tenants: .oneOf(["72f988bf-86f1-41af-91ab-2d7cd011db47"]))
/// let claims = ClaimPolicy(issuer: .template(issuers), audience: "api://orders")
/// ```
public struct IssuerTemplate: Sendable, Equatable {
    /// The address of an issuer with `{tenantid}` in place of the tenant.
    package let text: String
    /// The tenants whose tokens are accepted.
    package let tenants: TenantRule

    /// Creates a template. It is checked when a verifier or a relying party is created with it.
    ///
    /// - Parameters:
    ///   - text: An https URL without query and fragment, of which exactly one whole segment of the path is
    ///     `{tenantid}`. Any other text is rejected with `policyInvalid`.
    ///   - tenants: The tenants whose tokens are accepted.
    public init(_ text: String, tenants: TenantRule) {
        self.text = text
        self.tenants = tenants
    }

    /// The text that stands for the tenant.
    package static let placeholder = "{tenantid}"

    /// Returns whether two templates have the same bytes and the same rule for tenants.
    public static func == (left: Self, right: Self) -> Bool {
        bytesEqual(left.text, right.text) && left.tenants == right.tenants
    }
}

/// A validated ``IssuerTemplate``, with its texts as bytes.
package struct IssuerMatcher: Sendable {
    /// The bytes of the template before and after the placeholder.
    private let prefix, suffix: [UInt8]
    private let tenants: TextList
    /// Whether `tenants` lists those that are accepted, and not those that are rejected.
    private let acceptsListed: Bool

    /// The length of a GUID in its text form (RFC 9562, 4).
    private static let tenantCount = 36

    /// Creates the matcher of a template.
    ///
    /// - Returns: The matcher; nil for a template that is not valid.
    package init?(_ template: IssuerTemplate) {
        let (listed, acceptsListed): ([String], Bool) =
            switch template.tenants {
            case .oneOf(let tenants): (tenants, true)
            case .any(let tenants): (tenants, false)
            }
        guard !(acceptsListed && listed.isEmpty), listed.allSatisfy({ Self.isTenant($0.utf8.span) }),
            let (prefix, suffix) = Self.halves(Array(template.text.utf8))
        else { return nil }
        (self.prefix, self.suffix, self.acceptsListed) = (prefix, suffix, acceptsListed)
        tenants = TextList(listed)
    }

    /// Returns what is before and after the placeholder; nil unless the text is an https URL without query and
    /// fragment, and the placeholder is one whole segment of its path.
    private static func halves(_ text: [UInt8]) -> ([UInt8], [UInt8])? {
        let placeholder = Array(IssuerTemplate.placeholder.utf8)
        guard text.count <= 2_048, text.starts(with: "https://".utf8),
            let path = text[8...].firstIndex(of: UInt8(ascii: "/")), path > 8,
            let place = text[path...].firstRange(of: placeholder)
        else { return nil }
        // Neither part may have a brace, so that the placeholder occurs once.
        let prefix = text[..<place.lowerBound]
        let suffix = text[place.upperBound...]
        guard prefix.last == UInt8(ascii: "/"), suffix.isEmpty || suffix.first == UInt8(ascii: "/"),
            !text[8..<path].contains(UInt8(ascii: "@")), prefix.allSatisfy(isOfURL), suffix.allSatisfy(isOfURL)
        else { return nil }
        return (Array(prefix), Array(suffix))
    }

    /// Returns whether a byte may be in a URL without query and fragment (RFC 3986, 2).
    private static func isOfURL(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !"\"<>\\^`{|}?#%".utf8.contains(byte)
    }

    /// Returns whether the bytes are a GUID in lower case.
    package static func isTenant(_ text: Span<UInt8>) -> Bool {
        guard text.count == tenantCount else { return false }
        for index in text.indices {
            switch (index, text[index]) {
            case (8, let byte), (13, let byte), (18, let byte), (23, let byte):
                guard byte == UInt8(ascii: "-") else { return false }
            case (_, UInt8(ascii: "0")...UInt8(ascii: "9")), (_, UInt8(ascii: "a")...UInt8(ascii: "f")): continue
            default: return false
            }
        }
        return true
    }

    /// Returns the template with a path segment in place of the placeholder.
    package func issuer(of segment: String) -> String {
        String(decoding: prefix + Array(segment.utf8) + suffix, as: UTF8.self)
    }

    /// Returns whether an issuer is the template with a tenant in place of the placeholder.
    package func matches(_ issuer: Span<UInt8>) -> Bool {
        guard issuer.count == prefix.count + Self.tenantCount + suffix.count else { return false }
        let end = prefix.count + Self.tenantCount
        return bytesEqual(issuer.extracting(0..<prefix.count), prefix.span)
            && Self.isTenant(issuer.extracting(prefix.count..<end))
            && bytesEqual(issuer.extracting(end..<issuer.count), suffix.span)
    }

    /// Returns whether an issuer is that of an accepted tenant.
    package func accepts(_ issuer: Span<UInt8>) -> Bool {
        guard matches(issuer) else { return false }
        return tenants.contains(issuer.extracting(prefix.count..<prefix.count + Self.tenantCount)) == acceptsListed
    }

    /// Returns whether a key may verify tokens of an issuer that the template matches: its member `issuer`, with the
    /// tenant in place of the placeholder, must equal the issuer. The placeholder is compared without case.
    package func allows(_ key: JWK?, toVerify issuer: Span<UInt8>) -> Bool {
        guard matches(issuer), let own = key?.issuer else { return false }
        var text = Array(own.utf8)
        let placeholder = Array(IssuerTemplate.placeholder.utf8)
        let lower = text.map(\.asciiLowercased)
        // If there are two, the second one stays, and equals nothing: the template has no braces beside its own.
        if let start = lower.indices.first(where: { lower[$0...].starts(with: placeholder) }) {
            let tenant = issuer.extracting(prefix.count..<prefix.count + Self.tenantCount)
            text.replaceSubrange(start..<start + placeholder.count, with: tenant.indices.map { tenant[$0] })
        }
        return bytesEqual(text.span, issuer)
    }

    /// Returns whether a tenant is accepted.
    fileprivate func accepts(_ tenant: JSONValue, in text: Span<UInt8>) -> Bool {
        tenants.contains(tenant, in: text) == acceptsListed
    }
}

extension ClaimRun {
    /// Checks `tid` and `iss` of a token whose issuer is one of a template, and that the tenant is accepted.
    mutating func issuer(_ template: IssuerMatcher, in claims: Claims) throws(ClaimFault) {
        guard let tenant = try tenant(template, in: claims) else { return }
        if !template.accepts(tenant, in: claims.payload.span) { try fail(ClaimFault(claim: "tid", kind: .untrusted)) }
    }

    /// Checks that `tid` is a GUID in lower case, and that `iss` is the template with it.
    ///
    /// - Returns: The value of `tid`; nil if a failure was recorded.
    mutating func tenant(_ template: IssuerMatcher, in claims: Claims) throws(ClaimFault) -> JSONValue? {
        let bytes = claims.payload.span
        guard let tenant = claims.value("tid") else {
            try fail(ClaimFault(claim: "tid", kind: .absent))
            return nil
        }
        guard let name = tenant.stringBytes(in: bytes), IssuerMatcher.isTenant(name.span) else {
            try fail(ClaimFault(claim: "tid", kind: .malformed))
            return nil
        }
        guard let issuer = value(.iss, in: claims)?.stringBytes(in: bytes), template.isIssuer(issuer, of: name) else {
            try fail(.iss, .mismatch)
            return nil
        }
        return tenant
    }
}

extension IssuerMatcher {
    /// Returns whether an issuer is the template with a tenant in place of the placeholder.
    fileprivate func isIssuer(_ issuer: [UInt8], of tenant: [UInt8]) -> Bool {
        matches(issuer.span)
            && bytesEqual(issuer.span.extracting(prefix.count..<prefix.count + Self.tenantCount), tenant.span)
    }
}

extension ClaimChecker {
    /// Checks that the key which verified a token may verify those of its tenant, where the issuer is one of a
    /// template. The check precedes that of the claims, which report a `tid` or an `iss` that is not one of the
    /// template.
    func check(_ key: JWK?, of claims: Claims) throws(TokenError) {
        let bytes = claims.payload.span
        guard let template, let tenant = claims.value("tid")?.stringBytes(in: bytes),
            let issuer = claims.value("iss")?.stringBytes(in: bytes), template.isIssuer(issuer, of: tenant)
        else { return }
        guard template.allows(key, toVerify: issuer.span) else {
            throw .jose(.keyUnsuitable(.issuer), layer: .signature)
        }
    }
}

extension IssuerRule {
    /// The issuer as it is configured: the only accepted one, or the text of the template; nil for any other rule.
    var configured: String? {
        switch self {
        case .exactly(let issuer): issuer
        case .template(let template): template.text
        case .oneOf, .anyIssuerUnchecked: nil
        }
    }
}
