import AppLinks

extension Shapes {
    /// The shapes of the files that associate a site with apps.
    static var links: [Shape] {
        [
            apple("apps", 64) { count in
                list(count) { "{\"appID\":\"ABCDEFGHIJ.a\($0)\",\"paths\":[\"*\"]}" }
            },
            apple("paths", 128) { count in
                "{\"appID\":\"ABCDEFGHIJ.a\",\"paths\":[" + list(count) { "\"/\($0)\"" } + "]}"
            },
            apple("paths that repeat", 128) { count in
                "{\"appID\":\"ABCDEFGHIJ.a\",\"paths\":[" + list(count) { _ in "\"/\"" } + "]}"
            },
            android("statements", 32) { count in list(count) { statement("com.a\($0)", [0]) } },
            android("fingerprints", 32) { count in statement("com.a", Array(0..<count)) },
            Shape("associated domains.entries", 64) { count in
                let domains = AssociatedDomains((0..<count).map { "applinks:a\($0).test" })
                return { !domains.check().isEmpty }
            },
        ]
    }

    private static func apple(_ name: String, _ count: Int, _ details: @escaping (Int) -> String) -> Shape {
        Shape("apple links." + name, count) { count in
            let text = "{\"applinks\":{\"apps\":[],\"details\":[\(details(count))]}}"
            let file = LinkFile(.apple, location: "apple-app-site-association", body: Array(text.utf8))
            return { AppleAppLinks.check(file).links != nil }
        }
    }

    private static func android(_ name: String, _ count: Int, _ statements: @escaping (Int) -> String) -> Shape {
        Shape("android links." + name, count) { count in
            let file = LinkFile(.android, location: "assetlinks.json", body: Array("[\(statements(count))]".utf8))
            return { AndroidAssetLinks.check(file).links?.statements.isEmpty == false }
        }
    }

    private static func statement(_ package: String, _ fingerprints: [Int]) -> String {
        let texts = fingerprints.map { number -> String in
            let digits = String(1_000_000 + number)
            return "\"" + (0..<32).map { $0 < 7 ? "0\(Array(digits)[$0])" : "AB" }.joined(separator: ":") + "\""
        }
        return
            "{\"relation\":[\"delegate_permission/common.handle_all_urls\"],\"target\":{\"namespace\":\"android_app\","
            + "\"package_name\":\"\(package)\",\"sha256_cert_fingerprints\":[\(texts.joined(separator: ","))]}}"
    }
}
