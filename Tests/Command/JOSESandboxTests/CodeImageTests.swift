#if Server
    import Foundation
    import JOSESupport
    import TestSupport
    import Testing

    @testable import JOSESandbox

    /// The images that the sandbox's pages show, read by ZXing as the camera of a phone reads them.
    @Suite("Sandbox: codes for phones", .enabled(if: Peers.areHere)) struct CodeImageTests {
        private func scanned(_ image: [UInt8]) throws -> String {
            let result = try run(
                Peers.python, ["-B", Peers.script("read_code.py")], stdin: Base64.encode(image.span))
            #expect(result.status == 0, "\(result.stderr)")
            return result.stdout
        }

        @Test("a phone reads the link in the image of a code (ISO/IEC 18004), with digits below it, up to 400 bytes")
        func links() throws {
            let long = "https://localhost:49152/" + String(repeating: "a", count: 376)
            for link in ["https://localhost:49152/itsme/v2/app?code=01234567", long] {
                let image = CodeImage.png(digits: "01234567", link: link)
                #expect(try scanned(image) == "QRCode \(link)\n")
                #expect(CodeImage.link(in: image) == link)
            }
        }
    }
#endif
