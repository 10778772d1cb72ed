extension String {
    /// Whether the text is a token of HTTP (RFC 9110, 5.6.2).
    package var isHTTPToken: Bool { !isEmpty && isAlphanumeric(or: "!#$%&'*+-.^_`|~") }

    /// Returns whether each byte of the UTF-8 text is an ASCII letter, an ASCII digit or one of the other characters.
    /// The result is true for an empty text.
    ///
    /// - Parameter others: The other characters, which are ASCII.
    package func isAlphanumeric(or others: String) -> Bool {
        utf8.allSatisfy { $0.isASCIIAlphanumeric || others.utf8.contains($0) }
    }
}
