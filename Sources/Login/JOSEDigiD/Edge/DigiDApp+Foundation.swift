public import JOSERelyingParty

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension DigiDApp {
    /// Creates the registration data of an app, with addresses that are given as `URL` of Foundation.
    ///
    /// - Parameters:
    ///   - name: The name under which the app is registered with DigiD.
    ///   - returnURL: The universal link (iOS) or app link (Android) that DigiD's app opens: an https URL of at most
    ///     255 bytes without a query or a fragment, because DigiD's app appends its response as a query.
    ///   - icon: The https URL of the icon. Its host must be that of `returnURL`, because DigiD's app shows no other
    ///     icon.
    /// - Throws: `invalidParameter(ReturnUrl)` or `invalidParameter(Icon)` if the URL does not meet these requirements.
    public init(name: String, returnURL: URL, icon: URL) throws(RelyingPartyError) {
        try self.init(name: name, returnURL: returnURL.absoluteString, icon: icon.absoluteString)
    }
}
