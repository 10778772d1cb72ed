#if SAML
    extension String {
        /// Whether the text consists of 1 to 1024 bytes of printable ASCII without blanks (SAML 2.0 Core, 8.3.6).
        var isName: Bool { (1...1024).contains(utf8.count) && utf8.allSatisfy { (0x21...0x7E).contains($0) } }
    }

    enum EntityID {
        static func isValid(_ text: String) -> Bool { text.isName }
    }

    enum EndpointURL {
        /// Returns whether the text is an https URL or, for a local stand-in of a provider, an http URL of this
        /// machine.
        static func isValid(_ text: String) -> Bool {
            guard text.isName, !text.utf8.contains(where: { [0x22, 0x3C, 0x3E, 0x5C, 0x60].contains($0) }) else {
                return false
            }
            let local = ["127.0.0.1", "localhost", "[::1]"].flatMap { ["http://\($0):", "http://\($0)/"] }
            return (["https://"] + local).contains { text.hasPrefix($0) && text.utf8.count > $0.utf8.count }
        }
    }
#endif
