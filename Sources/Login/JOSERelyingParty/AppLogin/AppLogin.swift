public import JOSE
internal import JOSEBytes

/// Logins that an app begins and a browser tab carries out, for providers such as MitID whose response reaches the back end from the
/// tab.
///
/// 1. The app asks its back end for a login: ``begin(_:instance:appSwitch:)``.
/// 2. The app opens ``Start/link`` in a tab, which loads the back end's start page: ``open(query:)`` returns the cookie that binds the
///    login to this tab, and the URL of the provider to which the tab is redirected.
/// 3. The provider's response reaches the redirect URI from the tab. ``complete(callback:cookies:answer:)`` completes the login, stores
///    the answer for the app and returns the page that the tab shows at the end.
/// 4. A link opens the app with the login's return value: MitID's app opens it when the user has approved the login, and otherwise the
///    button of the page does. With this value the app polls for the answer: ``poll(_:instance:returnValue:)``.
///
/// The answer is given once, to the instance of the app that began the login, and only if it presents the return value. The value
/// reaches a device through an app link alone, so that a login that an attacker's app began and whose link another person opened
/// never ends on the attacker's device (threat R50).
public struct AppLogin: Sendable {
    /// The result of a poll.
    public enum Answer: Equatable, Sendable {
        /// The login has not ended, or the app has not presented the return value yet. The app should poll again a little later.
        case pending
        /// The login has ended. The associated value contains the bytes that the back end stored for the app. No other
        /// poll returns them.
        case ended([UInt8])
        /// The login did not end in time, or another poll has received the answer. The app should inform the user, and
        /// begin a new login.
        case expired
    }

    /// A login that was begun, for the app.
    public struct Start: Sendable {
        /// The URL of the start page, which the app opens in a browser tab of the system: Custom Tabs with Chrome or Samsung's browser
        /// on Android, `SFSafariViewController` on iOS. The address bar must be visible, and a web view must not be used, because
        /// the app could read there what the user enters. The link is valid for one opening within a minute.
        public let link: String
        /// The handle with which the app polls.
        public let handle: String
        /// The time at which the handle expires.
        public let expires: NumericDate
    }

    /// The response to the opening of the start page: a redirect (status 303).
    public struct Opening: Sendable {
        /// The value of the header field `Location`: the URL of the provider.
        public let location: String
        /// The value of the header field `Set-Cookie`, which binds the login to the tab.
        public let cookie: String
    }

    /// The end of a login in the tab.
    public struct End: Sendable {
        /// The page for the tab, with the button that opens the app. Serve it as `text/html; charset=utf-8` with
        /// ``AppReturnPage/headers``, and delete the binding cookie (``AuthorizationCallback/clearingCookie``).
        public let page: AppReturnPage
        /// The handle of the app that may be told by a push message that it should poll now; nil while that app has not presented the
        /// return value, because the login may be one that another device began.
        public let notifiedHandle: String?
    }

    /// The minimum length, in bytes, of the secret that identifies an instance of an app.
    public static let leastInstanceBytes = 16
    /// The name of the parameter of the app's link that has the return value.
    public static let returnParameter = "login"
    /// The time for which the link of a login is valid.
    public static let startLifetime = Duration.seconds(60)
    private static let ticketParameter: ParameterName = "ticket"
    /// The time for which the app can poll after the last moment at which the login could end in the tab.
    private static let grace = Duration.seconds(120)

    private let party: RelyingParty
    private let startPage: String
    private let returnLink: String
    private let text: AppReturnPage.Text
    private var lifetime: Duration { party.profile.lifetime + Self.grace }

    /// Creates logins of an app.
    ///
    /// - Parameters:
    ///   - party: The relying party, whose store and clock are used. With MitID, `returnLink` must be one of its
    ///     ``MitIDSettings/appLinks``.
    ///   - startPage: The https URL of the back end's start page, without a query.
    ///   - returnLink: The universal link or app link of the app, an https URL without a query.
    ///   - text: The text of the page at the end, in the language of the service.
    /// - Throws: `configurationError` if one of the URLs is another one.
    public init(
        _ party: RelyingParty, startPage: String, returnLink: String, text: AppReturnPage.Text = .english
    ) throws(RelyingPartyError) {
        for text in [startPage, returnLink] {
            guard let url = WebURL(text), url.scheme == .https, !url.hasUserInformation, !url.hasQuery, !url.hasFragment
            else { throw RelyingPartyError(.configurationError, in: .configuration) }
        }
        self.party = party
        self.startPage = startPage
        self.returnLink = returnLink
        self.text = text
    }

    /// Begins a login, and makes the request to the provider.
    ///
    /// - Parameters:
    ///   - request: The parameters of the login. An app switch that it has is replaced.
    ///   - instance: A secret that the app keeps and sends with every poll: at least ``leastInstanceBytes`` bytes, which no other
    ///     instance of the app has.
    ///   - appSwitch: The operating system on which MitID's app may return the user to this app; nil for a login without this
    ///     switch, or with another provider.
    /// - Returns: The link for the tab, and the handle with which the app polls.
    /// - Throws: `configurationError` if the secret is too short or the clock shows no valid time, and the errors of
    ///   ``RelyingParty/beginLogin(_:)``.
    public func begin(
        _ request: LoginRequest, instance: [UInt8], appSwitch: MitIDParameters.AppSwitch.System? = nil
    ) async throws(RelyingPartyError) -> Start {
        let now = party.clock.now
        let ticket: String
        let binding: String
        let handle: AppLoginHandle
        var request = request
        do throws(RelyingPartyError.Reason) {
            guard instance.count >= Self.leastInstanceBytes else { throw .configurationError }
            ticket = try Secret.fresh()
            binding = try Self.binding(of: ticket)
            let value = try Self.returnValue(of: binding)
            handle = try AppLoginHandle.new(
                instance: instance, returnHash: try AppLoginHandle.hash(of: value), now: now)
            if appSwitch != nil || request.mitID?.appSwitch != nil {
                var parameters = request.mitID ?? MitIDParameters()
                parameters.appSwitch = appSwitch.map { .init($0, url: Self.link(returnLink, value)) }
                request.mitID = parameters
            }
        } catch {
            throw RelyingPartyError(error, in: .request)
        }
        let start = try await party.beginLogin(request, binding: binding)
        let stored = StoredStart(
            url: start.url, state: start.state, mode: start.mode, created: now.secondsSince1970)
        do throws(StoreError) {
            let isNew = try await party.store.insert(
                Array(handle.text.utf8), for: StoreKey(kind: "app login", value: start.state), lifetime: lifetime)
            let isStored = try await party.store.insert(
                stored.json, for: StoreKey(kind: "app start", value: ticket), lifetime: Self.startLifetime)
            // Random values of 256 bits are never equal.
            guard isNew, isStored else { throw StoreError.unavailable }
        } catch {
            throw RelyingPartyError(error)
        }
        return Start(
            link: "\(startPage)?\(Self.ticketParameter)=\(ticket)", handle: handle.text, expires: now + lifetime)
    }

    /// Returns the response to the opening of a start link. A link can be opened once: of two tabs the first one gets the login.
    ///
    /// - Parameter query: The query of the request to the start page, without the `?`.
    /// - Returns: The redirect to the provider, and the cookie for the tab.
    /// - Throws: `expired` for a link that was opened before or is older than a minute, `missingParameter` or `duplicateParameter` for
    ///   another query, and the errors of the store. The user has to begin again in the app.
    public func open(query: String) async throws(RelyingPartyError) -> Opening {
        let ticket: String
        do throws(RelyingPartyError.Reason) {
            ticket = try AuthorizationCallback.query(query).value(Self.ticketParameter)
        } catch {
            throw RelyingPartyError(error, in: .request)
        }
        let found: [UInt8]?
        do throws(StoreError) {
            found = try await party.store.take(StoreKey(kind: "app start", value: ticket))
        } catch {
            throw RelyingPartyError(error)
        }
        guard let start = found.flatMap({ StoredStart(json: $0) }) else {
            throw RelyingPartyError(.expired, in: .request, remedy: .restart)
        }
        // The age is checked by this clock too, and not left to the store alone.
        let age = party.clock.now.secondsSince1970 - start.created
        guard age >= 0, age < Self.startLifetime.inSeconds else {
            throw RelyingPartyError(.expired, in: .request, remedy: .restart)
        }
        do throws(RelyingPartyError.Reason) {
            let cookie = try BindingCookie.field(
                try Self.binding(of: ticket), state: start.state, crossSitePost: start.mode == .formPost,
                lifetime: party.profile.lifetime)
            return Opening(location: start.url, cookie: cookie)
        } catch {
            throw RelyingPartyError(error, in: .request)
        }
    }

    /// Completes a login in the tab, and stores an answer for the app, whether the login succeeded or failed.
    ///
    /// - Parameters:
    ///   - callback: The request to the redirect URI.
    ///   - cookies: The value of its `Cookie` header.
    ///   - answer: Returns the bytes for the app, such as a ticket for its session or an error code. The user is not logged in
    ///     where this is called: only the poll that receives the answer tells that the app which began the login has its end.
    /// - Returns: The page for the tab.
    /// - Throws: An error of a callback that does not end the login, such as `bindingMismatch` for one from another tab or
    ///   `stateMismatch` for one of no app's login: `answer` was not called. Any error whose remedy is
    ///   ``Remedy/retry`` is thrown too, and the same callback can be sent again.
    public func complete(
        callback: AuthorizationCallback, cookies: String,
        answer: @Sendable (Result<LoggedInUser, RelyingPartyError>) async -> [UInt8]
    ) async throws(RelyingPartyError) -> End {
        let binding = callback.binding(inCookies: cookies)
        let handle = try await handle(callback, binding)
        let value: String
        let result: Result<LoggedInUser, RelyingPartyError>
        do throws(RelyingPartyError) {
            result = .success(try await party.completeLogin(callback: callback, binding: binding))
        } catch {
            // Nothing is used up yet, or the login had ended before.
            if error.isRetryable || error.reason == .stateMismatch || error.reason == .replayed { throw error }
            result = .failure(error)
        }
        do throws(RelyingPartyError.Reason) { value = try Self.returnValue(of: binding ?? "") } catch {
            throw RelyingPartyError(error, in: .callback)
        }
        let left = handle.began + lifetime - party.clock.now
        let isPresented: Bool
        let bytes = await answer(result)
        do throws(StoreError) {
            _ = try await party.store.insert(
                bytes, for: handle.key("app answer"), lifetime: max(left, .seconds(1)))
            // A poll makes its mark before it looks for the answer, so that at least one of both finds the other.
            isPresented = try await party.store.value(for: handle.key("app return")) != nil
        } catch {
            throw RelyingPartyError(error).usedUp
        }
        let page = AppReturnPage(
            link: Self.link(returnLink, value), text: text, hasSucceeded: (try? result.get()) != nil)
        return End(page: page, notifiedHandle: isPresented ? handle.text : nil)
    }

    /// Returns the state of a login for a poll of the app. The back end's answer is returned once: the first poll that
    /// finds it receives it, and every other poll receives `expired`.
    ///
    /// - Parameters:
    ///   - handle: The handle of ``Start``.
    ///   - instance: The secret of the app instance that polls.
    ///   - returnValue: The value of ``returnParameter`` in the link that opened the app; nil as long as none did. Without it every
    ///     poll receives `pending`.
    /// - Returns: The answer of the back end, or the state of the login.
    /// - Throws: `bindingMismatch` if `instance` is not the secret with which the login began, and `invalidParameter(login)` if
    ///   the value is that of another login, both before the store is accessed; `invalidParameter(handle)` if the text is not a
    ///   handle; and the errors of the store. After `storeUnavailable` or `interrupted`, the answer may count as
    ///   returned: the next poll then receives `expired`, and the user has to begin the login again.
    public func poll(
        _ handle: String, instance: [UInt8], returnValue: String?
    ) async throws(RelyingPartyError) -> Answer {
        let handle: AppLoginHandle? = AppLoginHandle(handle)
        do throws(RelyingPartyError.Reason) {
            guard let handle else { throw .invalidParameter("handle") }
            guard try handle.isOf(instance) else { throw .bindingMismatch }
            if let returnValue, try !handle.accepts(returnValue) {
                throw .invalidParameter(ParameterName(Self.returnParameter))
            }
        } catch {
            throw RelyingPartyError(error, in: .callback)
        }
        guard let handle, party.clock.now < handle.began + lifetime else { return .expired }
        guard returnValue != nil else { return .pending }
        do throws(StoreError) {
            _ = try await party.store.insert([], for: handle.key("app return"), lifetime: lifetime)
            guard let answer = try await party.store.value(for: handle.key("app answer")) else { return .pending }
            // One atomic insert decides which poll receives the answer. The mark outlives the answer.
            let isFirst = try await party.store.insert([], for: handle.key("app answer given"), lifetime: lifetime)
            return isFirst ? .ended(answer) : .expired
        } catch {
            throw RelyingPartyError(error)
        }
    }

    /// Returns the handle of the login to which a callback belongs, if it comes from the login's own tab.
    private func handle(
        _ callback: AuthorizationCallback, _ binding: String?
    ) async throws(RelyingPartyError) -> AppLoginHandle {
        guard let state = callback.state else { throw RelyingPartyError(.missingParameter("state"), in: .callback) }
        let found: [UInt8]?
        do throws(StoreError) {
            found = try await party.store.value(for: StoreKey(kind: "app login", value: state))
        } catch {
            throw RelyingPartyError(error)
        }
        do throws(RelyingPartyError.Reason) {
            guard let found, let handle = AppLoginHandle(String(decoding: found, as: UTF8.self)) else {
                throw .stateMismatch
            }
            guard let binding, try handle.accepts(try Self.returnValue(of: binding)) else { throw .bindingMismatch }
            return handle
        } catch {
            throw RelyingPartyError(error, in: .callback)
        }
    }

    /// The binding of the tab is derived from the ticket, so that the store has neither.
    private static func binding(of ticket: String) throws(RelyingPartyError.Reason) -> String {
        try Secret.mac(of: "binding of the tab", under: ticket)
    }

    /// The return value is derived from the binding, so that the store does not have it, and the page of the tab can.
    private static func returnValue(of binding: String) throws(RelyingPartyError.Reason) -> String {
        try Secret.mac(of: "return value", under: binding)
    }

    private static func link(_ link: String, _ value: String) -> String { "\(link)?\(returnParameter)=\(value)" }

    /// Returns a link without the return value that `link` added to it.
    static func withoutReturnValue(_ link: String) -> (link: String, hasValue: Bool) {
        let mark = "?\(returnParameter)="
        let count = mark.utf8.count + 43
        guard link.utf8.count > count, let value = Optional(link.utf8.suffix(43)),
            link.utf8.dropLast(43).suffix(mark.utf8.count).elementsEqual(mark.utf8),
            Base64URL.decode(Array(value).span)?.count == 32
        else { return (link, false) }
        return (String(Substring(link.utf8.dropLast(count))), true)
    }
}

/// The content of the store for a login whose tab was not opened yet.
private struct StoredStart {
    let url: String
    let state: String
    let mode: ResponseMode
    let created: Double

    init(url: String, state: String, mode: ResponseMode, created: Double) {
        (self.url, self.state, self.mode, self.created) = (url, state, mode, created)
    }

    var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("url", url)
        writer.member("state", state)
        writer.member("mode", mode.rawValue)
        writer.name("created")
        writer.number(created)
        writer.endObject()
        return writer.bytes
    }

    init?(json: [UInt8]) {
        guard let object = try? JSONObject(parsing: json.span) else { return nil }
        func text(_ name: StaticString) -> String? { object.first(name, in: json.span)?.string(in: json.span) }
        guard let url = text("url"), let state = text("state"),
            let mode = text("mode").flatMap({ ResponseMode(rawValue: $0) }),
            let created = object.first("created", in: json.span)?.number(in: json.span)
        else { return nil }
        self.init(url: url, state: state, mode: mode, created: created)
    }
}

extension AppLogin.Answer: CustomStringConvertible, CustomReflectable {
    /// The state of the answer, without the result.
    public var description: String {
        switch self {
        case .pending: "pending"
        case .ended: "ended"
        case .expired: "expired"
        }
    }
    /// An empty mirror, so that `dump(_:)` does not print the result, which is about a user.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AppLogin.Start: CustomStringConvertible, CustomReflectable {
    /// Only the name of the type, because the link and the handle are secret.
    public var description: String { "AppLogin.Start" }
    /// An empty mirror, because the link and the handle are secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AppLogin.Opening: CustomStringConvertible, CustomReflectable {
    /// Only the name of the type, because the URL and the cookie are secret.
    public var description: String { "AppLogin.Opening" }
    /// An empty mirror, because the URL and the cookie are secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AppLogin.End: CustomStringConvertible, CustomReflectable {
    /// Only the name of the type, because the page has the return value.
    public var description: String { "AppLogin.End" }
    /// An empty mirror, because the page has the return value.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
