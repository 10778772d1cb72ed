#if HTTP
    internal import CJOSEFetch

    /// The purpose of an IP address, according to the registries of special-purpose addresses (RFC 6890).
    package enum AddressKind: Sendable {
        case global, loopback, privateUse, linkLocal, reserved

        /// Creates the kind of an address of 4 or 16 bytes.
        package init(_ address: [UInt8]) {
            self =
                switch unsafe cjose_fetch_address_kind(address, address.count) {
                case .global: .global
                case .loopback: .loopback
                case .private: .privateUse
                case .link_local: .linkLocal
                case .reserved: .reserved
                }
        }
    }
#endif
