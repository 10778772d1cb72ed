import TestSupport

/// Random paths of attackers and of ordinary applications.
struct PathCampaign {
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    private static let pieces = [
        "..", ".", "%2e%2e", "%2E", "%c0%ae%c0%ae", "%c0%af", "%ef%bc%8f", "%ef%bc%8e%ef%bc%8e", "/", "/", "/", "%2f",
        "%5c", ";",
        "%3b", "%20", "%09", ".%20.", ".%e2%80%8b.", "admin", "ADMIN", "Admin", "adm%C4%B1n", "a", "%e0%80%af", "%c0.",
        "%25", "%25 ",
        "+", ".%c2%ad.", "%e2%80%a5", "%e2%80%a6", "%f0%80%80%af", "%25%20", "%ef%bc%85", "2e", "2f", "61", "u002e",
        "%ef%bd%81dmin",
        "%ef%bc%9b", "%ef%bc%9f", "%ef%bc%83", "%ef%bc%bc", "%e3%80%80", "%c2%a0", "%cc%88", "%f3%a0%81%81",
        "%e2%85%b0", "keys",
        "%e2%84%aaeys", "%61dmin", "v1.0", "%C3%A4", "x", "~", "@", "health",
    ]
    private static let ends = [
        "", "", ".", "%20", "+", "/", ";v=1", "%E2%80%8B", "..", "%2e", "?x", "%C2%AD", "%E3%80%80", ";",
    ]

    /// Returns a path that begins with one of the prefixes.
    mutating func hostile(below prefixes: [String]) -> String {
        let count = Int.random(in: 1...6, using: &random)
        let start = prefixes.randomElement(using: &random) ?? "/"
        return (0..<count).reduce(start) { text, _ in text + (Self.pieces.randomElement(using: &random) ?? "") }
    }

    /// Returns another spelling of a path.
    mutating func respelled(_ path: String) -> String {
        var text = ""
        for character in path.utf8 {
            let letter = String(UnicodeScalar(character))
            guard character > 0x60 else {
                text += (character == 0x2F && Int.random(in: 0..<6, using: &random) == 0) ? "/%20/" : letter
                continue
            }
            switch Int.random(in: 0..<14, using: &random) {
            case 0: text += letter.uppercased()
            case 1: text += "%" + String(character, radix: 16)
            case 2: text += "%EF%BD%" + String(UInt32(character) - 0x61 + 0x81, radix: 16)
            case 3: text += "%EF%BC%" + String(UInt32(character) - 0x61 + 0xA1, radix: 16)
            case 4: text += letter + (["%CC%81", "%E2%80%8D", "%20", "+", ""].randomElement(using: &random) ?? "")
            case 5: text += letter == "i" ? "%C4%B1" : letter == "s" ? "%C5%BF" : letter == "k" ? "%E2%84%AA" : letter
            default: text += letter
            }
        }
        return text + (Self.ends.randomElement(using: &random) ?? "")
    }

    /// Returns a path as applications have them, none of whose segments looks like one of a policy.
    mutating func ordinary() -> String {
        let count = Int.random(in: 1...5, using: &random)
        var path = ""
        for _ in 0..<count { path += "/" + segment() }
        if Int.random(in: 0..<8, using: &random) == 0 { path += "/" }
        if Int.random(in: 0..<4, using: &random) == 0 { path += "?q=%2e%2e/a;b&x=1" }
        return path
    }

    private static let words = [
        "users", "Orders", "projects", "caf%C3%A9", "b%C3%BCro", "M%C3%BCller", "Stra%C3%9Fe", "%E6%9D%B1%E4%BA%AC",
        "文件", "조직", "ไทย",
        "%F0%9F%98%80", "👩‍🚀", "%E2%9C%93", "@scope", "%40team", "~alice", "%7Ebob", "my%20file", "a+b", "c++",
        "100%25%20dark", "50%25%20off",
        "50%25%20off",
        "Hello%20World%21", "it's", "(draft)", "v1.2.3", "index.html", "photo.JPG", "archive.tar.gz", ".well-known",
        ".env.example",
        "3fa85f64-5717-4562-b3fc-2c963f66afa6", "eyJhbGciOiJF", "a=b,c=d", "items:batchGet", "list;v=1",
        "map;lat=50;long=20", "2026-11-28",
        "q&a", "price$", "star*", "%E2%82%AC", "A%CC%8Angstr%C3%B6m", "%D9%85%D8%B1%D8%AD%D8%A8%D8%A7",
        "%E3%81%AA%E3%81%AB%EF%BC%9F",
        "AC%EF%BC%8FDC", "wait%E2%80%A6", "Ben%20%26%20Jerry", "naïve", "%C2%BD", "x...y", "compare", "main...dev",
        "_next", "-", "__init__.py",
    ]

    private mutating func segment() -> String {
        var text = Self.words.randomElement(using: &random) ?? ""
        if Int.random(in: 0..<5, using: &random) == 0 {
            text += ["%20", "-", "_", ".", "~", ""].randomElement(using: &random) ?? ""
            text += Self.words.randomElement(using: &random) ?? ""
        }
        return text
    }

    /// Returns a service with some habits in some order.
    mutating func reader() -> PathReader {
        let count = Int.random(in: 0...4, using: &random)
        let steps = (0..<count).compactMap { _ in PathReader.habits.randomElement(using: &random) }
        return PathReader(steps: steps, decodes: Int.random(in: 0..<8, using: &random) != 0)
    }
}
