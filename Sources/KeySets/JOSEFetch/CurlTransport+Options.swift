#if HTTP
    internal import JOSESupport

    extension CurlTransport {
        /// The options of a transport: which servers it may connect to, and how. The defaults allow public addresses
        /// over https with the system's root certificates, and no proxy.
        public struct Options: Sendable {
            /// The root certificates that are trusted.
            ///
            /// A file is read again when it has changed. New connections then trust what it contains, and connections
            /// that were made before are not used for further requests. While it cannot be read, requests fail with
            /// `tls(.untrusted)`.
            @nonexhaustive public enum Trust: Sendable, Equatable {
                /// The root certificates of the system's store.
                case system
                /// The PEM certificates of a regular file, and no others.
                case file(String)
                /// The given PEM certificates, and no others.
                case pem([UInt8])
            }

            /// A client certificate, which is presented to servers that request one (RFC 8446, 4.3.2).
            ///
            /// Files are read again when they have changed, as those of ``Trust``. While one cannot be read, requests
            /// fail with `tls(.clientCertificate)`.
            @nonexhaustive public enum ClientCertificate: Sendable, Equatable {
                /// A certificate and a private key in regular PEM files, which may be the same file. The passphrase
                /// decrypts the key if it is encrypted.
                case files(certificate: String, key: String, passphrase: String? = nil)
                /// PEM text of the certificate with its intermediates, and of the private key. The passphrase decrypts
                /// the key if it is encrypted.
                case pem(certificate: [UInt8], key: [UInt8], passphrase: String? = nil)
            }

            /// A version of TLS.
            @nonexhaustive public enum TLSVersion: Sendable, Equatable {
                /// TLS 1.2 (RFC 5246).
                case tls12
                /// TLS 1.3 (RFC 8446).
                case tls13
            }

            /// The value of `User-Agent`, in printable ASCII.
            public var userAgent = "bulla/\(Release.version)"
            /// The root certificates that are trusted. The default is the system's store.
            public var trust = Trust.system
            /// The client certificate, or nil for none.
            public var clientCertificate: ClientCertificate?
            /// The lowest accepted version of TLS. The default is TLS 1.2.
            public var minimumTLSVersion = TLSVersion.tls12

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
            /// The time after which the second address family is tried (RFC 8305, 5). The default is 200 milliseconds.
            public var happyEyeballsDelay = Duration.milliseconds(200)

            /// The maximum number of idle connections that are kept open. The default is 16.
            public var idleConnectionLimit = 16
            /// The maximum number of concurrent requests, and so of connections in use, to one origin. Further requests
            /// wait until their deadline. The default is 8.
            public var hostConnectionLimit = 8
            /// The time for which an idle connection is kept open, in whole seconds. The default is 60 seconds.
            public var idleLimit = Duration.seconds(60)
            /// The longest time for which a connection is reused, in whole seconds. After it, the host name is resolved
            /// again. The default is 10 minutes.
            public var connectionLifetime = Duration.seconds(600)
            /// The size of the largest accepted response header in bytes, including interim responses and trailers. The
            /// default is 32 KiB.
            public var headerByteLimit = 32 * 1024
            /// The largest accepted number of header lines in a response. The default is 128.
            public var headerCountLimit = 128

            /// Creates options with the default values.
            public init() {}
        }

        /// An option that has an invalid value.
        @nonexhaustive public enum Option: String, Sendable {
            /// The user agent is empty or not printable ASCII.
            case userAgent
            /// The file cannot be read, or contains no PEM certificate.
            case trust
            /// A file cannot be read, or contains no PEM certificate or key.
            case clientCertificate
            /// The list is empty, or contains an empty name.
            case allowedHosts
            /// The proxy is not `scheme://host…` with the scheme http, https or socks5h.
            case proxy
            /// An entry is not `host:port:address`.
            case resolve
            /// The delay is not between 1 millisecond and a minute.
            case happyEyeballsDelay
            /// The number is not between 1 and 10,000.
            case idleConnectionLimit
            /// The number is not between 1 and 10,000.
            case hostConnectionLimit
            /// The time is not between a second and a day.
            case idleLimit
            /// The time is not between a second and a day.
            case connectionLifetime
            /// The size is not between 1 KiB and 1 MiB.
            case headerByteLimit
            /// The number is not between 1 and 10,000.
            case headerCountLimit
        }
    }
#endif
