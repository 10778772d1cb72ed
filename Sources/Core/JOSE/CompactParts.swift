internal import JOSEBytes

/// The positions of the parts of a compact token. Only dots are searched, so that an input that is not a token costs
/// next to nothing.
struct CompactParts {
    private let dots: InlineArray<5, Int>
    private let total: Int
    let count: Int

    /// Rejects a text over the limit, then one with white space around it, which no part may contain, then one without exactly `count`
    /// parts (RFC 7515, 3.1; RFC 7516, 3.1).
    init(_ token: Span<UInt8>, count: Int, limits: ParsingLimits) throws(JOSEError) {
        guard token.count <= limits.tokenBytes else { throw .limitExceeded(.tokenBytes) }
        if token.count > 0, token[0] <= 0x20 || token[token.count - 1] <= 0x20 {
            throw .malformed(ParseFailure(.token, .whiteSpace))
        }
        var places = InlineArray<5, Int>(repeating: 0)
        let found = findDots(in: token, &places)
        guard found == count - 1 else { throw .malformed(ParseFailure(.token, .parts)) }
        dots = places
        total = token.count
        self.count = count
    }

    func range(_ index: Int) -> Range<Int> {
        let start = index == 0 ? 0 : dots[index - 1] + 1
        let end = index == count - 1 ? total : dots[index]
        return start..<end
    }
}
