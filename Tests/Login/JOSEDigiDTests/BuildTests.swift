#if SAML
    import Foundation
    import JOSEDigiD
    import TestSupport
    import Testing

    @Suite("SAML: how the shim is built") struct BuildTests {
        @Test("xmlSecSize of the shim has the size that xmlsec1-openssl.pc prescribes")
        func sizes() throws {
            let folder = try TemporaryFolder()
            let source = folder.url.appending(path: "probe.c")
            let probe = folder.url.appending(path: "probe").path
            let text = "#include <xmlsec/xmlsec.h>\nint main(void) { return (int)sizeof(xmlSecSize); }\n"
            try Data(text.utf8).write(to: source)
            let flags = try run("pkg-config", ["--cflags", "xmlsec1-openssl"])
            try #require(flags.status == 0, "\(flags.stderr)")
            let words = flags.stdout.split(whereSeparator: \.isWhitespace).map(String.init)
            // The compiler is that of the Swift toolchain.
            let built = try run("clang", words + [source.path, "-o", probe])
            try #require(built.status == 0, "\(built.stderr)")
            #expect(try Int(run(probe).status) == sizeOfXMLSecSize)
            // Without the defines the size differs, which shows that the probe detects a mismatch.
            let bare = try run("clang", words.filter { $0.hasPrefix("-I") } + [source.path, "-o", probe])
            try #require(bare.status == 0, "\(bare.stderr)")
            #expect(try Int(run(probe).status) != sizeOfXMLSecSize)
            withExtendedLifetime(folder) {}
        }
    }
#endif
