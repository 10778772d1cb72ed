import JOSEKeySets

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A device of the tests: saves one snapshot after the other, of lengths and contents that tell which is which, until it is killed.
/// Arguments: the folder, the source. Ends with the `errno` of what cannot be saved.
let folder = SnapshotFolder(path: CommandLine.arguments[1])
let source = CommandLine.arguments[2]
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
