public import JOSE
internal import JOSESupport

/// The error of a login that failed. It is safe to log: the only data from a browser or provider that it contains are
/// the provider's error code, the HTTP status, and the `kid` of unusable keys, which its description escapes and
/// truncates.
///
/// The error is retryable where ``action`` is ``Action/retry``. It is not once a value that is accepted only once, such
/// as the authorization code, has been used: only a new login can then succeed.
public struct RelyingPartyError: CodedError, Equatable {
    /// The action that a service should take after a failed login.
    public enum Action: Equatable, Sendable {
        /// The service repeats the same call a little later. No value that is accepted only once has been used.
        case retry
        /// The service begins a new login.
        case restart
        /// The service tells the user that the login did not succeed, and offers another way to log in.
        case tellUser
        /// An operator corrects the configuration of the service, or its registration with the provider. Until then,
        /// further logins fail too.
        case fixConfiguration
        /// An operator investigates, because a message was received that no correct and honest party sends.
        case investigate
    }

    /// The check that failed. If several checks would fail, it is the first in the order of the provider's
    /// specification.
    public let reason: Reason
    /// The step of the login at which the check failed.
    public let step: LoginStep
    /// The action that the service should take.
    public let action: Action

    /// Creates an error, for tests and for types that conform to ``LoginProvider``.
    ///
    /// - Parameters:
    ///   - reason: The check that failed.
    ///   - step: The step of the login at which it failed.
    ///   - action: The action that the service should take; nil for the default action of the reason and the step.
    public init(_ reason: Reason, in step: LoginStep, action: Action? = nil) {
        self.reason = reason
        self.step = step
        self.action = action ?? reason.row(in: step).action
    }

    /// Returns whether two errors have the same reason and step. Their actions are not compared.
    public static func == (left: Self, right: Self) -> Bool { left.reason == right.reason && left.step == right.step }
}

extension RelyingPartyError: ErrorTable {
    package func row(_ row: ErrorRow) -> ErrorRow.Cell {
        row(reason.code, "\(step): \(reason); action: \(action)", remedy: action.text, retryable: action == .retry)
    }

    /// This error with the action ``Action/restart`` in place of ``Action/retry``, for use once a value that is
    /// accepted only once, such as the authorization code, has been used and a repeated call cannot succeed.
    package var usedUp: RelyingPartyError {
        action == .retry ? RelyingPartyError(reason, in: step, action: .restart) : self
    }
}

extension RelyingPartyError.Action {
    fileprivate var text: String {
        switch self {
        case .retry: "repeat the call a little later"
        case .restart: "begin a new login"
        case .tellUser: "tell the user that the login did not succeed, and offer another way to log in"
        case .fixConfiguration: "correct the configuration of the service, or its registration with the provider"
        case .investigate: "investigate: a message was received that no correct and honest party sends"
        }
    }
}

/// The step of a login at which a check failed.
@nonexhaustive public enum LoginStep: Equatable, Sendable {
    /// The check of the service's configuration, before anything is sent.
    case configuration
    /// The check of the authorization request, before anything is sent.
    case request
    /// The provider's metadata.
    case discovery
    /// The response of the pushed authorization request endpoint, or of the backchannel authentication endpoint.
    case pushedRequest
    /// The callback that the browser or the app sent.
    case callback
    /// The response of the token endpoint.
    case tokenResponse
    /// The token that the case names, or, for `userInfo`, the response of the userinfo endpoint or of another endpoint
    /// of the provider that takes the access token.
    case idToken, accessToken, userInfo, transactionToken, portToken, logoutToken
    /// The response of the artifact resolution service (SAML 2.0 Bindings, 3.6).
    case artifactResponse
    /// The assertion in an artifact response.
    case assertion
    /// An operation of the login store or the account store.
    case store
}

/// The name of a protocol parameter. A name in an error comes from a specification and never from a message, so that it
/// can be logged.
public struct ParameterName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name of the parameter, as specifications write it.
    public let description: String

    /// Creates a name.
    ///
    /// - Parameter name: The name, which is compared byte by byte.
    public init(_ name: String) { description = name }
    /// Creates a name from a string literal.
    public init(stringLiteral name: String) { description = name }

    /// Returns whether the UTF-8 bytes of two names are equal.
    public static func == (left: Self, right: Self) -> Bool {
        bytesEqual(left.description, right.description)
    }
}

/// An error code that the provider sent (`error`): 1 to 100 visible ASCII characters except double quotes and
/// backslashes (RFC 6749, 4.1.2.1).
public struct ProviderErrorCode: Hashable, Sendable, CustomStringConvertible {
    /// The error code, as the provider sent it.
    public let description: String

    /// Creates an error code from a text; nil if the text is not a valid error code.
    public init?(_ text: String) {
        guard (1...100).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
        else { return nil }
        description = text
    }
}
