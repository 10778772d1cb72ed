internal import JOSESupport
internal import Synchronization

/// The verified paths of a verifier, by the bytes of `x5c`, and the headers of tokens under them, by their bytes. It is
/// bounded in entries and bytes, and changed under its owner's lock.
///
/// Anyone can send a chain that others use, written in another way, so that its path is valid and its bytes are new. A
/// path is therefore unconfirmed until a signature by its key was valid; unconfirmed paths have a few entries of their
/// own, and never remove a confirmed one.
struct VerifiedPaths: Sendable {
    struct Bounds: Sendable {
        /// The largest number of confirmed paths.
        var paths = 512
        /// The largest number of unconfirmed paths.
        var unconfirmed = 16
        /// The largest number of bytes of confirmed paths and their headers. One `x5c` or header has a 64th at most.
        var bytes = 4 << 20

        fileprivate func hasRoom(for count: Int) -> Bool { count <= bytes / 64 }
    }

    /// The largest number of headers for each path. An issuer that writes an ever new header gains nothing by more.
    private static let maximumHeaders = 2

    private struct PathRow: Sendable {
        let path: VerifiedPath
        /// The hashes of the headers.
        var headers: [Int] = []
        /// The number of bytes that are counted.
        var bytes = 0

        var isConfirmed: Bool { path.isConfirmed.load(ordering: .relaxed) }
    }

    private struct HeaderRow: Sendable {
        let header: AllowedHeader
        let path: VerifiedPath
    }

    private let bounds: Bounds
    private var paths: [Int: PathRow] = [:]
    private var headers: [Int: HeaderRow] = [:]
    private var unconfirmed = 0
    private var uses = 0
    private(set) var bytes = 0

    init(_ bounds: Bounds = Bounds()) { self.bounds = bounds }

    /// The number of paths, and of those under which a signature was valid.
    var counts: (paths: Int, confirmed: Int) { (paths.count, paths.count - unconfirmed) }

    /// Returns the hash by which bytes are found. It differs between processes, so that nobody can choose bytes with
    /// equal hashes.
    static func hash(_ bytes: Span<UInt8>) -> Int {
        var hasher = Hasher()
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        return hasher.finalize()
    }

    /// Returns the hash by which a header is found: that of its length and of sixteen pieces of it, because hashing a
    /// long header takes as long as parsing it. Of two headers with equal pieces one is kept; only those of verified
    /// tokens are.
    static func headerHash(_ segment: Span<UInt8>) -> Int {
        let (pieces, length) = (16, 16)
        guard segment.count > 2 * pieces * length else { return hash(segment) }
        var hasher = Hasher()
        hasher.combine(segment.count)
        for piece in 0..<pieces {
            let start = piece * (segment.count - length) / (pieces - 1)
            unsafe segment.extracting(start..<start + length).withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        }
        return hasher.finalize()
    }

    /// Returns the path with this hash. The caller compares its bytes.
    mutating func path(_ hash: Int) -> VerifiedPath? {
        guard let path = paths[hash]?.path else { return nil }
        use(path)
        return path
    }

    /// Returns the header with this hash, and its path. The caller compares its bytes.
    mutating func header(_ hash: Int) -> (header: AllowedHeader, path: VerifiedPath)? {
        guard let row = headers[hash] else { return nil }
        use(row.path)
        return (row.header, row.path)
    }

    private mutating func use(_ path: VerifiedPath) {
        uses &+= 1
        path.lastUse.store(uses, ordering: .relaxed)
    }

    /// Adds a path that was verified now, unconfirmed, in place of one with the same bytes.
    mutating func add(_ path: VerifiedPath) {
        remove(path.hash)
        guard bounds.hasRoom(for: path.text.count), bounds.unconfirmed > 0 else { return }
        if unconfirmed >= bounds.unconfirmed { removeOldest(confirmed: false) }
        paths[path.hash] = PathRow(path: path)
        unconfirmed += 1
        use(path)
    }

    /// Confirms a path, and keeps the header of the token that did so. It is added again where it was removed
    /// meanwhile.
    mutating func confirm(_ path: VerifiedPath, _ header: AllowedHeader?) {
        if paths[path.hash] == nil { add(path) }
        guard let row = paths[path.hash], row.path === path else { return }
        if !row.isConfirmed {
            path.isConfirmed.store(true, ordering: .relaxed)
            unconfirmed -= 1
            charge(path.text.count, to: path.hash)
        }
        guard let header, row.headers.count < Self.maximumHeaders else { return }
        let segment = header.segment
        let hash = Self.headerHash(segment.span)
        guard headers[hash] == nil, bounds.hasRoom(for: segment.count) else { return }
        headers[hash] = HeaderRow(header: header, path: path)
        paths[path.hash]?.headers.append(hash)
        charge(segment.count, to: path.hash)
        path.isSettled.store(row.headers.count + 1 == Self.maximumHeaders, ordering: .relaxed)
    }

    /// Counts bytes of a confirmed path, and removes others until all bounds are kept.
    private mutating func charge(_ more: Int, to hash: Int) {
        paths[hash]?.bytes += more
        bytes += more
        while counts.confirmed > bounds.paths || bytes > bounds.bytes {
            guard removeOldest(confirmed: true, except: hash) else { return }
        }
    }

    /// Removes the path that was not used for the longest time. Returns whether there was one.
    @discardableResult private mutating func removeOldest(confirmed: Bool, except kept: Int? = nil) -> Bool {
        var oldest: (hash: Int, use: Int)?
        for (hash, row) in paths where row.isConfirmed == confirmed && hash != kept {
            let use = row.path.lastUse.load(ordering: .relaxed)
            if oldest.map({ use < $0.use }) ?? true { oldest = (hash, use) }
        }
        guard let oldest else { return false }
        remove(oldest.hash)
        return true
    }

    private mutating func remove(_ hash: Int) {
        guard let row = paths.removeValue(forKey: hash) else { return }
        for header in row.headers { headers[header] = nil }
        bytes -= row.bytes
        if !row.isConfirmed { unconfirmed -= 1 }
        // A token that is being verified may confirm the path again.
        row.path.isConfirmed.store(false, ordering: .relaxed)
        row.path.isSettled.store(false, ordering: .relaxed)
    }
}
