public import JOSERelyingParty

extension AppLogin {
    /// Begins a login, and makes the request to the provider.
    ///
    /// A request for which MitID's app may return to this app must begin with this method: `begin(_:instance:)`
    /// sends an app switch of the request as it is, and its URL lacks the return value of the login.
    ///
    /// - Parameters:
    ///   - request: The parameters of the login. An app switch that it has is replaced.
    ///   - instance: A secret that the app keeps and sends with every poll: at least 16 bytes,
    ///     which no other instance of the app has.
    ///   - appSwitch: The operating system on which MitID's app may return the user to this app, by the return link,
    ///     which must be one of ``MitIDSettings/appLinks``; nil for a login without this switch.
    /// - Returns: The link for the tab, and the handle with which the app polls.
    /// - Throws: The errors of `begin(_:instance:)`.
    public func begin(
        _ request: LoginRequest, instance: [UInt8], appSwitch: MitIDParameters.AppSwitch.System?
    ) async throws(RelyingPartyError) -> Start {
        try await begin(request, instance: instance) { request, link in
            guard appSwitch != nil || request.mitID?.appSwitch != nil else { return }
            var parameters = request.mitID ?? MitIDParameters()
            parameters.appSwitch = appSwitch.map { .init($0, url: link) }
            request.mitID = parameters
        }
    }
}
