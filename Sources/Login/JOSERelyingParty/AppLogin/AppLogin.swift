public import JOSE
internal import JOSESupport

/// Logins that an app begins and a browser tab carries out, for providers whose response reaches the back end from
/// the tab.
///
/// 1. The app asks its back end for a login: ``begin(_:instance:)``.
/// 2. The app opens ``Start/link`` in a tab, which loads the back end's start page: ``open(query:)`` returns the redirect
///    to the provider, with the cookie that binds the login to this tab.
/// 3. The provider's response reaches the redirect URI from the tab. ``complete(callback:cookies:answer:)`` completes
///    the login, stores the answer for the app and returns the page that the tab shows at the end.
/// 4. A link opens the app with the login's return value: the provider's app opens it when the user has approved the
///    login, and otherwise the button of the page does. With this value the app polls for the answer:
///    ``poll(_:instance:returnValue:)``.
///
/// The answer is given once, to the instance of the app that began the login, and only if it presents the return value.
/// The value is derived from the cookie that the browser receives which opens the link. So a login that an attacker's
/// app began and whose link another person opened does not end on the attacker's device. An attacker who opens the link
/// knows the value, but then no other browser has the cookie, without which a response of the provider is rejected
/// (threat R50).
public struct AppLogin: Sendable {
    /// The result of a poll.
    public enum Answer: Equatable, Sendable {
        /// The login has not ended, or the app has not presented the return value yet. The app should poll again a
        /// little later.
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
        /// The URL of the start page, which the app opens in a browser tab of the system: Custom Tabs with Chrome or
        /// Samsung's browser on Android, `SFSafariViewController` on iOS. The address bar must be visible, and a web
        /// view must not be used, because the app could read there what the user enters. The link is valid for one
        /// opening within a minute.
        public let link: String
        /// The parameters of the login request that were left out because the provider would have ignored their values.
        public let dropped: [ParameterName]
        /// The handle with which the app polls.
        public let handle: String
        /// The time at which the handle expires.
        public let expires: NumericDate
    }

    /// The response to the opening of the start page: a redirect (status 303).
    package struct Opening: Sendable {
        /// The value of the header field `Location`: the URL of the provider.
        package let location: String
        /// The value of the header field `Set-Cookie`, which binds the login to the tab.
        package let cookie: String
        /// The names and values of all header fields: the location, the cookie, and those that keep both out of caches
        /// and out of the logs of other sites.
        package var headers: [(name: String, value: String)] {
            [
                ("Location", location), ("Set-Cookie", cookie), ("Cache-Control", "no-store"),
                ("Referrer-Policy", "no-referrer"),
            ]
        }
    }

    /// The end of a login in the tab.
    public struct End: Sendable {
        /// The page for the tab, with the button that opens the app.
        public let page: AppReturnPage
        /// The names and values of the page's header fields. They delete the cookie of the tab.
        public let headers: [(name: String, value: String)]
        /// The handle of the app that may be notified by a push message that it should poll now; nil while that app has
        /// not presented the return value, because the login may be one that another device began.
        public let notifiedHandle: String?
    }

    /// The minimum length, in bytes, of the secret that identifies an instance of an app.
    package static let minimumInstanceBytes = 16
    /// The name of the parameter of the app's link that has the return value.
    package static let returnParameter = "login"
    /// The time for which the link of a login is valid.
    package static let startLifetime = Duration.seconds(60)
    private static let startParameter: ParameterName = "start"
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
    ///   - party: The relying party, whose store and clock are used.
    ///   - startPage: The https URL of the back end's start page, without user information, query and fragment.
    ///   - returnLink: The universal link or app link of the app, of the same form.
    ///   - text: The text of the page at the end, in the language of the service.
    /// - Throws: `configurationError` if one of the URLs has another form, or no redirect URI of the client is on the
    ///   host of the start page, whose cookie the browser would not send.
    public init(
        _ party: RelyingParty, startPage: String, returnLink: String, text: AppReturnPage.Text = .english
    ) throws(RelyingPartyError) {
        for text in [startPage, returnLink] {
            guard let url = WebURL(text), url.scheme == .https, !url.hasUserInformation, !url.hasQuery, !url.hasFragment
            else { throw RelyingPartyError(.configurationError, in: .configuration) }
        }
        let host = WebURL(startPage)?.host
        guard party.client.redirectURIs.contains(where: { WebURL($0)?.host == host }) else {
            throw RelyingPartyError(.configurationError, in: .configuration)
        }
        self.party = party
        self.startPage = startPage
        self.returnLink = returnLink
        self.text = text
    }

    /// Begins a login, and makes the request to the provider.
    ///
    /// - Parameters:
    ///   - request: The parameters of the login.
    ///   - instance: A secret that the app keeps and sends with every poll: at least 16 bytes,
    ///     which no other instance of the app has.
    /// - Returns: The link for the tab, and the handle with which the app polls.
    /// - Throws: `configurationError` if the secret is too short, the clock shows no valid time, or the request is
    ///   delivered by reference, because nobody would serve its document; and the errors of
    ///   ``RelyingParty/beginLogin(_:)``.
    public func begin(_ request: LoginRequest, instance: [UInt8]) async throws(RelyingPartyError) -> Start {
        try await begin(request, instance: instance) { _, _ in }
    }

    /// Begins a login whose request contains the link by which the provider's app returns the user to this app.
    ///
    /// - Parameters:
    ///   - request: The parameters of the login.
    ///   - instance: The secret of the app.
    ///   - addLink: A function that adds the link to the request.
    package func begin(
        _ request: LoginRequest, instance: [UInt8], addingLink addLink: (inout LoginRequest, String) -> Void
    ) async throws(RelyingPartyError) -> Start {
        let now = party.clock.now
        let startCode: String
        let binding: String
        let handle: AppLoginHandle
        var request = request
        do throws(RelyingPartyError.Reason) {
            guard instance.count >= Self.minimumInstanceBytes else { throw .configurationError }
            startCode = try Secret.fresh()
            binding = try Secret.fresh()
            let value = try Self.returnValue(of: binding)
            handle = try AppLoginHandle.new(
                instance: instance, returnHash: try AppLoginHandle.hash(of: value), now: now)
            addLink(&request, Self.link(returnLink, value))
        } catch {
            throw RelyingPartyError(error, in: .request)
        }
        let begun = try await party.beginLogin(request, binding: binding)
        let start: [UInt8]
        do throws(RelyingPartyError.Reason) {
            guard begun.requestDocument == nil else { throw .configurationError }
            start = try StoredStart(begun, at: now).sealed(under: startCode)
        } catch {
            throw RelyingPartyError(error, in: .request)
        }
        do throws(StoreError) {
            let store = party.store
            let isNew = try await store.insert([], for: handle.key("app handle"), lifetime: lifetime)
            let isFound = try await store.insert(
                Array("\(handle.text) \(owner)".utf8), for: StoreKey(kind: "app login", value: binding),
                lifetime: lifetime)
            let isStored = try await store.insert(
                start, for: StoreKey(kind: "app start", value: startCode), lifetime: Self.startLifetime)
            // Random values of 256 bits are never equal.
            guard isNew, isFound, isStored else { throw StoreError.unavailable }
        } catch {
            throw RelyingPartyError(error)
        }
        return Start(
            link: "\(startPage)?\(Self.startParameter)=\(startCode)", dropped: begun.dropped, handle: handle.text,
            expires: handle.began + lifetime)
    }

    /// Returns the header fields of the response to the opening of a start link, which has the status 303: the URL of
    /// the provider, the cookie for the tab, and the fields that keep both out of caches and out of the logs of other
    /// sites. A link can be opened once: of two tabs the first one gets the login.
    ///
    /// - Parameter query: The query of the request to the start page, without the `?`.
    /// - Throws: `expired` for a link that was opened before or is older than a minute, or whose pushed request has
    ///   expired; `missingParameter` or `duplicateParameter` for a query without the parameter of a start link or with
    ///   two; and the errors of the store, after which the link may be used up. The user has to begin again in the app.
    public func open(query: String) async throws(RelyingPartyError) -> [(name: String, value: String)] {
        try await opening(query: query).headers
    }

    /// Returns the redirect of ``open(query:)`` in its parts.
    package func opening(query: String) async throws(RelyingPartyError) -> Opening {
        let startCode: String
        do throws(RelyingPartyError.Reason) {
            startCode = try AuthorizationCallback.query(query).value(Self.startParameter)
        } catch {
            throw RelyingPartyError(error, in: .request)
        }
        let found: [UInt8]?
        do throws(StoreError) {
            found = try await party.store.take(StoreKey(kind: "app start", value: startCode))
        } catch {
            throw RelyingPartyError(error).usedUp
        }
        let now = party.clock.now.secondsSince1970
        // The age is checked by this clock too, and not left to the store alone. The clock of another machine may be
        // behind.
        guard let start = found.flatMap({ StoredStart(sealed: $0, under: startCode) }),
            now - start.created < Self.startLifetime.inSeconds,
            now - start.created > -party.profile.idToken.leewaySeconds, now < start.urlExpires
        else {
            throw RelyingPartyError(.expired, in: .request, action: .restart)
        }
        return Opening(location: start.url, cookie: start.cookie)
    }

    /// Completes a login in the tab, and stores an answer for the app, whether the login succeeded or failed.
    ///
    /// - Parameters:
    ///   - callback: The request to the redirect URI.
    ///   - cookies: The value of its `Cookie` header.
    ///   - answer: Returns the bytes for the app, such as the secret of its session or an error code. The user is not
    ///     logged in when this is called, but when a poll of the app receives the bytes.
    /// - Returns: The page for the tab.
    /// - Throws: An error of a callback that does not end the login: `bindingMismatch` for one from another tab,
    ///   `stateMismatch` for one of no login of this app, such as one that the service's own page began, or
    ///   `duplicateParameter`. `answer` was not called then. Any error whose action is `retry` is thrown too,
    ///   and the same callback can be sent again. An error of the store with another action says that the answer could
    ///   not be stored: the user has to begin again in the app.
    public func complete(
        callback: AuthorizationCallback, cookies: String,
        answer: @escaping @Sendable (Result<LoggedInUser, RelyingPartyError>) async -> [UInt8]
    ) async throws(RelyingPartyError) -> End {
        // The connection of a tab that is in the background may end. What the provider has done is recorded all the
        // same.
        try await withoutCancellation { () async throws(RelyingPartyError) in
            try await end(callback, callback.binding(inCookies: cookies) ?? "", answer)
        }
    }

    private func end(
        _ callback: AuthorizationCallback, _ binding: String,
        _ answer: @Sendable (Result<LoggedInUser, RelyingPartyError>) async -> [UInt8]
    ) async throws(RelyingPartyError) -> End {
        _ = try CallbackParameters.of(callback, binding: binding, rules: party.profile.callback)
        let handle = try await handle(of: binding)
        let value: String
        do throws(RelyingPartyError.Reason) { value = try Self.returnValue(of: binding) } catch {
            throw RelyingPartyError(error, in: .callback)
        }
        let result: Result<LoggedInUser, RelyingPartyError>
        do throws(RelyingPartyError) {
            result = .success(try await party.completeLogin(callback: callback, binding: binding))
        } catch {
            // Nothing is used up yet, the login had ended before, or the callback is of another login.
            let others: [RelyingPartyError.Reason] = [.stateMismatch, .bindingMismatch, .replayed]
            if error.isRetryable || others.contains(error.reason) { throw error }
            result = .failure(error)
        }
        let left = max(handle.began + lifetime - party.clock.now, .seconds(1))
        let bytes = await answer(result)
        do throws(StoreError) {
            let key = try handle.key("app answer")
            do throws(StoreError) { _ = try await party.store.insert(bytes, for: key, lifetime: left) } catch {
                // A response may be lost, and an answer that is stored already stays.
                _ = try await party.store.insert(bytes, for: key, lifetime: left)
            }
        } catch {
            throw RelyingPartyError(error).usedUp
        }
        // A poll makes its mark before it looks for the answer, so that at least one of both finds the other. If the
        // store fails here, the button of the page still leads to the answer.
        let mark = try? await party.store.value(for: handle.key("app return"))
        let page = AppReturnPage(
            link: Self.link(returnLink, value), text: text, hasSucceeded: (try? result.get()) != nil)
        let clearing = callback.clearingCookie.map { [(name: "Set-Cookie", value: $0)] } ?? []
        return End(
            page: page, headers: AppReturnPage.headers + clearing, notifiedHandle: mark == nil ? nil : handle.text)
    }

    /// Returns the state of a login for a poll of the app. The back end's answer is returned once: the first poll that
    /// finds it receives it, and every other poll receives `expired`.
    ///
    /// - Parameters:
    ///   - handle: The handle of ``Start``.
    ///   - instance: The secret of the app instance that polls.
    ///   - returnValue: The value of the parameter `login` in the link that opened the app; nil as long as none did.
    ///     Without it every poll receives `pending`.
    /// - Returns: The answer of the back end, or the state of the login.
    /// - Throws: `bindingMismatch` if `instance` is not the secret with which the login began, and
    ///   `invalidParameter(login)` if the value is that of another login, both before the store is accessed: the app
    ///   ignores such a value, which any web page can put into its link, and polls on with the one that it had;
    ///   `invalidParameter(handle)` if the text is not a handle; and the errors of the store. After `storeUnavailable`
    ///   or `interrupted`, the answer may count as returned: the next poll then receives `expired`, and the user has to
    ///   begin the login again.
    public func poll(
        _ handle: String, instance: [UInt8], returnValue: String?
    ) async throws(RelyingPartyError) -> Answer {
        let login: AppLoginHandle
        do throws(RelyingPartyError.Reason) {
            guard let parsed = AppLoginHandle(handle) else { throw .invalidParameter("handle") }
            login = parsed
            guard try login.isOf(instance) else { throw .bindingMismatch }
            if let returnValue, try !login.accepts(returnValue) {
                throw .invalidParameter(ParameterName(Self.returnParameter))
            }
        } catch {
            throw RelyingPartyError(error, in: .callback)
        }
        guard party.clock.now < login.began + lifetime else { return .expired }
        guard returnValue != nil else { return .pending }
        do throws(StoreError) {
            let store = party.store
            // An app could make a handle of its own, for which nothing is stored.
            guard try await store.value(for: login.key("app handle")) != nil else { return .expired }
            _ = try await store.insert([], for: login.key("app return"), lifetime: lifetime)
            guard let answer = try await store.value(for: login.key("app answer")) else { return .pending }
            // One atomic insert decides which poll receives the answer. The mark outlives the answer.
            let isFirst = try await store.insert([], for: login.key("app answer given"), lifetime: lifetime)
            return isFirst ? .ended(answer) : .expired
        } catch {
            throw RelyingPartyError(error)
        }
    }

    /// The login's app, client and profile: another one of the service may share the store.
    private var owner: String { "\(party.profile.name) \(party.client.id) \(returnLink)" }

    /// Returns the handle of the login that this binding belongs to.
    private func handle(of binding: String) async throws(RelyingPartyError) -> AppLoginHandle {
        let found: [UInt8]?
        do throws(StoreError) {
            found = try await party.store.value(for: StoreKey(kind: "app login", value: binding))
        } catch {
            throw RelyingPartyError(error)
        }
        let parts = found.map { String(decoding: $0, as: UTF8.self).split(separator: " ", maxSplits: 1) } ?? []
        guard parts.count == 2, bytesEqual(String(parts[1]), owner), let handle = AppLoginHandle(String(parts[0]))
        else {
            throw RelyingPartyError(.stateMismatch, in: .callback)
        }
        return handle
    }

    /// The return value is derived from the binding, so that the page of the tab can have it although no other entry
    /// has.
    private static func returnValue(of binding: String) throws(RelyingPartyError.Reason) -> String {
        try Secret.mac(of: "return value", under: binding)
    }

    private static func link(_ link: String, _ value: String) -> String { "\(link)?\(returnParameter)=\(value)" }

    /// Returns a link without the return value that `link` added to it.
    package static func withoutReturnValue(_ link: String) -> (link: String, hasValue: Bool) {
        let mark = "?\(returnParameter)="
        let count = mark.utf8.count + 43
        guard link.utf8.count > count, let value = Optional(link.utf8.suffix(43)),
            link.utf8.dropLast(43).suffix(mark.utf8.count).elementsEqual(mark.utf8),
            Base64URL.decode(Array(value).span)?.count == 32
        else { return (link, false) }
        return (String(Substring(link.utf8.dropLast(count))), true)
    }
}

extension AppLogin.Answer: Redacted {}

extension AppLogin.Start: Redacted {}

extension AppLogin.Opening: Redacted {}

extension AppLogin.End: Redacted {}
