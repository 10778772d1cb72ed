#if HTTP
    import JOSEFetch
    import TestSupport
    import Testing

    @Suite("Options of the transport") struct OptionTests {
        private let place: FaultServer.Place
        init() throws { place = try FaultServer.shared.get().place }

        private func refused(_ change: (inout CurlTransport.Options) -> Void) -> String? {
            var options = CurlTransport.Options()
            change(&options)
            do throws(CurlTransportError) {
                _ = try CurlTransport(options)
            } catch {
                if case .optionInvalid(let option) = error { return option }
            }
            return nil
        }

        @Test("each invalid option is rejected with its name, and a valid value is accepted")
        func names() throws {
            #expect(refused { _ in } == nil)
            typealias Change = (inout CurlTransport.Options) -> Void
            let rows: [(String, wrong: [Change], right: [Change])] = [
                (
                    "userAgent", [{ $0.userAgent = "" }, { $0.userAgent = "a\r\nb" }, { $0.userAgent = "ä" }],
                    [{ $0.userAgent = "a b/1" }]
                ),
                (
                    "trust",
                    [
                        { $0.trust = .file("/nowhere") }, { $0.trust = .file("") }, { $0.trust = .pem([]) },
                        { $0.trust = .pem([1, 2]) }, { $0.trust = .file(place.clientKey) },
                        { $0.trust = .file("/etc/\0passwd") },
                    ], [{ $0.trust = .file(place.ca) }, { $0.trust = .pem(Array("-----BEGIN CERTIFICATE-----".utf8)) }]
                ),
                (
                    "clientCertificate",
                    [
                        { $0.clientCertificate = .files(certificate: place.client, key: "/nowhere") },
                        { $0.clientCertificate = .files(certificate: place.clientKey, key: place.clientKey) },
                        { $0.clientCertificate = .files(certificate: place.client, key: place.client) },
                        { $0.clientCertificate = .pem(certificate: [], key: []) },
                        {
                            $0.clientCertificate = .files(
                                certificate: place.client, key: place.clientKey, passphrase: "a\0b")
                        },
                    ], [{ $0.clientCertificate = .files(certificate: place.client, key: place.clientKey) }]
                ),
                (
                    "allowedHosts", [{ $0.allowedHosts = [] }, { $0.allowedHosts = ["a", ""] }],
                    [{ $0.allowedHosts = ["a.test"] }]
                ),
                (
                    "proxy",
                    [
                        { $0.proxy = "" }, { $0.proxy = "proxy.test:1" }, { $0.proxy = "ftp://a" },
                        { $0.proxy = "http://" },
                        { $0.proxy = "http://a b" },
                    ], [{ $0.proxy = "http://proxy.test:3128" }]
                ),
                (
                    "resolve",
                    [
                        { $0.resolve = ["a"] }, { $0.resolve = ["a:1"] }, { $0.resolve = ["a:0:127.0.0.1"] },
                        { $0.resolve = ["-a:1:127.0.0.1"] }, { $0.resolve = ["+a:1:127.0.0.1"] },
                        { $0.resolve = ["a:x:127.0.0.1"] }, { $0.resolve = ["a:1:"] },
                        { $0.resolve = [":1:127.0.0.1"] },
                    ], [{ $0.resolve = ["a:1:127.0.0.1", "b.test:443:[::1],127.0.0.1"] }]
                ),
                (
                    "happyEyeballsDelay",
                    [{ $0.happyEyeballsDelay = .zero }, { $0.happyEyeballsDelay = .seconds(61) }],
                    [{ $0.happyEyeballsDelay = .milliseconds(1) }, { $0.happyEyeballsDelay = .seconds(60) }]
                ),
                (
                    "idleConnectionLimit", [{ $0.idleConnectionLimit = 0 }, { $0.idleConnectionLimit = 10_001 }],
                    [{ $0.idleConnectionLimit = 1 }, { $0.idleConnectionLimit = 10_000 }]
                ),
                (
                    "hostConnectionLimit", [{ $0.hostConnectionLimit = 0 }, { $0.hostConnectionLimit = 10_001 }],
                    [{ $0.hostConnectionLimit = 1 }, { $0.hostConnectionLimit = 10_000 }]
                ),
                (
                    "idleLimit", [{ $0.idleLimit = .milliseconds(999) }, { $0.idleLimit = .seconds(86401) }],
                    [{ $0.idleLimit = .seconds(1) }, { $0.idleLimit = .seconds(86400) }]
                ),
                (
                    "connectionLifetime",
                    [{ $0.connectionLifetime = .milliseconds(999) }, { $0.connectionLifetime = .seconds(86401) }],
                    [{ $0.connectionLifetime = .seconds(1) }, { $0.connectionLifetime = .seconds(86400) }]
                ),
                (
                    "headerByteLimit", [{ $0.headerByteLimit = 1023 }, { $0.headerByteLimit = 1 << 20 + 1 }],
                    [{ $0.headerByteLimit = 1024 }, { $0.headerByteLimit = 1 << 20 }]
                ),
                (
                    "headerCountLimit", [{ $0.headerCountLimit = 0 }, { $0.headerCountLimit = 10_001 }],
                    [{ $0.headerCountLimit = 1 }, { $0.headerCountLimit = 10_000 }]
                ),
            ]
            for (option, wrong, right) in rows {
                for (index, change) in wrong.enumerated() { #expect(refused(change) == option, "\(option), \(index)") }
                for (index, change) in right.enumerated() { #expect(refused(change) == nil, "\(option), \(index)") }
            }
        }

        @Test("the loaded library reports version 7.88 or later")
        func version() throws {
            let version = try #require(CurlTransport.libraryVersion)
            let parts = version.split(separator: ".").compactMap { Int($0) }
            #expect(parts.count == 3 && (parts[0], parts[1]) >= (7, 88))
        }
    }
#endif
