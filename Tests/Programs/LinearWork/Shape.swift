/// A kind of input that repeats one element any number of times, with the parser that reads it.
struct Shape {
    /// The name: the parser, a dot, and the element that is repeated.
    let name: String
    /// The number of repetitions in the smallest of three inputs. The others have twice and four times as many.
    let count: Int
    /// Whether all three inputs must be accepted; otherwise all three must be rejected.
    var isAccepted = true
    /// Whether the parser has a limit on the number of elements: it accepts four times `count` of them, and rejects eight times
    /// `count`. The growth of its work is then not compared, because the limit bounds the work.
    var isBounded = false
    /// Builds an input with that many repetitions, and the state that its parser needs. The closure that is returned parses the
    /// input once and returns whether it was accepted.
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

    /// Returns whether the parser has its limit, if it must have one.
    func isBoundMet() throws -> Bool { try !isBounded || !build(8 * count)() }
}

enum Shapes {
    /// Returns all shapes.
    ///
    /// - Parameter certificate: The path of a PEM file with an RSA certificate, which the SAML shapes need when they are built,
    ///   or nil if no shape will be built.
    static func all(certificate: String?) -> [Shape] {
        controls + json + tokens + keys + files + disclosures + serializations + web + links + saml(certificate)
    }

    /// Returns whether the call returns without an error.
    static func accepts(_ parse: () throws -> Void) -> Bool {
        do {
            try parse()
            return true
        } catch {
            return false
        }
    }

    /// Returns `count` texts separated by commas, each made from a number of eight digits. The numbers are in no order, so that
    /// sorting them is work.
    static func list(_ count: Int, _ element: (Int) -> String) -> String {
        (0..<count).map { element(10_000_000 + Int(UInt32(truncatingIfNeeded: $0) &* 2_654_435_761 % 89_999_999)) }
            .joined(separator: ",")
    }

    static func times(_ count: Int, _ text: String) -> String { String(repeating: text, count: count) }
}
