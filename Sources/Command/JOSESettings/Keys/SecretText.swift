import JOSE
import JOSESupport

/// An HMAC secret that is text in a file, as services configure one.
enum SecretText {
    /// Reads the secret: the bytes of the file as they are, without the one line end that editors add. Text that looks
    /// like base64 or hexadecimal digits is not decoded, because issuers of HS256 use it as it is, too.
    ///
    /// - Parameter isRegular: Whether the path must be that of a regular file, because it is read again and again.
    static func key(_ path: String, isRegular: Bool) throws(CommandFailure) -> SecretKey {
        var text = try KeyReader.text(path, isRegular: isRegular)
        defer { wipe(&text) }
        var end = text.count
        if end > 0, text[end - 1] == 0x0A {
            end -= 1
            if end > 0, text[end - 1] == 0x0D { end -= 1 }
        }
        let count = end
        return try KeyReader.named(path) { () throws(JOSEError) in
            try SecretKey(bytes: text.span.extracting(0..<count))
        }
    }
}
