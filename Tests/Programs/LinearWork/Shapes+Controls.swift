extension Shapes {
    /// A shape with linear work, and one with quadratic work: the search of a new name among all names before it. A run that does
    /// not tell them apart proves nothing.
    static var controls: [Shape] {
        [
            Shape("control.linear", 64) { count in
                let names = names(count)
                return { names.filter { $0.contains(0x6F) }.count == count }
            },
            Shape("control.quadratic", 64) { count in
                let names = names(count)
                return {
                    var seen: [[UInt8]] = []
                    for name in names where !seen.contains(where: { $0 == name }) { seen.append(name) }
                    return seen.count == count
                }
            },
        ]
    }

    private static func names(_ count: Int) -> [[UInt8]] { (0..<count).map { Array("operation \(1_000 + $0)".utf8) } }
}
