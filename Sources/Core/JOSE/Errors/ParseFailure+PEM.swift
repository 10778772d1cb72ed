extension ParseFailure {
    /// Creates the failure of a part that is not PEM, and names escaped line ends as the cause where the text has some.
    init(_ part: Part, pem text: Span<UInt8>) {
        var isEscaped = false
        for place in text.indices.dropFirst()
        where text[place] == UInt8(ascii: "n") && text[place - 1] == UInt8(ascii: "\\") {
            isEscaped = true
        }
        self.init(part, isEscaped ? .escapedLineEnds : .pem)
    }
}
