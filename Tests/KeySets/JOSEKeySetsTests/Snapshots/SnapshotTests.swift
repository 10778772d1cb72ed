import Foundation
import JOSECrypto
import JOSEKeySets
import JOSESupport
import TestSupport
import Testing

@Suite("Snapshots on disk") struct SnapshotTests {
    let temporary: TemporaryFolder
    let source = "https://id.test/jwks"
    var folder: SnapshotFolder { SnapshotFolder(path: temporary.url.path) }

    init() throws { temporary = try TemporaryFolder() }

    func snapshot(_ body: String = #"{"keys":[]}"#, at time: Double = 1_700_000_000) -> Snapshot {
        Snapshot(
            source: source, fetchedAt: time,
            document: KeptDocument(body: Array(body.utf8), header: Self.header, lifetime: 600, url: source))
    }

    func confirm(_ body: String, at time: Double) throws {
        let digest = try Hash.sha256.digest(Array(body.utf8).span)
        try folder.confirm(source, at: time, digest: digest, header: StoredHeader(), lifetime: 60, bodyLimit: 65_536)
    }

    static let header = StoredHeader(
        TransportResponse(
            status: 200,
            headers: [
                TransportHeaderField("ETag", #"W/"1""#),
                TransportHeaderField("Last-Modified", "Tue, 14 Nov 2023 22:13:20 GMT"),
                TransportHeaderField("Cache-Control", "max-age=600"),
                TransportHeaderField("Date", "Tue, 14 Nov 2023 22:13:20 GMT"),
                TransportHeaderField("Expires", "0"),
            ]))

    /// The only file in the folder.
    func file() throws -> URL {
        let names = try FileManager.default.contentsOfDirectory(atPath: temporary.url.path)
        #expect(names.count == 1)
        return temporary.url.appending(path: try #require(names.first))
    }

    func load(_ source: String? = nil, bodyLimit: Int = 65_536) throws(SnapshotFault) -> Snapshot? {
        try folder.load(source ?? self.source, bodyLimit: bodyLimit)
    }

    @Test("a saved snapshot is loaded again, and only its owner can read it")
    func roundTrip() throws {
        #expect(try load() == nil)
        try folder.save(snapshot())
        #expect(try load() == snapshot())
        let mode = try FileManager.default.attributesOfItem(atPath: file().path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try folder.save(snapshot("other", at: 1_700_000_001.5))
        #expect(try load() == snapshot("other", at: 1_700_000_001.5))
        // Another process has saved another body: what the server says of this one is not said of that one.
        try confirm("body", at: 1_700_000_600)
        #expect(try load() == snapshot("other", at: 1_700_000_001.5))
        try confirm("other", at: 1_700_000_600)
        var plain = snapshot("other", at: 1_700_000_600)
        (plain.document.header, plain.document.lifetime) = (StoredHeader(), 60)
        #expect(try load() == plain)
        plain.document.body = []
        try folder.save(plain)
        #expect(try load() == plain)
        try folder.remove(source)
        #expect(try load() == nil)
        // A missing snapshot is no error.
        try folder.remove(source)
        try confirm("", at: 1)
        #expect(try load() == nil)
    }

    @Test("the snapshot folder is created if it does not exist, accessible only to its owner")
    func makesFolder() throws {
        let path = temporary.url.appending(path: "new").path
        let folder = SnapshotFolder(path: path)
        #expect(try folder.load(source, bodyLimit: 100) == nil)
        try folder.remove(source)
        #expect(!FileManager.default.fileExists(atPath: path))
        try folder.save(snapshot())
        #expect(try folder.load(source, bodyLimit: 100) == snapshot())
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o700)
        let deeper = SnapshotFolder(path: path + "/a/b")
        #expect(throws: SnapshotFault.system(ENOENT)) { try deeper.save(snapshot()) }
    }

    @Test("K20: a snapshot of another issuer is rejected, whatever its file name")
    func foreign() throws {
        try folder.save(snapshot())
        let mine = try file()
        var other = snapshot("theirs")
        other.source = "https://evil.test/jwks"
        try folder.save(other)
        let names = try FileManager.default.contentsOfDirectory(atPath: temporary.url.path)
        let theirs = temporary.url.appending(path: try #require(names.first { $0 != mine.lastPathComponent }))
        #expect(try load() == snapshot() && load(other.source) == other)
        try FileManager.default.removeItem(at: mine)
        try FileManager.default.copyItem(at: theirs, to: mine)
        #expect(throws: SnapshotFault.foreign) { try load() }
        // Names that Unicode considers equal are two sources.
        let (composed, decomposed) = ("https://id.test/\u{E9}", "https://id.test/e\u{301}")
        var accented = snapshot()
        accented.source = composed
        try folder.save(accented)
        #expect(try load(composed) == accented && load(decomposed) == nil)
    }

    @Test("K23: a snapshot with any changed byte, or truncated anywhere, is rejected")
    func damage() throws {
        try folder.save(snapshot())
        let place = try file()
        let whole = try [UInt8](Data(contentsOf: place))
        #expect(try Snapshot(reading: whole) == snapshot())
        for index in whole.indices {
            var changed = whole
            changed[index] ^= 1
            #expect(throws: SnapshotFault.damaged, "\(index)") { try Snapshot(reading: changed) }
        }
        for count in 0..<whole.count {
            #expect(throws: SnapshotFault.damaged, "\(count)") { try Snapshot(reading: Array(whole[..<count])) }
        }
        #expect(throws: SnapshotFault.damaged) { try Snapshot(reading: whole + [0]) }
        for text in ["", "x", "bulla-snapshot 2 " + String(repeating: "0", count: 80), "\n\n\n"] {
            try Data(text.utf8).write(to: place)
            #expect(throws: SnapshotFault.damaged, "\(text)") { try load() }
        }
        try folder.save(snapshot())
        #expect(try load() == snapshot())
    }

    @Test("K23: a snapshot with a valid checksum and invalid content is rejected")
    func malformed() throws {
        let good = #"{"source":"https://id.test/jwks","fetched":1,"url":"u","lifetime":60}"#
        for (rest, isGood) in [
            (good + "\n{}", true), (good + "\n", true), (good, false), ("\n{}", false), ("{}\n{}", false),
            (good.replacing(":1,", with: #":"1","#) + "\n", false),
            (good.replacing(":1,", with: ":1e999,") + "\n", false),
            (good.replacing(#""https://id.test/jwks""#, with: "1") + "\n", false),
            (good.replacing("{", with: #"{"source":"b","#) + "\n", false),
            (good.replacing("60", with: "null") + "\n", false), (good.replacing(#""u""#, with: "[]") + "\n", false),
            (good.replacing(#""fetched":1,"#, with: "") + "\n", false),
            (good.replacing(#""url":"u","#, with: "") + "\n", false),
        ] {
            let file = try Self.sealed(rest)
            if isGood {
                #expect(throws: Never.self, "\(rest)") { try Snapshot(reading: file) }
            } else {
                #expect(throws: SnapshotFault.damaged, "\(rest)") { try Snapshot(reading: file) }
            }
        }
    }

    /// Returns the content with a valid first line.
    static func sealed(_ rest: String) throws -> [UInt8] {
        let sum = try run("sha256sum", stdin: rest).stdout.prefix(64)
        return Array("bulla-snapshot 1 \(sum)\n\(rest)".utf8)
    }

    @Test("K23: a file that others can write, and a link, pipe or folder in its place, are rejected")
    func privacy() throws {
        try folder.save(snapshot())
        let place = try file()
        for mode in [0o620, 0o602, 0o666] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: place.path)
            #expect(throws: SnapshotFault.notPrivate, "\(mode)") { try load() }
        }
        for mode in [0o600, 0o400, 0o644] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: place.path)
            #expect(try load() == snapshot(), "\(mode)")
        }
        let aside = temporary.url.appending(path: "aside")
        try FileManager.default.moveItem(at: place, to: aside)
        try FileManager.default.createSymbolicLink(at: place, withDestinationURL: aside)
        #expect(throws: SnapshotFault.notPrivate) { try load() }
        try FileManager.default.removeItem(at: place)
        let made = unsafe mkfifo(place.path, 0o600)
        #expect(made == 0)
        #expect(throws: SnapshotFault.notPrivate) { try load() }
        try FileManager.default.removeItem(at: place)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        #expect(throws: SnapshotFault.notPrivate) { try load() }
        try FileManager.default.removeItem(at: place)
        try FileManager.default.moveItem(at: aside, to: place)
        #expect(try load() == snapshot())
        // In a folder that everyone can write to, anyone may replace a file; with the sticky bit, only their own.
        for (mode, isGood) in [(0o777, false), (0o770, false), (0o1777, true), (0o755, true)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: temporary.url.path)
            if isGood {
                #expect(try load() == snapshot(), "\(mode)")
                #expect(throws: Never.self) { try folder.save(snapshot()) }
            } else {
                #expect(throws: SnapshotFault.notPrivate, "\(mode)") { try load() }
                #expect(throws: SnapshotFault.notPrivate, "\(mode)") { try folder.save(snapshot()) }
            }
        }
    }

    @Test("K23: a snapshot larger than a response may be is rejected")
    func size() throws {
        let large = snapshot(String(repeating: "a", count: 1_000))
        try folder.save(large)
        #expect(try load(bodyLimit: 1_000) == large)
        #expect(throws: SnapshotFault.tooLarge) { try load(bodyLimit: 999) }
        // Not even the beginning is read: a file without an end costs nothing.
        let handle = try FileHandle(forWritingTo: file())
        try handle.truncate(atOffset: 1 << 40)
        try handle.close()
        #expect(throws: SnapshotFault.tooLarge) { try load() }
        var named = snapshot()
        named.source = String(repeating: "s", count: 20_000)
        #expect(throws: SnapshotFault.tooLarge) { try folder.save(named) }
    }

    @Test("K23: a snapshot from the future is rejected, with a tolerance for clock differences")
    func future() throws {
        let snapshot = snapshot(at: 1_000_000)
        #expect(try snapshot.age(asOf: 1_000_000) == 0 && snapshot.age(asOf: 1_003_600) == 3_600)
        #expect(try snapshot.age(asOf: 1_000_000 - Snapshot.slack) == 0)
        #expect(throws: SnapshotFault.fromFuture) { try snapshot.age(asOf: 999_999 - Snapshot.slack) }
    }

    @Test("K23: the header fields of a snapshot have the checks of those in a response (RFC 9110, 13.1)")
    func headerFields() throws {
        #expect(Self.header.conditions.count == 2)
        var odd = snapshot()
        odd.document.header.entityTag = "\"1\"\r\nX: y"
        try folder.save(odd)
        let found = try #require(try load())
        #expect(found.document.header.entityTag == nil && found.document.header.lastModified != nil)
    }

    @Test("temporary files of a killed process are removed once they are old enough")
    func remains() throws {
        try folder.save(snapshot())
        let name = try file().lastPathComponent
        let old = temporary.url.appending(path: "\(name).7.tmp")
        let young = temporary.url.appending(path: "\(name).8.tmp")
        let other = temporary.url.appending(path: "other.snapshot.9.tmp")
        for url in [old, young, other] { try Data("x".utf8).write(to: url) }
        for url in [old, other] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -4_000)], ofItemAtPath: url.path)
        }
        #expect(try load() == snapshot())
        #expect(!FileManager.default.fileExists(atPath: old.path))
        #expect(FileManager.default.fileExists(atPath: young.path))
        #expect(FileManager.default.fileExists(atPath: other.path))
    }

    @Test("a full disk keeps the previous snapshot and leaves no temporary file")
    func fullDisk() throws {
        try folder.save(snapshot())
        // A limit on the size of files is the nearest thing to a full disk that needs no privileges.
        let writer = try #require(builtTool("TestProcess"))
        let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" snapshots \"$1\" \"$2\""
        // Without a standard input, the descriptor of the folder is 0.
        for input in ["", " <&-"] {
            let child = try run("sh", ["-c", script + input, writer, temporary.url.path, source])
            #expect(child.status == EFBIG, "\(input)")
        }
        #expect(try load() == snapshot())
        #expect(try file().lastPathComponent.hasSuffix(".snapshot"))
    }

    @Test("K27 a snapshot folder is accepted if this user or root owns it and no other user can rename its files")
    func owners() throws {
        let (root, user, other): (UInt32, UInt32, UInt32) = (0, 1_000, 1_001)
        for (owner, mode, isPrivate) in [
            (user, 0o700, true), (user, 0o755, true), (user, 0o1777, true), (user, 0o770, false), (user, 0o707, false),
            (root, 0o755, true), (root, 0o1777, true), (root, 0o777, false), (root, 0o775, false),
            (other, 0o700, false), (other, 0o755, false), (other, 0o1777, false),
        ] as [(UInt32, UInt32, Bool)] {
            #expect(
                SnapshotFolder.isPrivate(owner: owner, mode: 0o40000 | mode, user: user) == isPrivate,
                "\(owner) \(String(mode, radix: 8))")
        }
        #expect(!SnapshotFolder.isPrivate(owner: user, mode: 0o40700, user: root))
        // The folder belongs to root and has no snapshot, whoever runs this test.
        #expect(try FileManager.default.attributesOfItem(atPath: "/usr")[.ownerAccountID] as? Int == 0)
        #expect(try SnapshotFolder(path: "/usr").load(source, bodyLimit: 65_536) == nil)
    }

    @Test(
        "K27 no snapshot is loaded, saved or removed in a folder of another user, and no file of another user is loaded",
        .enabled(if: geteuid() == 0, "only root can give a folder to another user"))
    func folderOfAnotherUser() throws {
        try folder.save(snapshot())
        #expect(try load() == snapshot())
        func give(to user: Int) throws {
            try FileManager.default.setAttributes([.ownerAccountID: user], ofItemAtPath: temporary.url.path)
        }
        try give(to: 65_534)
        for mode in [0o755, 0o700, 0o1777] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: temporary.url.path)
            #expect(throws: SnapshotFault.notPrivate, "\(mode)") { try load() }
            #expect(throws: SnapshotFault.notPrivate, "\(mode)") { try folder.save(snapshot("other")) }
            #expect(throws: SnapshotFault.notPrivate, "\(mode)") { try folder.remove(source) }
        }
        try give(to: 0)
        #expect(try load() == snapshot())
        // Neither is a file of another user, for example one that its owner moved here while the folder was shared.
        let place = try file()
        for (user, isGood) in [(65_534, false), (0, true)] {
            try FileManager.default.setAttributes([.ownerAccountID: user], ofItemAtPath: place.path)
            if isGood {
                #expect(try load() == snapshot())
            } else {
                #expect(throws: SnapshotFault.notPrivate) { try load() }
            }
        }
    }
}
