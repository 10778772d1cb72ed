/// Why a login did not come about. Holds nothing that a browser or a provider sent, but the provider's own error code.
public struct RelyingPartyError: Error, Equatable, Sendable {
    /// The check that failed, the first in the order of the provider's specification.
    public let reason: Reason
    /// Of what.
    public let step: LoginStep
    /// What the service does about it.
    public let remedy: Remedy

    /// A Boolean value that indicates whether the same call may succeed later: whether `remedy` is `Remedy.retry`. False where a
    /// value that may be used once is gone, such as the code of a login: a new login is needed then, whatever failed.
    public var isRetryable: Bool { remedy == .retry }

    /// For those who write stores, transports and tests. Without a remedy, it is the one that follows from the failure.
    public init(_ reason: Reason, in step: LoginStep, remedy: Remedy? = nil) {
        self.reason = reason
        self.step = step
        self.remedy = remedy ?? Remedy(for: reason, in: step)
    }

    /// Equal where the same check of the same thing failed.
    public static func == (left: Self, right: Self) -> Bool { left.reason == right.reason && left.step == right.step }
}

/// What was at hand when a check failed.
@nonexhaustive public enum LoginStep: Equatable, Sendable {
    /// The service's own settings, before anything was sent.
    case configuration
    /// The authorization request, before anything was sent.
    case request
    /// The provider's metadata.
    case discovery
    /// The answer of the pushed authorization request's endpoint.
    case pushedRequest
    /// What the browser or the app brought back.
    case callback
    /// The answer of the token endpoint.
    case tokenResponse
    /// A token of its name.
    case idToken, accessToken, userInfo, transactionToken, portToken, logoutToken
    /// The answer of the artifact resolution service (SAML 2.0 Bindings, 3.6), and what it says of itself.
    case artifactResponse
    /// The assertion within it.
    case assertion
    /// The store of transactions and used values.
    case store
}

/// A parameter's name, from a specification; never from what somebody sent.
public struct ParameterName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let description: String

    /// Compared byte by byte.
    public init(_ name: String) { description = name }
    public init(stringLiteral name: String) { description = name }

    public static func == (left: Self, right: Self) -> Bool {
        left.description.utf8.elementsEqual(right.description.utf8)
    }
}

/// An error code as the provider wrote it: visible ASCII without quotes and backslashes, at most 100 characters (RFC 6749, 4.1.2.1).
public struct ProviderErrorCode: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// Nil for what is no such text.
    public init?(_ text: String) {
        guard (1...100).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
        else { return nil }
        description = text
    }
}
