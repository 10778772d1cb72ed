internal import JOSEBytes
internal import Synchronization

/// The verified paths of a verifier, by the bytes of `x5c`, and the headers of tokens under them, by their bytes. It is
/// bounded in entries and bytes, and changed under its owner's lock.
///
/// Anyone can send a chain that others use, written in another way, so that its path is valid and its bytes are new. A
/// path is therefore unconfirmed until a signature by its key was valid; unconfirmed paths are few, and never take the
/// place of a confirmed one.
struct VerifiedPaths: Sendable {
    struct Bounds: Sendable {
        var paths = 512
        var unconfirmed = 16
        var bytes = 4 << 20
    }

    /// The largest number of headers for each path. An issuer that writes an ever new header gains nothing by more.
    private static let mostHeaders = 2

    private struct PathRow: Sendable {
        let path: VerifiedPath
        /// The hashes of the headers.
        var headers: [Int] = []
        var bytes: Int

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

    /// Adds a path that was verified now, in place of one with the same bytes. `isConfirmed` says whether a signature by
    /// its key was valid.
    mutating func add(_ path: VerifiedPath, isConfirmed: Bool = false) {
        remove(path.hash)
        guard path.text.count <= bounds.bytes / 16, bounds.paths > 0 else { return }
        if isConfirmed {
            makeRoom(for: path.text.count)
        } else {
            if unconfirmed >= bounds.unconfirmed { removeOldest(confirmed: false) }
            // It takes no place of a confirmed path, except where all are taken by such.
            while paths.count >= bounds.paths || bytes + path.text.count > bounds.bytes {
                removeOldest(confirmed: unconfirmed == 0)
            }
        }
        path.isConfirmed.store(isConfirmed, ordering: .relaxed)
        paths[path.hash] = PathRow(path: path, bytes: path.text.count)
        bytes += path.text.count
        if !isConfirmed { unconfirmed += 1 }
        use(path)
    }

    /// Confirms a path, and keeps the header of the token that did so. It is added again where it was removed meanwhile.
    mutating func confirm(_ path: VerifiedPath, _ header: AllowedHeader?) {
        if let row = paths[path.hash], row.path === path {
            if !row.isConfirmed { unconfirmed -= 1 }
            path.isConfirmed.store(true, ordering: .relaxed)
        } else if paths[path.hash] == nil {
            add(path, isConfirmed: true)
        }
        guard let row = paths[path.hash], row.path === path, let header, row.headers.count < Self.mostHeaders else {
            return
        }
        let hash = Self.hash(header.segment.span)
        guard headers[hash] == nil, header.segment.count <= bounds.bytes / 16 else { return }
        makeRoom(for: header.segment.count, keeping: path.hash)
        guard bytes + header.segment.count <= bounds.bytes else { return }
        headers[hash] = HeaderRow(header: header, path: path)
        paths[path.hash]?.headers.append(hash)
        paths[path.hash]?.bytes += header.segment.count
        bytes += header.segment.count
        path.isSettled.store(row.headers.count + 1 == Self.mostHeaders, ordering: .relaxed)
    }

    /// Removes paths until there is room for one more with this many bytes, or for this many bytes of one that is kept.
    private mutating func makeRoom(for more: Int, keeping kept: Int? = nil) {
        while kept == nil && paths.count >= bounds.paths || bytes + more > bounds.bytes {
            guard removeOldest(confirmed: unconfirmed == 0, except: kept) else { return }
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
