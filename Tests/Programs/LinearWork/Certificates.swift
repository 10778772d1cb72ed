enum Certificates {
    /// A self-signed P-256 certificate in base64, valid from 2026 to 2126.
    static let root =
        "MIIBfzCCASWgAwIBAgIUF+0GcxyARGiQMIGx88TyYyrZyhwwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJZnV6eiByb290MCAXDTI2MTEyMTAxMzgwM1oYDzIxMjYxMDI4MDEzODAzWjAUMRIwEAYDVQQDDAlmdXp6IHJvb3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASUBsGoTVLMzwR98OqlleBdM7ym0mPoOL3tpWQAvbSS3Jeb8jnMzzmUyA3zr2//9rHieOQm+ghYJ8G8YsHxph8po1MwUTAdBgNVHQ4EFgQUZtIEwYdPtZfuHlHhCnaqBXRicfswHwYDVR0jBBgwFoAUZtIEwYdPtZfuHlHhCnaqBXRicfswDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEA2NYej2KB1qXw62wQC0kgtAaOxQ7NAHl4HA3j99FRcNkCID/FA2ddeVAtJ8hGlMolTKP9JY+leHpIE6rIU49rUkVW"

    static let pem = "-----BEGIN CERTIFICATE-----\n" + lines(root) + "-----END CERTIFICATE-----\n"

    static func lines(_ base64: String) -> String {
        var text = ""
        var rest = base64[...]
        while !rest.isEmpty {
            text += rest.prefix(64) + "\n"
            rest = rest.dropFirst(64)
        }
        return text
    }
}
