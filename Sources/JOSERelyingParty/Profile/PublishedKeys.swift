/// Keys whose private half stands in a public document: whoever signs or decrypts with one in production has no secret.
enum PublishedKeys {
    /// RFC 7638 thumbprints under SHA-256, base64url.
    static let thumbprints: Set<String> = [
        // RFC 7515, A.2; RFC 7517, A.2; RFC 7520, 3.4, 5.1 and 5.2: filled by the next commit of the list
    ]
}
