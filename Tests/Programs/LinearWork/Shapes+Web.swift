import JOSEFetch
import JOSEKeySets
import JOSERelyingParty

extension Shapes {
    /// The shapes of what servers and browsers send besides tokens and keys.
    static var web: [Shape] {
        [
            metadata("members", 64) { "," + list($0) { "\"m\($0)\":0" } },
            metadata("elements of a list", 256) { ",\"scopes_supported\":[" + list($0) { "\"s\($0)\"" } + "]" },
            metadata("segments of an address", 128) {
                ",\"jwks_uri\":\"https://i.test" + times($0, "/a") + "\""
            },
            metadata("percent escapes of an address", 128) {
                ",\"jwks_uri\":\"https://i.test/" + times($0, "%41") + "\""
            },
            Shape("cache-control.directives", 128) { count in
                let field = times(count, "a=1, ") + "max-age=60"
                return { CacheControl([field]).maxAge == 60 }
            },
            Shape("cache-control.fields", 128) { count in
                let fields = [String](repeating: "a=1", count: count) + ["max-age=60"]
                return { CacheControl(fields).maxAge == 60 }
            },
            Shape("cache-control.quoted text", 512) { count in
                let field = "a=\"" + times(count, "\\\",") + "\", max-age=60"
                return { CacheControl([field]).maxAge == 60 }
            },
            Shape("cache-control.white space", 512) { count in
                let field = times(count, " ") + "max-age=60" + times(count, " ")
                return { CacheControl([field]).maxAge == 60 }
            },
            Shape("snapshot.bytes", 32_768) { count in
                var document = KeptDocument(body: [], header: StoredHeader(), lifetime: 60, url: "https://i.test/keys")
                document.body = [UInt8](repeating: 0x78, count: count)
                let file = try Snapshot(source: "https://i.test", fetchedAt: 0, document: document).written()
                return { accepts { _ = try Snapshot(reading: file) } }
            },
            callback("parameters", 7) { list($0) { "p\($0)=v" }.replacing(",", with: "&") }.bounded(),
            callback("empty parameters", 512) { times($0, "&") },
            callback("percent escapes", 128) { "p=" + times($0, "%c3%a9") },
            callback("parameters beyond the limit", 256, isAccepted: false) {
                list($0) { "p\($0)=v" }.replacing(",", with: "&")
            },
            callback("escapes between apps", 128) { "app-app=" + times($0, "%41") },
            Shape("callback.form fields", 7, isBounded: true) { count in
                let body = Array(("state=s&" + list(count) { "p\($0)=v" }.replacing(",", with: "&")).utf8)
                return {
                    let callback = AuthorizationCallback.form(body, contentType: "application/x-www-form-urlencoded")
                    return callback.clearingCookie != nil
                }
            },
            Shape("callback.cookies", 128) { count in
                let callback = AuthorizationCallback.query("state=s")
                let name = callback.clearingCookie?.prefix { $0 != "=" } ?? ""
                let cookies = times(count, "a=b; ") + name + "=binding"
                return { callback.binding(inCookies: cookies) == "binding" }
            },
        ] + fields
    }

    #if HTTP
        private static var fields: [Shape] {
            [
                field("fields", 128) { times($0, "Name: value\n") },
                field("continuation lines", 128) { "Name: value\n" + times($0, " more\n") },
                field("white space", 512) { "Name:" + times($0, " ") + "value" + times($0, "\t") + "\n" },
                field("a name that does not end", 512, isAccepted: false) { times($0, "Name") + "\n" },
            ]
        }

        private static func field(
            _ name: String, _ count: Int, isAccepted: Bool = true, _ lines: @escaping (Int) -> String
        ) -> Shape {
            Shape("http header." + name, count, isAccepted: isAccepted) { count in
                let lines = Array(lines(count).utf8)
                return { TransportHeaderField.fields(lines) != nil }
            }
        }
    #else
        private static var fields: [Shape] { [] }
    #endif

    private static func metadata(_ name: String, _ count: Int, _ members: @escaping (Int) -> String) -> Shape {
        Shape("metadata." + name, count) { count in
            let text = Array(#"{"issuer":"https://i.test"\#(members(count))}"#.utf8)
            return { accepts { _ = try IssuerMetadata(parsing: text, issuer: "https://i.test") } }
        }
    }

    private static func callback(
        _ name: String, _ count: Int, isAccepted: Bool = true, _ query: @escaping (Int) -> String
    ) -> Shape {
        Shape("callback." + name, count, isAccepted: isAccepted) { count in
            let isOfApp = name == "escapes between apps"
            let query = isOfApp ? query(count) : "state=s&" + query(count)
            // A callback is parsed when it is created. A text between apps that is not JSON names no login.
            return { (AuthorizationCallback.query(query).clearingCookie != nil) != isOfApp }
        }
    }
}
