#if HTTP
    internal import CJOSEFetch

    extension CurlTransport.Options {
        /// Applies the options to a handle. Returns false if memory is exhausted.
        @unsafe func apply(to handle: OpaquePointer) -> Bool {
            let numbers: [(cjose_fetch_number, Int64)] = [
                (.environment_proxy, usesEnvironmentProxy ? 1 : 0), (.loopback_http, allowsLoopbackHTTP ? 1 : 0),
                (.loopback, allowsLoopback ? 1 : 0), (.private, allowsPrivateAddresses ? 1 : 0),
                (.link_local, allowsLinkLocalAddresses ? 1 : 0), (.tls13, requiresTLS13 ? 1 : 0),
                (.connections, Int64(idleConnectionLimit)), (.host_connections, Int64(hostConnectionLimit)),
                (.idle_seconds, idleLimit.components.seconds),
                (.lifetime_seconds, connectionLifetime.components.seconds),
                (.happy_eyeballs_ms, happyEyeballsDelay.milliseconds), (.header_bytes, Int64(headerByteLimit)),
                (.header_count, Int64(headerCountLimit)),
            ]
            for (which, number) in numbers { unsafe cjose_fetch_set_number(handle, which, number) }
            let certificate = certificateSettings
            let caFile: String? = if case .file(let path) = trust { path } else { nil }
            let caBytes: [UInt8]? = if case .pem(let bytes) = trust { bytes } else { nil }
            let texts: [(cjose_fetch_text, String?)] = [
                (.user_agent, userAgent), (.proxy, proxy), (.ca_file, caFile),
                (.certificate_file, certificate.certificateFile), (.key_file, certificate.keyFile),
                (.passphrase, certificate.passphrase),
            ]
            let bytes: [(cjose_fetch_bytes, [UInt8]?)] = [
                (.ca, caBytes), (.certificate, certificate.certificate), (.key, certificate.key),
            ]
            let lists: [(cjose_fetch_list, [String])] = [(.resolve, resolve), (.hosts, allowedHosts ?? [])]
            for case (let which, let text?) in texts {
                guard unsafe cjose_fetch_set_text(handle, which, text) else { return false }
            }
            for case (let which, let bytes?) in bytes {
                guard unsafe cjose_fetch_set_bytes(handle, which, bytes, bytes.count) else { return false }
            }
            for (which, entries) in lists {
                for entry in entries {
                    guard unsafe cjose_fetch_add(handle, which, entry) else { return false }
                }
            }
            return true
        }

        private struct CertificateSettings {
            var certificateFile: String?
            var keyFile: String?
            var certificate: [UInt8]?
            var key: [UInt8]?
            var passphrase: String?
        }

        private var certificateSettings: CertificateSettings {
            switch clientCertificate {
            case nil: CertificateSettings()
            case .files(let certificate, let key, let passphrase):
                CertificateSettings(certificateFile: certificate, keyFile: key, passphrase: passphrase)
            case .pem(let certificate, let key, let passphrase):
                CertificateSettings(certificate: certificate, key: key, passphrase: passphrase)
            }
        }
    }
#endif
