/// Returns the number that a string of 1 to 18 digits stands for; nil for any other string. Some providers send numbers
/// as strings.
package func digits(_ text: String) -> Int64? {
    guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(text)
}
