extension String {
    /// Returns whether each byte of the UTF-8 text is an ASCII letter, an ASCII digit or one of the other characters.
    /// The result is true for an empty text.
    ///
    /// - Parameter others: The other characters, which are ASCII.
    package func isAlphanumeric(or others: String) -> Bool {
        utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: others.utf8.contains(byte)
            }
        }
    }
}
