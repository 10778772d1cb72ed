#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension RemoteKeySet {
    /// Creates a key set that is fetched from a `URL` of Foundation. No token can change it.
    ///
    /// - Parameters:
    ///   - url: The URL of the JWK Set.
    ///   - transport: The HTTP client.
    ///   - options: The options.
    ///   - observer: The observer of the events, which receives the URL as the name.
    /// - Throws: `urlInvalid` and `optionInvalid`.
    public convenience init(
        url: URL, transport: any HTTPTransport, options: KeySetOptions = KeySetOptions(),
        observer: (any KeySetObserver)? = nil
    ) throws(KeySetError) {
        try self.init(url: url.absoluteString, transport: transport, options: options, observer: observer)
    }
}
