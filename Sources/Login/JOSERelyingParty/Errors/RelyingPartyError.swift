/// The error of a login that failed. It contains nothing that a browser or a provider sent, except the provider's own error code,
/// so that it can be logged.
public struct RelyingPartyError: Error, Equatable, Sendable {
    /// The check that failed: the first in the order of the provider's specification.
    public let reason: Reason
    /// The step of the login at which the check failed.
    public let step: LoginStep
    /// The action that the service takes.
    public let remedy: Remedy

    /// A Boolean value that indicates whether the same call may succeed later, that is, whether ``remedy`` is ``Remedy/retry``.
    /// It is false once a value that is accepted once was used up, such as the code of a login: a new login is then needed,
    /// whatever failed.
    public var isRetryable: Bool { remedy == .retry }

    /// Creates an error, for implementations of stores and transports and for tests.
    ///
    /// - Parameters:
    ///   - reason: The check that failed.
    ///   - step: The step of the login at which it failed.
    ///   - remedy: The action that the service takes; nil for the one that follows from the reason and the step.
    public init(_ reason: Reason, in step: LoginStep, remedy: Remedy? = nil) {
        self.reason = reason
        self.step = step
        self.remedy = remedy ?? Remedy(for: reason, in: step)
    }

    /// Returns whether the same check failed at the same step. The remedies are not compared.
    public static func == (left: Self, right: Self) -> Bool { left.reason == right.reason && left.step == right.step }
}

/// The step of a login at which a check failed.
@nonexhaustive public enum LoginStep: Equatable, Sendable {
    /// The configuration of the service, before anything was sent.
    case configuration
    /// The authorization request, before anything was sent.
    case request
    /// The provider's metadata.
    case discovery
    /// The response of the pushed authorization request endpoint.
    case pushedRequest
    /// The callback that the browser or the app sent.
    case callback
    /// The response of the token endpoint.
    case tokenResponse
    /// The token of this name, or the response of the userinfo endpoint.
    case idToken, accessToken, userInfo, transactionToken, portToken, logoutToken
    /// The response of the artifact resolution service (SAML 2.0 Bindings, 3.6).
    case artifactResponse
    /// The assertion in an artifact response.
    case assertion
    /// The store of transactions and used values.
    case store
}

/// The name of a parameter, which comes from a specification and never from a message.
public struct ParameterName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name.
    public let description: String

    /// Creates a name.
    ///
    /// - Parameter name: The name, which is compared byte by byte.
    public init(_ name: String) { description = name }
    /// Creates a name from a literal.
    public init(stringLiteral name: String) { description = name }

    /// Returns whether the bytes of the names are equal.
    public static func == (left: Self, right: Self) -> Bool {
        left.description.utf8.elementsEqual(right.description.utf8)
    }
}

/// An error code as the provider sent it: visible ASCII without quotes and backslashes, at most 100 characters (RFC 6749,
/// 4.1.2.1).
public struct ProviderErrorCode: Hashable, Sendable, CustomStringConvertible {
    /// The code.
    public let description: String

    /// Creates an error code; nil if the text is not a valid error code.
    public init?(_ text: String) {
        guard (1...100).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
        else { return nil }
        description = text
    }
}
