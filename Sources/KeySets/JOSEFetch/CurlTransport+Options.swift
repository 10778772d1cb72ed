#if HTTP
    internal import JOSEBytes

    extension CurlTransport {
        /// Which servers a transport may talk to, and how it does. As it comes: public addresses, https, the system's roots,
        /// no proxy.
        public struct Options: Sendable {
            /// Whose certificates are believed.
            @nonexhaustive public enum Trust: Sendable, Equatable {
                /// Those of the system's store.
                case system
                /// Those of a file of PEM certificates, and no others.
                case file(String)
                /// These PEM certificates, and no others.
                case pem([UInt8])
            }

            /// What the client proves itself with, where a server asks for it (RFC 8446, 4.3.2).
            @nonexhaustive public enum ClientCertificate: Sendable, Equatable {
                /// Of two PEM files; they may be one. The passphrase opens the key, where that is locked.
                case files(certificate: String, key: String, passphrase: String? = nil)
                /// PEM, of the certificate and those between it and its root, and of the private key.
                case pem(certificate: [UInt8], key: [UInt8], passphrase: String? = nil)
            }

            /// A version of TLS.
            @nonexhaustive public enum TLSVersion: Sendable, Equatable {
                /// RFC 5246.
                case tls12
                /// RFC 8446.
                case tls13
            }

            /// Sent as `User-Agent`; of printable ASCII.
            public var userAgent = "bulla/\(Release.version)"
            /// Whose certificates are believed.
            public var trust = Trust.system
            /// Shown to servers that ask for one.
            public var clientCertificate: ClientCertificate?
            /// The lowest version that is spoken.
            public var minimumTLSVersion = TLSVersion.tls12

            /// Whether http, without TLS, is spoken to addresses of loopback.
            public var allowsLoopbackHTTP = false
            /// Whether https is spoken to addresses of loopback.
            public var allowsLoopback = false
            /// Whether private addresses are connected to: RFC 1918, RFC 4193, and those that carriers share (RFC 6598).
            public var allowsPrivateAddresses = false
            /// Whether link-local addresses are connected to. Clouds hand out a machine's credentials there.
            public var allowsLinkLocalAddresses = false
            /// The only hosts that are asked, as they stand in URLs; nil: any.
            public var allowedHosts: [String]?

            /// The proxy that all of https goes through, such as `http://proxy.example:3128`; it resolves the names, so
            /// that addresses are not checked here, neither its own nor those behind it.
            public var proxy: String?
            /// Whether the environment's proxies are used (`https_proxy`, `all_proxy`, `no_proxy`).
            public var usesEnvironmentProxy = false
            /// Addresses in place of the resolver's, each `host:port:address[,address]`, IPv6 in brackets.
            public var resolve: [String] = []
            /// How long the second family of addresses waits for the first (RFC 8305, 5).
            public var happyEyeballsDelay = Duration.milliseconds(200)

            /// Connections that are kept when they are idle.
            public var idleConnectionLimit = 16
            /// Requests to one origin at a time, and so connections in use; others wait for their turn, within their deadline.
            public var hostConnectionLimit = 8
            /// How long an idle connection is kept; whole seconds.
            public var idleLimit = Duration.seconds(60)
            /// How old a connection may be when it is used again, so that an address is looked up anew; whole seconds.
            public var connectionLifetime = Duration.seconds(600)
            /// Bytes of an answer's header, interim answers and trailers included.
            public var headerByteLimit = 32 * 1024
            /// Lines of it.
            public var headerCountLimit = 128

            /// The values above.
            public init() {}
        }

        /// One of the ``Options``.
        @nonexhaustive public enum Option: String, Sendable {
            /// Not printable ASCII, or nothing.
            case userAgent
            /// No file that can be read, or no PEM certificate in it.
            case trust
            /// No files that can be read, or no PEM certificate and key in them.
            case clientCertificate
            /// An empty list, or an empty name in it.
            case allowedHosts
            /// Not `scheme://host…` of http, https or socks5h.
            case proxy
            /// Not `host:port:address`.
            case resolve
            /// Not between 1 ms and a minute.
            case happyEyeballsDelay
            /// Not between 1 and 10 000.
            case idleConnectionLimit
            /// Not between 1 and 10 000.
            case hostConnectionLimit
            /// Not between a second and a day.
            case idleLimit
            /// Not between a second and a day.
            case connectionLifetime
            /// Not between 1 KiB and 1 MiB.
            case headerByteLimit
            /// Not between 1 and 10 000.
            case headerCountLimit
        }
    }
#endif
