public import JOSE
internal import JOSESupport

/// The value of a header field `Authorization`: the name of a scheme, and one token after it (RFC 9110, 11.6.2).
///
/// Between the two there may be several spaces (RFC 9110, 11.4), and around the value spaces and tabs, which are not
/// part of it (RFC 9110, 5.5). A request must have at most one such field; which of several a service would read is for
/// its server to reject.
public struct AuthorizationField: Sendable {
    /// The name of the scheme in lower case, such as `bearer` or `dpop`, because names of schemes have no case (RFC
    /// 9110, 11.1); empty if the value is.
    public let scheme: String
    /// The token after the scheme, in visible ASCII characters; nil if nothing follows the scheme, or anything but one
    /// token, such as two words or parameters.
    public let token: [UInt8]?

    /// Reads the value of the field.
    ///
    /// - Parameter value: The value, without the name of the field and its colon.
    public init(_ value: borrowing some BorrowedBytes) { self = value.withBytes { AuthorizationField(of: $0) } }

    private init(of value: Span<UInt8>) {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        var (start, end) = (0, value.count)
        while start < end, isBlank(value[start]) { start += 1 }
        while start < end, isBlank(value[end - 1]) { end -= 1 }
        var name: [UInt8] = []
        while start < end, value[start] != 0x20 {
            name.append(value[start].asciiLowercased)
            start += 1
        }
        scheme = String(decoding: name, as: UTF8.self)
        while start < end, value[start] == 0x20 { start += 1 }
        let text = value.extracting(start..<end).copy()
        token = !text.isEmpty && text.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? text : nil
    }
}

extension AuthorizationField: Redacted {
    /// The name of the type alone, because the token is secret, and may stand where the scheme belongs.
    package var summary: String { "AuthorizationField" }
}
