internal import JOSESupport

extension Claims {
    /// Returns the scopes of an access token: those of a string with spaces between them (RFC 8693, 4.2), or of an
    /// array of strings, each of which is one scope, as some authorization servers write them.
    ///
    /// - Parameter name: The name of the claim, compared byte by byte: `scope`, or `scp` where an authorization server
    ///   has that.
    /// - Returns: The scopes in their order; nil if the claim is absent or of another type, or if an element of the
    ///   array is not a string, is empty, or contains a space or a control character: one element never stands for
    ///   several scopes (RFC 6749, 3.3).
    public func scopes(_ name: String = "scope") -> [String]? {
        guard let value = value(name) else { return nil }
        if case .string = value.kind {
            guard let text = value.string(in: payload.span) else { return nil }
            // One array is allocated, and not one of slices beside it.
            var words: [String] = []
            var start = text.utf8.startIndex
            while start < text.utf8.endIndex {
                let end = text.utf8[start...].firstIndex(of: UInt8(ascii: " ")) ?? text.utf8.endIndex
                if start < end { words.append(String(text[start..<end])) }
                start = end < text.utf8.endIndex ? text.utf8.index(after: end) : end
            }
            return words
        }
        guard case .array = value.kind, let scopes = strings(of: value) else { return nil }
        return scopes.allSatisfy { scope in !scope.isEmpty && scope.utf8.allSatisfy { $0 > 0x20 } } ? scopes : nil
    }
}
