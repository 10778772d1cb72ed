import TestSupport
import Testing

@testable import JOSE

@Suite("The bounds of cached paths") struct VerifiedPathsTests {
    @Test("paths and headers are limited in number and bytes; the one unused for the longest time is removed first")
    func bounds() throws {
        let material = try PrivateKey.generate(.p256).publicKey
        let key = VerificationKey(.publicKey(material), for: [.es256])
        func path(_ text: String) -> VerifiedPath {
            let bytes = Array(text.utf8)
            return VerifiedPath(bytes, hash: VerifiedPaths.hash(bytes.span), key, from: 0, until: 10)
        }
        func header(_ text: String) throws -> AllowedHeader {
            let header = try JOSEHeader(
                segment: Array(base64URL(#"{"alg":"ES256"}"#.utf8).utf8).span, limits: .standard)
            return AllowedHeader(Array(text.utf8).span, header, .es256, [key], .standard)
        }
        func holds(_ paths: inout VerifiedPaths, _ text: String) -> Bool {
            paths.path(VerifiedPaths.hash(Array(text.utf8).span)) != nil
        }
        func held(_ paths: inout VerifiedPaths, _ texts: String...) -> [Bool] { texts.map { holds(&paths, $0) } }
        func isHeader(_ paths: inout VerifiedPaths, _ text: String) -> Bool {
            paths.header(VerifiedPaths.hash(Array(text.utf8).span))?.header.segment == Array(text.utf8)
        }
        var paths = VerifiedPaths(.init(paths: 3, unconfirmed: 2, bytes: 16_384))
        for text in ["a", "b", "c"] { paths.confirm(path(text), nil) }
        #expect(paths.counts == (3, 3) && paths.bytes == 3)
        #expect(held(&paths, "a") == [true])
        paths.confirm(path("d"), nil)
        #expect(held(&paths, "a", "b", "c", "d") == [true, false, true, true])
        // Unconfirmed ones have places of their own.
        for text in ["e", "f", "g"] { paths.add(path(text)) }
        #expect(held(&paths, "a", "c", "d", "e", "f", "g") == [true, true, true, false, true, true])
        #expect(paths.counts == (5, 3) && paths.bytes == 3)
        // One that was removed before its token was verified is confirmed all the same.
        paths.confirm(path("e"), nil)
        #expect(held(&paths, "a", "c", "d", "e") == [false, true, true, true] && paths.counts.confirmed == 3)
        // One that is too large is not kept, and bytes count with those of headers.
        paths = VerifiedPaths(.init(paths: 100, unconfirmed: 2, bytes: 16_384))
        paths.confirm(path(String(repeating: "x", count: 257)), nil)
        #expect(paths.counts == (0, 0) && paths.bytes == 0)
        paths.confirm(path(String(repeating: "x", count: 256)), nil)
        #expect(paths.counts == (1, 1) && paths.bytes == 256)
        for number in 100..<200 {
            let one = path(String(repeating: "y", count: 197) + "\(number)")
            paths.add(one)
            paths.confirm(one, try header(String(repeating: "z", count: 53) + "\(number)"))
            #expect(paths.bytes <= 16_384)
        }
        #expect(paths.counts == (64, 64) && paths.bytes == 16_384)
        #expect(isHeader(&paths, String(repeating: "z", count: 53) + "199"))
        #expect(!isHeader(&paths, String(repeating: "z", count: 53) + "100"))
        // There are two headers for each path at most.
        paths = VerifiedPaths(.init(paths: 3, unconfirmed: 2, bytes: 16_384))
        let one = path("a")
        for text in ["p", "q", "r"] { paths.confirm(one, try header(text)) }
        #expect([isHeader(&paths, "p"), isHeader(&paths, "q"), isHeader(&paths, "r")] == [true, true, false])
        #expect(paths.bytes == 3)
    }

    @Test("headers are found by their length and pieces, and short ones by all of their bytes") func hashes() {
        let long = [UInt8](repeating: 1, count: 2_000)
        var (longer, first, last, short) = (long + [1], long, long, Array(long.prefix(512)))
        first[0] = 2
        last[last.count - 1] = 2
        let hash = VerifiedPaths.headerHash(long.span)
        #expect(VerifiedPaths.headerHash(Array(long).span) == hash)
        for other in [longer, first, last] { #expect(VerifiedPaths.headerHash(other.span) != hash) }
        let shortHash = VerifiedPaths.headerHash(short.span)
        for place in short.indices {
            short[place] = 2
            #expect(VerifiedPaths.headerHash(short.span) != shortHash)
            short[place] = 1
        }
        longer.removeLast()
        #expect(VerifiedPaths.headerHash(longer.span) == hash)
    }
}
