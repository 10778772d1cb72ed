import Foundation
import TestSupport
import Testing

/// The flags with which release builds are made, and the script that looks for them in a program.
@Suite("Threats: faults of memory in C") struct HardeningThreats {
    private static func text(_ path: String) throws -> String {
        try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
    }

    #if os(Linux)
        @Test(
            "T86 a program without full RELRO, stack protector or fortified functions is found, and a hardened one is accepted"
        )
        func check() throws {
            let result = try run(
                "/bin/sh", [Repository.root.appending(path: "Tests/Scripts/hardened.sh").path, "--control"])
            #expect(result.status == 0, "\(result.stdout)\(result.stderr)")
            #expect(result.stdout.contains("each of six that lack a property is not"))
        }

        @Test(
            "T86 make gives release builds the flags of flags.sh, and the installed command and the package are checked"
        )
        func flags() throws {
            let given = try run(
                "/bin/sh", ["-c", ". \(Repository.root.path)/Tests/Scripts/flags.sh && echo $fortified $hardened"])
            for flag in ["-fstack-protector-strong", "BULLA_FORTIFY=1", "-z -Xlinker now", "-z -Xlinker relro"] {
                #expect(given.stdout.contains(flag), "\(flag)")
            }
            let makefile = try Self.text("Makefile")
            for line in [
                "BUILD = $(FORTIFIED) $(SWIFT_BUILD) --enable-all-traits $(HARDENED)",
                "PORTABLE = $(FORTIFIED) $(SWIFT_BUILD) --traits Accelerated,Zip,HTTP,Redis,Server $(HARDENED) -c release",
                "PORTABLE_SANDBOX = $(BUILD) -c release",
            ] {
                #expect(makefile.contains("\n\(line)"), "\(line)")
            }
            let package = try Self.text("Package.swift")
            #expect(package.contains(#"Context.environment["BULLA_FORTIFY"]"#))
            #expect(package.contains(#".define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release))"#))
            #expect(package.contains(".treatAllWarnings(as: .error)] + fortified\n"))
            #expect(try Self.text(".ci/run").contains("hardened.sh .build/installed/usr/bin/bulla"))
            #expect(try Self.text("Tests/Scripts/deb.sh").contains(#"hardened.sh "$tree/usr/bin/$1""#))
            // A package with such flags in its manifest cannot be depended on by its version.
            #expect(!package.contains("unsafeFlags"))
        }
    #endif
}
