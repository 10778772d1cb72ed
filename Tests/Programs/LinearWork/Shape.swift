/// An input that repeats one thing any number of times, and the parser that reads it.
struct Shape {
    /// The parser, a dot, and the thing that is repeated.
    let name: String
    /// How often the smallest of three inputs repeats the thing. The others repeat it twice and four times as often.
    let count: Int
    /// Whether all three inputs are to be accepted; else all three are to be rejected.
    var isAccepted = true
    /// Whether the parser has a limit on the number of things: it accepts four times `count` of them, and rejects eight times `count`. The
    /// growth of its work is then not compared, because the limit bounds the work.
    var isBounded = false
    /// Builds an input that repeats the thing so often, and whatever state its parser needs. The closure that is returned parses the input
    /// once and returns whether it was accepted.
    let build: (Int) throws -> () -> Bool

    init(
        _ name: String, _ count: Int, isAccepted: Bool = true, isBounded: Bool = false,
        _ build: @escaping (Int) throws -> () -> Bool
    ) {
        self.name = name
        self.count = count
        self.isAccepted = isAccepted
        self.isBounded = isBounded
        self.build = build
    }

    func bounded() -> Shape { Shape(name, count, isBounded: true, build) }

    /// Whether the bound is there, where there is to be one.
    func isBoundMet() throws -> Bool { try !isBounded || !build(8 * count)() }
}

enum Shapes {
    /// - Parameter certificate: The path of a PEM file with an RSA certificate, which shapes of SAML need when they are built. Nil if no
    ///   shape will be built.
    static func all(certificate: String?) -> [Shape] {
        controls + json + tokens + keys + files + disclosures + serializations + web + links + saml(certificate)
    }

    /// Whether the call returns without an error.
    static func accepts(_ parse: () throws -> Void) -> Bool {
        do {
            try parse()
            return true
        } catch {
            return false
        }
    }

    /// `count` texts between commas, each made of a number of eight digits. The numbers are in no order, so that sorting them is work.
    static func list(_ count: Int, _ element: (Int) -> String) -> String {
        (0..<count).map { element(10_000_000 + Int(UInt32(truncatingIfNeeded: $0) &* 2_654_435_761 % 89_999_999)) }
            .joined(separator: ",")
    }

    static func times(_ count: Int, _ text: String) -> String { String(repeating: text, count: count) }
}
