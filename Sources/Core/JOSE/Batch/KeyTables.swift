/// The tables of multiples that the process computes for P-256 and Ed25519 public keys in frequent use.
///
/// A verification under a key with a table takes a fraction of the time of one without. A key gets its table after some
/// hundred tokens (32 where the processor has AVX-512 IFMA), and keeps it while it is in use. If more keys are in use
/// than there may be tables, as in a service with a thousand issuers, raise ``limit``: the keys without a table are
/// verified by OpenSSL or libsodium.
public enum KeyTables {
    /// The limit of a process that sets none.
    static let defaultLimit = 256

    /// The largest number of tables that the process may have at a time, for all verifiers together. The default is
    /// 256.
    ///
    /// Together the tables have at most 256 KiB for each of this number: 64 MiB by default, 256 MiB for 1,024. A table
    /// of a P-256 key has at most 256 KiB and that of an Ed25519 key 300 KiB. Memory is allocated as tables are
    /// computed, and freed with their keys. A lower limit frees tables at once, and with 0 there are none. Values are
    /// limited to the range from 0 to 65,536.
    public static var limit: Int {
        get { HotKeyRegistry.shared.limit }
        set {
            let count = min(max(newValue, 0), 65_536)
            HotKeyRegistry.shared.setLimits(maximumKeys: count, maximumBytes: bytes(count))
        }
    }

    /// The number of tables that the process has at this moment.
    public static var count: Int { HotKeyRegistry.shared.size.keys }

    /// The number of bytes of these tables.
    public static var byteCount: Int { HotKeyRegistry.shared.size.bytes }

    /// Returns the memory that this number of tables may have: one of an Ed25519 key has 300 KiB.
    static func bytes(_ count: Int) -> Int { count == 0 ? 0 : max(count * 256, 300) << 10 }
}
