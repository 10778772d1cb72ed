internal import JOSERelyingParty
internal import JOSESupport

/// An identity provider behind the broker, as a word of the parameter `idp_values` and as the claim `idp` names it.
///
/// A request names the providers that may answer (`LoginRequest.mitIDProviders`), and `LoggedInUser.mitIDProvider`
/// names the one that did. Scopes, parameters, and the claims that a token must have depend on the provider.
@nonexhaustive public enum MitIDProvider: String, CaseIterable, Sendable {
    /// MitID (`mitid`), for private persons, and for members of organizations if ``MitIDSettings/identityTypes``
    /// accepts them.
    case mitID = "mitid"
    /// MitID Erhverv (`mitid_erhverv`), for members of Danish organizations. `LoggedInUser.mitIDBusinessUser` has
    /// their claims. Its level of assurance is at most ``NSISLevel/substantial``.
    case mitIDErhverv = "mitid_erhverv"
    /// The person identification data of the wallet AltID (`euid`), in `LoggedInUser.altIDPerson`.
    case altIDPerson = "euid"
    /// The age proofs of the wallet AltID (`euav`). They are no logins, and are requested with
    /// `RelyingParty.beginAltIDAgeProof(_:)`.
    case altIDAge = "euav"
    /// SoloID (`soloid`), with the scope `soloid`.
    case soloID = "soloid"
    /// e-Boks (`eboks`), with the scopes `eboks`, `eboks_info` and `eboks_national_id`. Its claims are in
    /// `LoggedInUser.userInfo`.
    case eBoks = "eboks"

    /// Creates a provider from its word, compared byte by byte. The result is nil for any other text.
    init?(word: some StringProtocol) {
        guard let provider = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(word.utf8) }) else {
            return nil
        }
        self = provider
    }

    /// Returns the providers of a list of words, separated by single spaces.
    ///
    /// - Throws: `invalidParameter` for an empty list, a word that is not in the table, and a word that is repeated.
    static func list(_ text: String) throws(RelyingPartyError.Reason) -> [MitIDProvider] {
        var providers: [MitIDProvider] = []
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            guard let provider = MitIDProvider(word: word), !providers.contains(provider) else {
                throw .invalidParameter("idp_values")
            }
            providers.append(provider)
        }
        return providers
    }
}

/// The rules in which the logins of one identity provider differ from those of the others. Requests, parameters and
/// tokens are checked by this table alone.
struct MitIDProviderRules: Sendable {
    /// A member of `idp_params`.
    enum Member: Sendable { case mitID, mitIDErhverv }
    /// The rule for the claim `identity_type`.
    enum Identity: Sendable {
        /// The claim is required, and must be one of ``MitIDSettings/identityTypes``.
        case asConfigured
        /// The claim is required, and must be `professional`, or `private` if the request allows it.
        case professional
        /// The claim may be absent, and has any value.
        case optional
    }
    /// The scopes of the provider, in addition to the common ones.
    var scopes: Set<String>
    /// The prefix of the scopes that name an age, and the ages that may follow it; nil if there are none.
    var ages: (prefix: String, accepted: [Int])?
    /// The members of `idp_params` that the provider reads.
    var members: [Member] = []
    /// The rule for `identity_type`.
    var identity = Identity.optional
    /// The highest level of assurance of the provider; nil if its tokens need not state a level.
    var highestLevel: NSISLevel?
    /// The prefix of the values of `amr`, which is removed.
    var authenticatorPrefix = ""
    /// Whether the result is a login, and not a proof of an age alone.
    var isLogin = true
    /// Whether `sub` is the same in later logins.
    var subjectLasts = true

    /// The scopes of all providers.
    static let common: Set<String> = [
        "openid", MitIDScope.userInfoToken.rawValue, MitIDScope.transactionToken.rawValue,
        MitIDScope.offlineAccess.rawValue,
    ]

    /// Whether tokens of the provider are checked as those of MitID are, with `identity_type` and a level.
    var isMitID: Bool { highestLevel != nil }

    /// Returns whether a scope belongs to the provider.
    func owns(_ scope: String) -> Bool { scopes.contains(scope) || age(of: scope) != nil }

    /// Returns the age that a scope of the provider names; nil for any other scope.
    func age(of scope: String) -> Int? {
        guard let ages, scope.utf8.starts(with: ages.prefix.utf8) else { return nil }
        let text = String(decoding: scope.utf8.dropFirst(ages.prefix.utf8.count), as: UTF8.self)
        guard let age = digits(text).map({ Int($0) }), ages.accepted.contains(age), bytesEqual(String(age), text)
        else { return nil }
        return age
    }

    /// Returns whether a request that names these providers may have a scope.
    static func accepts(_ scope: String, of providers: [MitIDProvider]) -> Bool {
        common.contains(scope) || providers.contains { $0.rules.owns(scope) }
    }
}

extension MitIDProvider {
    /// The row of the table for this provider.
    var rules: MitIDProviderRules { Self.table[self] ?? row }

    private static let table = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.row) })

    private var row: MitIDProviderRules {
        switch self {
        case .mitID:
            MitIDProviderRules(
                scopes: [
                    "mitid", MitIDScope.ssn.rawValue, MitIDScope.nameDetails.rawValue,
                    MitIDScope.addressDetails.rawValue, MitIDScope.nemIDPID.rawValue, MitIDAge.minimalScope,
                    MitIDAge.scope,
                ], ages: ("age_verify:", Array(1...150)), members: [.mitID], identity: .asConfigured,
                highestLevel: .high)
        case .mitIDErhverv:
            MitIDProviderRules(
                scopes: ["nemlogin"], members: [.mitID, .mitIDErhverv], identity: .professional,
                highestLevel: .substantial, authenticatorPrefix: "mitid:")
        case .altIDPerson: MitIDProviderRules(scopes: Set(AltIDClaim.allCases.map(\.rawValue)))
        case .altIDAge:
            MitIDProviderRules(
                scopes: [], ages: ("age_over:", [13, 15, 16, 18, 21, 23, 25, 27, 67]), isLogin: false,
                subjectLasts: false)
        case .soloID: MitIDProviderRules(scopes: ["soloid"])
        case .eBoks: MitIDProviderRules(scopes: ["eboks", "eboks_info", "eboks_national_id"])
        }
    }

    /// Returns the name of a scope that names an age.
    func scope(ofAge age: Int) -> String { (rules.ages?.prefix ?? "") + String(age) }
}
