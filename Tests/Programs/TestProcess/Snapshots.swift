import JOSEKeySets

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Saves snapshots of distinguishable lengths and contents until the process is killed.
/// Arguments: the folder and the source. The exit status is the `errno` of a snapshot that cannot be saved.
func saveSnapshots(_ arguments: [String]) -> Never {
    let folder = SnapshotFolder(path: arguments[0])
    let source = arguments[1]
    var round = 0
    while true {
        let letter = UInt8(ascii: "a") + UInt8(round % 26)
        let body = [UInt8](repeating: letter, count: 1_000 + round * 7_919 % 60_000)
        do throws(SnapshotFault) {
            let document = KeptDocument(body: body, header: StoredHeader(), lifetime: 60, url: source)
            try folder.save(Snapshot(source: source, fetchedAt: Double(round), document: document))
        } catch .system(let number) {
            exit(number)
        } catch {
            exit(EXIT_FAILURE)
        }
        round += 1
    }
}
