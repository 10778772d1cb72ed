#if HTTP
    internal import CJOSEFetch

    extension CurlTransport.Options {
        func check() throws(CurlTransportError) {
            let ranges: [(String, Bool)] = [
                ("userAgent", Self.isPrintable(userAgent)),
                ("trust", isTrustWhole),
                ("clientCertificate", isClientCertificateWhole),
                ("allowedHosts", allowedHosts.map { !$0.isEmpty && $0.allSatisfy(Self.isWord) } ?? true),
                ("proxy", proxy.map(Self.isProxy) ?? true),
                ("resolve", resolve.allSatisfy(Self.isResolution)),
                ("happyEyeballsDelay", (.milliseconds(1) ... .seconds(60)).contains(happyEyeballsDelay)),
                ("idleConnectionLimit", (1...10_000).contains(idleConnectionLimit)),
                ("hostConnectionLimit", (1...10_000).contains(hostConnectionLimit)),
                ("idleLimit", (.seconds(1) ... .seconds(86400)).contains(idleLimit)),
                ("connectionLifetime", (.seconds(1) ... .seconds(86400)).contains(connectionLifetime)),
                ("headerByteLimit", (1024...1024 * 1024).contains(headerByteLimit)),
                ("headerCountLimit", (1...10_000).contains(headerCountLimit)),
            ]
            if let wrong = ranges.first(where: { !$0.1 }) { throw .optionInvalid(wrong.0) }
        }

        private static func isPrintable(_ text: String) -> Bool {
            !text.isEmpty && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        }
        private static func isWord(_ text: String) -> Bool {
            !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        }
        private static func isProxy(_ text: String) -> Bool {
            isWord(text)
                && ["http://", "https://", "socks5h://"].contains {
                    text.hasPrefix($0) && text.utf8.count > $0.utf8.count
                }
        }
        private static func isResolution(_ text: String) -> Bool {
            let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard isWord(text), parts.count == 3, !parts[2].isEmpty, let port = UInt16(parts[1]) else { return false }
            // libcurl gives a sign before the host a meaning of its own.
            return port > 0 && HTTPToken.isToken(parts[0].utf8) && !parts[0].hasPrefix("-") && !parts[0].hasPrefix("+")
        }

        private static let certificate = "-----BEGIN CERTIFICATE-----"
        private static func hasPEM(_ bytes: [UInt8], _ label: String) -> Bool {
            String(decoding: bytes, as: UTF8.self).contains(label)
        }
        private static func isFile(_ path: String, _ label: String) -> Bool {
            guard !path.isEmpty, !path.utf8.contains(0) else { return false }
            return unsafe cjose_fetch_file_contains(path, label)
        }

        private var isTrustWhole: Bool {
            switch trust {
            case .system: true
            case .file(let path): Self.isFile(path, Self.certificate)
            case .pem(let bytes): Self.hasPEM(bytes, Self.certificate)
            }
        }

        private var isClientCertificateWhole: Bool {
            let key = "PRIVATE KEY-----"
            switch clientCertificate {
            case nil: return true
            case .files(let certificate, let keyPath, let passphrase):
                return Self.isFile(certificate, Self.certificate) && Self.isFile(keyPath, key)
                    && passphrase?.utf8.contains(0) != true
            case .pem(let certificate, let keyBytes, let passphrase):
                return Self.hasPEM(certificate, Self.certificate) && Self.hasPEM(keyBytes, key)
                    && passphrase?.utf8.contains(0) != true
            }
        }
    }
#endif
