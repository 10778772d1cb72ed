#if HTTP
    public import JOSE
    internal import JOSESupport

    extension CurlTransport {
        /// The options of a transport: which servers it may connect to, and how. The defaults allow public addresses
        /// over https with the system's root certificates, and no proxy.
        public struct Options: Sendable {
            /// The value of `User-Agent`, in printable ASCII. It may not be empty.
            public var userAgent = "bulla/\(Release.version)"
            /// The root certificates that are trusted. The default is the system's store.
            ///
            /// A file is read again when it has changed. New connections then trust what it contains, and connections
            /// that were made before are not used for further requests. While it cannot be read, requests fail with
            /// `tls(.untrusted)`.
            public var trust = TLSTrust.system
            /// The client certificate, or nil for none. Files are read again when they have changed. While one cannot be
            /// read, requests fail with `tls(.clientCertificate)`.
            public var clientCertificate: TLSClientCertificate?
            /// Whether TLS 1.3 (RFC 8446) is required. The default is false: TLS 1.2 (RFC 5246) is accepted too.
            public var requiresTLS13 = false

            /// Whether http, without TLS, is allowed for loopback addresses.
            public var allowsLoopbackHTTP = false
            /// Whether https is allowed for loopback addresses.
            public var allowsLoopback = false
            /// Whether private addresses (RFC 1918, RFC 4193) and the shared addresses of carrier-grade NAT (RFC 6598)
            /// are allowed.
            public var allowsPrivateAddresses = false
            /// Whether link-local addresses are allowed. Cloud providers serve the credentials of a machine at such an
            /// address.
            public var allowsLinkLocalAddresses = false
            /// The hosts to which requests are allowed, as they are written in URLs, or nil to allow any host.
            public var allowedHosts: [String]?

            /// The proxy for all https requests, such as `http://proxy.example:3128`, or nil for none. The proxy
            /// resolves the host names, so that neither its own address nor those of the servers are checked.
            public var proxy: String?
            /// Whether the proxies of the environment variables `https_proxy`, `all_proxy` and `no_proxy` are used.
            public var usesEnvironmentProxy = false
            /// Addresses that are used instead of those of DNS, each entry as `host:port:address[,address]`, with IPv6
            /// addresses in brackets.
            public var resolve: [String] = []
            /// The time after which the second address family is tried (RFC 8305, 5): 1 millisecond to a minute. The default
            /// is 200 milliseconds.
            public var happyEyeballsDelay = Duration.milliseconds(200)

            /// The maximum number of idle connections that are kept open, 1 to 10,000. The default is 16.
            public var idleConnectionLimit = 16
            /// The maximum number of concurrent requests, and so of connections in use, to one origin. Further requests
            /// wait until their deadline. The number is 1 to 10,000, and 8 by default.
            public var hostConnectionLimit = 8
            /// The time for which an idle connection is kept open, in whole seconds: 1 to 86,400. The default is 60 seconds.
            public var idleLimit = Duration.seconds(60)
            /// The longest time for which a connection is reused, in whole seconds. After it, the host name is resolved
            /// again. It is a second to a day. The default is 10 minutes.
            public var connectionLifetime = Duration.seconds(600)
            /// The size of the largest accepted response header in bytes, including interim responses and trailers. The
            /// default is 32 KiB, and the bounds are 1 KiB and 1 MiB.
            public var headerByteLimit = 32 * 1024
            /// The largest accepted number of header lines in a response, 1 to 10,000. The default is 128.
            public var headerCountLimit = 128

            /// Creates options with the default values.
            public init() {}
        }
    }
#endif
