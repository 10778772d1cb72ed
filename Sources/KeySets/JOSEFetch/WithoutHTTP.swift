#if !HTTP
    public import JOSEKeySets

    /// The declaration of the transport in a build without the package trait `HTTP`: the compiler rejects each use with
    /// a message that names the trait.
    @available(
        *, unavailable,
        message: "CurlTransport needs the package trait HTTP: .package(…, traits: [.defaults, \"HTTP\"])"
    )
    public struct CurlTransport: HTTPTransport {
        /// The options of the transport.
        public struct Options: Sendable {
            /// Creates the options with their defaults.
            public init() {}
        }
        /// Creates a transport.
        public init(_ options: Options = Options()) throws(TransportError) {}
        /// Fails, because the build has no HTTP client.
        public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            throw .backend
        }
        /// Does nothing.
        public func shutdown() {}
        /// Always nil, because no libcurl is loaded.
        public static var libraryVersion: String? { nil }
    }
#endif
