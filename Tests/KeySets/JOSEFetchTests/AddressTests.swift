#if HTTP
    import Foundation
    import JOSEFetch
    import Testing

    /// The ranges of IANA's special-purpose registries, each at both borders, and the addresses beside them.
    @Suite("Ranges of IP addresses") struct AddressTests {
        private static func bytes(_ text: String) throws -> [UInt8] {
            var four = in_addr()
            var sixteen = in6_addr()
            if unsafe inet_pton(AF_INET, text, &four) == 1 {
                return unsafe withUnsafeBytes(of: &four) { unsafe Array($0) }
            }
            try #require(unsafe inet_pton(AF_INET6, text, &sixteen) == 1, "\(text)")
            return unsafe withUnsafeBytes(of: &sixteen) { unsafe Array($0) }
        }

        private func expect(_ text: String, _ kind: AddressKind) throws {
            #expect(AddressKind(try Self.bytes(text)) == kind, "\(text)")
        }

        /// The first and the last address of a range with its kind, and the two addresses beside it with theirs.
        private typealias Row = (
            String, String, AddressKind, before: (String, AddressKind)?, after: (String, AddressKind)?
        )

        private static let ipv4: [Row] = [
            ("0.0.0.0", "0.255.255.255", .reserved, nil, ("1.0.0.0", .global)),
            ("10.0.0.0", "10.255.255.255", .privateUse, ("9.255.255.255", .global), ("11.0.0.0", .global)),
            ("100.64.0.0", "100.127.255.255", .privateUse, ("100.63.255.255", .global), ("100.128.0.0", .global)),
            ("127.0.0.0", "127.255.255.255", .loopback, ("126.255.255.255", .global), ("128.0.0.0", .global)),
            ("169.254.0.0", "169.254.255.255", .linkLocal, ("169.253.255.255", .global), ("169.255.0.0", .global)),
            ("172.16.0.0", "172.31.255.255", .privateUse, ("172.15.255.255", .global), ("172.32.0.0", .global)),
            ("192.0.0.0", "192.0.0.255", .reserved, ("191.255.255.255", .global), ("192.0.1.0", .global)),
            ("192.0.2.0", "192.0.2.255", .reserved, ("192.0.1.255", .global), ("192.0.3.0", .global)),
            ("192.88.99.0", "192.88.99.255", .reserved, ("192.88.98.255", .global), ("192.88.100.0", .global)),
            ("192.168.0.0", "192.168.255.255", .privateUse, ("192.167.255.255", .global), ("192.169.0.0", .global)),
            ("198.18.0.0", "198.19.255.255", .reserved, ("198.17.255.255", .global), ("198.20.0.0", .global)),
            ("198.51.100.0", "198.51.100.255", .reserved, ("198.51.99.255", .global), ("198.51.101.0", .global)),
            ("203.0.113.0", "203.0.113.255", .reserved, ("203.0.112.255", .global), ("203.0.114.0", .global)),
            ("224.0.0.0", "255.255.255.255", .reserved, ("223.255.255.255", .global), nil),
        ]

        private static let ipv6: [Row] = [
            ("::", "::", .reserved, nil, ("::1", .loopback)),
            ("::2", "::fffe:ffff:ffff", .reserved, ("::1", .loopback), nil),
            ("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", .reserved, nil, ("64:ff9b:2::", .reserved)),
            ("100::", "100::ffff:ffff:ffff:ffff", .reserved, nil, ("101::", .reserved)),
            ("2000::", "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .global, ("1fff:ffff::", .reserved), nil),
            ("2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", .reserved, nil, ("2001:200::", .global)),
            (
                "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", .reserved,
                ("2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", .global), ("2001:db9::", .global)
            ),
            (
                "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", .reserved,
                ("3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .global), ("3fff:1000::", .global)
            ),
            ("4000::", "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .reserved, ("3fff:ffff::", .global), nil),
            ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .privateUse, nil, ("fe00::", .reserved)),
            (
                "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .linkLocal,
                ("fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .reserved), ("fec0::", .reserved)
            ),
            ("fec0::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .reserved, nil, nil),
            ("2606:4700::", "2a00:1450::", .global, nil, nil),
        ]

        @Test("classifies every special range of IPv4 and IPv6 from its first to its last address (RFC 6890)")
        func ranges() throws {
            for row in Self.ipv4 + Self.ipv6 {
                try expect(row.0, row.2)
                try expect(row.1, row.2)
                if let before = row.before { try expect(before.0, before.1) }
                if let after = row.after { try expect(after.0, after.1) }
            }
        }

        @Test("classifies an embedded IPv4 address as the address itself: mapped, NAT64 and 6to4")
        func embedded() throws {
            for row in Self.ipv4 {
                let all = [(row.0, row.2), (row.1, row.2)] + [row.before, row.after].compactMap { $0 }
                for (text, kind) in all {
                    let address = try Self.bytes(text)
                    let zeros = [UInt8](repeating: 0, count: 10)
                    #expect(AddressKind(zeros + [0xFF, 0xFF] + address) == kind, "mapped \(text)")
                    #expect(AddressKind([0, 0x64, 0xFF, 0x9B] + zeros.prefix(8) + address) == kind, "NAT64 \(text)")
                    #expect(AddressKind([0x20, 0x02] + address + zeros) == kind, "6to4 \(text)")
                }
            }
            // The prefixes beside that of mapped addresses are translated (RFC 2765) and compatible ones (RFC 4291, 2.5.5.1).
            try expect("::ffff:0:8.8.8.8", .reserved)
            try expect("::8.8.8.8", .reserved)
            try expect("::fffe:8.8.8.8", .reserved)
        }

        @Test("classifies bytes of any other length as reserved")
        func lengths() {
            for count in [0, 1, 3, 5, 8, 15, 17, 32] {
                #expect(AddressKind([UInt8](repeating: 8, count: count)) == .reserved, "\(count)")
            }
            #expect(AddressKind([8, 8, 8, 8]) == .global)
        }
    }
#endif
