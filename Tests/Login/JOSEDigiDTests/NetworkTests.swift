#if SAML
    import Foundation
    import TestSupport
    import Testing

    @Suite("SAML: files and URLs that a message names") struct NetworkTests {
        private static let strace = ["/usr/bin/strace", "/usr/local/bin/strace"].first {
            FileManager.default.isExecutableFile(atPath: $0)
        }

        /// Messages that name a file or a URL in each way in which XML parsers have loaded one.
        private static let messages: [String] = {
            let locations = [
                "file:///tmp/canary", "http://127.0.0.1:9/canary", "http://[::1]:9/canary", "/tmp/canary", "canary",
            ]
            return locations.flatMap { location in
                [
                    "<!DOCTYPE a SYSTEM \"\(location)\"><a/>", "<!DOCTYPE a PUBLIC \"canary\" \"\(location)\"><a/>",
                    "<!DOCTYPE a [<!ENTITY x SYSTEM \"\(location)\">]><a>&x;</a>",
                    "<!DOCTYPE a [<!ENTITY % x SYSTEM \"\(location)\"> %x;]><a/>",
                    "<?xml-stylesheet href=\"\(location)\"?><a/>",
                    "<a xmlns:xi=\"http://www.w3.org/2001/XInclude\"><xi:include href=\"\(location)\"/></a>",
                    "<a xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:schemaLocation=\"a \(location)\"/>",
                ]
            }
        }()

        @Test(
            "D03 reading a message opens no socket and no file that it names, by strace",
            .enabled(if: strace != nil && builtTool("SAMLReader") != nil, "strace or the reader is not there"))
        func systemCalls() throws {
            let strace = try #require(Self.strace)
            let reader = try #require(builtTool("SAMLReader"))
            let provider = try Parties.made().provider.issued
            // A signature can name a URL as well.
            var exchange = try Exchange()
            let honest = try exchange.body()
            let uri = try honest.attribute("URI")
            exchange.tamper = { $0.swap("URI=\"\(try $0.attribute("URI"))\"", "URI=\"file:///tmp/canary\"") }
            let messages =
                Self.messages + [
                    try exchange.body(), honest.replacingOccurrences(of: uri, with: "http://127.0.0.1:9/canary"),
                ]
            let folder = try TemporaryFolder()
            let trace = folder.url.appending(path: "trace")
            let result = try run(
                strace,
                [
                    "-f", "-s", "4096", "-e", "trace=%network,%file", "-o", trace.path, reader, provider.key.path,
                    provider.certificate.path, "read",
                ], stdin: messages.joined(separator: "\n----\n"),
                // The leak check attaches to the process, which strace already traces.
                environment: ["ASAN_OPTIONS": "detect_leaks=0"])
            let calls = (try? String(contentsOf: trace, encoding: .utf8)) ?? ""
            try #require(result.status == 0 && !calls.isEmpty, "\(result.stderr.prefix(200))")
            let lines = result.stdout.split(separator: "\n")
            #expect(lines.count == messages.count + 1)
            #expect(!lines.dropLast().contains("login") && lines.last == "honest: login")
            // Error output of the libraries would contain parts of messages.
            #expect(result.stderr.isEmpty, "\(result.stderr.prefix(200))")
            // The trace contains the key's file, which shows that it would contain any other.
            #expect(calls.contains(provider.key.path))
            for call in calls.split(separator: "\n") {
                #expect(!call.contains("canary"), "\(call)")
                for name in ["socket(", "connect(", "sendto(", "bind("] { #expect(!call.contains(name), "\(call)") }
            }
            withExtendedLifetime(folder) {}
        }
    }
#endif
