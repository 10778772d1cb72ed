#if SAML
    /// A source of changes of bytes and elements. The same seed makes the same changes.
    struct Mutator {
        private var state: UInt64

        init(seed: UInt64) { state = seed }

        /// Returns the next number of SplitMix64.
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
        mutating func below(_ count: Int) -> Int { count == 0 ? 0 : Int(next() % UInt64(count)) }

        private static let words: [[UInt8]] = [
            "<!DOCTYPE a>", "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>", "&x;", "&#0;", "&#x10FFFF;",
            "&lt;",
            "<!-- x -->", "<!--", "-->", "<?x y?>", "<![CDATA[", "]]>", " ID=\"_x\"", " Id=\"_request\"",
            " xml:id=\"_x\"",
            " xmlns=\"\"", " xmlns:saml=\"urn:x\"", " xmlns:x=\"y\"", " URI=\"\"", " URI=\"#\"",
            " PrefixList=\"#default ds\"",
            "<ds:Object>", "</ds:Object>", "<saml:Assertion>", "<samlp:Extensions>", "</samlp:Extensions>", "<a/>",
            "<a>", "</a>",
            "<ds:Transform Algorithm=\"http://www.w3.org/TR/1999/REC-xslt-19991116\"/>", "#rsa-sha1", "#hmac-sha256",
            "\u{FEFF}",
            "<?xml version=\"1.0\" encoding=\"UTF-16\"?>", "\u{0}", "111222342", "=", "AAAA",
        ].map { Array($0.utf8) }

        mutating func changed(_ bytes: [UInt8]) -> [UInt8] {
            var bytes = bytes
            for _ in 0...below(3) { change(&bytes) }
            return bytes
        }

        private mutating func change(_ bytes: inout [UInt8]) {
            guard !bytes.isEmpty else { return bytes = Self.words[below(Self.words.count)] }
            let place = below(bytes.count)
            switch below(9) {
            case 0: bytes[place] ^= 1 << UInt8(below(8))
            case 1: bytes[place] = UInt8(below(256))
            case 2: bytes.insert(contentsOf: Self.words[below(Self.words.count)], at: place)
            case 3:
                // The word is inserted between tags, where it may be an element or text.
                let at = bytes[place...].firstIndex(of: UInt8(ascii: "<")) ?? place
                bytes.insert(contentsOf: Self.words[below(Self.words.count)], at: at)
            case 4:
                // The word is inserted within a tag, where it may be an attribute.
                let at = bytes[place...].firstIndex { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ">") } ?? place
                bytes.insert(contentsOf: Self.words[below(Self.words.count)], at: at)
            case 5: bytes.removeSubrange(place..<min(bytes.count, place + 1 + below(16)))
            case 6: bytes.removeSubrange(element(bytes, from: place))
            case 7:
                let copy = Array(bytes[element(bytes, from: place)])
                let at = bytes[below(bytes.count)...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
                bytes.insert(contentsOf: copy, at: at)
            default:
                let range = element(bytes, from: place)
                let copy = Array(bytes[range])
                bytes.removeSubrange(range)
                let at = bytes[below(bytes.count)...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
                bytes.insert(contentsOf: copy, at: at)
            }
        }

        /// Returns the range from the next start tag to its end tag, or that of the tag alone if there is no end tag.
        private func element(_ bytes: [UInt8], from place: Int) -> Range<Int> {
            guard let start = bytes[place...].firstIndex(of: UInt8(ascii: "<")),
                let close = bytes[start...].firstIndex(of: UInt8(ascii: ">"))
            else { return place..<place }
            let name = bytes[(start + 1)...].prefix { ![0x20, 0x3E, 0x2F].contains($0) }
            let end = Array("</".utf8) + name + Array(">".utf8)
            var at = close
            while at + end.count <= bytes.count {
                if bytes[at..<(at + end.count)].elementsEqual(end) { return start..<(at + end.count) }
                at += 1
            }
            return start..<(close + 1)
        }
    }
#endif
