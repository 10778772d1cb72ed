// One program for the tests that need a process of their own. Its first argument says which work it does; the file of each work has the
// others. It ends with status 64 for a work that is unknown or whose trait is not built.
#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

let arguments = Array(CommandLine.arguments.dropFirst(2))
switch CommandLine.arguments.dropFirst().first {
#if HTTP
    case "fetch": try await fetch(arguments)
#endif
#if Redis
    case "race": try await race(arguments)
    case "replay": try await replay(arguments)
#endif
case "snapshots": saveSnapshots(arguments)
default: exit(64)
}
