internal import JOSEBytes

extension Claims {
    /// Returns the scopes of an access token: those of a string with spaces between them (RFC 8693, 4.2), or of an array of strings,
    /// each of which is one scope, as some authorization servers write them.
    ///
    /// - Parameter name: The name of the claim, compared byte by byte: `scope`, or `scp` where an authorization server has that.
    /// - Returns: The scopes in their order; nil if the claim is absent or of another type, or if an element of the array is not a
    ///   string, is empty, or contains a space or a control character: one element never stands for several scopes (RFC 6749, 3.3).
    public func scopes(_ name: String = "scope") -> [String]? {
        guard let value = value(name) else { return nil }
        if case .string = value.kind {
            let words = value.string(in: payload.span)?.utf8.split(separator: UInt8(ascii: " "))
            return words?.map { String(Substring($0)) }
        }
        guard case .array = value.kind, let scopes = strings(of: value) else { return nil }
        return scopes.allSatisfy { scope in !scope.isEmpty && scope.utf8.allSatisfy { $0 > 0x20 } } ? scopes : nil
    }
}
