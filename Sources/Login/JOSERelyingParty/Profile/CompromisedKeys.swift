package import JOSE
internal import JOSESupport

/// Keys whose private key is in a public document, and which therefore neither sign nor decrypt, with any `kid`, `use`
/// or `alg`.
package struct CompromisedKeys: Sendable {
    /// The SHA-256 thumbprints of the keys (RFC 7638), base64url.
    let thumbprints: Set<String>

    static let none = CompromisedKeys(thumbprints: [])
    /// All of them: what production rejects, for any provider.
    package static let all = CompromisedKeys(thumbprints: samples.union(ofTests.thumbprints))
    /// The keys that providers publish for tests of their clients: what the environments of all other providers reject
    /// too.
    package static let ofTests = CompromisedKeys(thumbprints: [
        "oNv9qyKBjFSlK55E5-M7IPezBbODp_3SSJpdoq7Wyhg", "m6o2tacUHziGbtPitCTyuLfK6N8eCtjt725sbpM8SP8",
    ])

    /// The keys of standards.
    private static let samples: Set<String> = [
        "IsUn6_e04MaShXFIISMp4kG62LWzMIPy_MvSA5pJgX8",  // RFC 7515, A.2; RFC 7519, A.2
        "oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U",  // RFC 7515, A.3
        "u5YUSjQ2-2chBi51NSk3t3g7IM4o2KYcnPqPtCNGd3U",  // RFC 7515, A.4
        "xtIsOV1FqKH77AI_A3jdTg5QfdabzqI-LNpYTPi0IgI",  // RFC 7516, A.1
        "_K0fXS8wlsT7Tn3vvZrs9qdKUIqi5AxQ5EVk41xi_BM",  // RFC 7516, A.2
        "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs",  // RFC 7517, A.2
        "cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s",  // RFC 7517, A.2
        "D8R4-FeTJfzuDUy8bZ0c4hcwpul-Q11gCPs3mw6-R9Q",  // RFC 7517, C.1
        "dHri3SADZkrush5HU_50AoRhcKFryN-PI6jPBtPL55M",  // RFC 7520, 3.2
        "9jg46WB3rR_AHD-EBXdN7cBkH1WOu0tA3M9fm21mqTI",  // RFC 7520, 3.4
        "h_jutvC-jg3Nwueq8LmdSybXykVsBwk4_5u5Y9JiS7E",  // RFC 7520, 5.1
        "Rt-IyDEhXohvTl_ozKQ9YGflXGuDb3uu3QmqN2LoMwM",  // RFC 7520, 5.2
        "8izOqBCj1XBwWw0-iTcMv27pUKWwFvNmw-kutyfzf-g",  // RFC 7520, 6
    ]

    func subtracting(_ others: CompromisedKeys) -> CompromisedKeys {
        CompromisedKeys(thumbprints: thumbprints.subtracting(others.thumbprints))
    }

    /// Returns whether a key is one of these.
    package func contains(_ key: JWK) throws(JOSEError) -> Bool {
        guard !thumbprints.isEmpty else { return false }
        let thumbprint = try key.thumbprint()
        return thumbprints.contains(String(decoding: Base64URL.encode(thumbprint.span), as: UTF8.self))
    }

    /// Throws `configurationError` if a key is one of these.
    package func reject(_ key: JWK) throws(RelyingPartyError.Reason) {
        do throws(JOSEError) {
            if try !contains(key) { return }
        } catch {
            throw RelyingPartyError.Reason(error)
        }
        throw .configurationError
    }
}
