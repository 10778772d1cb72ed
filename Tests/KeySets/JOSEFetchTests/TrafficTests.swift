#if HTTP
    import Foundation
    import JOSEFetch
    import JOSEKeySets
    import TestSupport
    import Testing

    @Suite("Bytes of a response on the wire") struct TrafficTests {
        /// Ports of one kind of response each.
        private struct Ports: Decodable {
            let shortExtension, endlessExtension, shortPadding, endlessPadding: Int
        }

        private static let mostSent = 96 << 20

        @Test(
            "K36 chunk extensions and the padding of HTTP/2 without end are cut off: the bytes of a response are counted on the wire"
        )
        func endless() async throws {
            let fetching = try Fetching()
            let place = fetching.server.place
            let process = try Tethered(
                "/usr/bin/env",
                ["python3", "-c", Self.server, place.certificate, place.certificateKey, "\(Self.mostSent)"])
            let ports = try JSONDecoder().decode(Ports.self, from: Data(process.line().utf8))
            let transport = try fetching.transport()
            func url(_ port: Int, plain: Bool) -> String {
                plain ? "http://127.0.0.1:\(port)/" : fetching.url("/", port: port)
            }
            for (short, endless, plain) in [
                (ports.shortExtension, ports.endlessExtension, true), (ports.shortPadding, ports.endlessPadding, false),
            ] {
                #expect(await transport.status(url(short, plain: plain)) == 200)
                let before = try #require(Int(process.ask("sent")))
                #expect(await transport.error(url(endless, plain: plain)) == .bodyTooLarge)
                let sent = try #require(Int(process.ask("sent"))) - before
                // The buffers of the system are beside the limit of some 2.4 MB.
                #expect(sent > 1 << 20 && sent < Self.mostSent / 2, "\(sent)")
                #expect(await transport.status(url(short, plain: plain)) == 200)
            }
        }

        @Test("requests that share a connection of HTTP/2 have the bytes of all of them") func shared() async throws {
            let fetching = try Fetching()
            let transport = try fetching.transport { $0.hostConnectionLimit = 4 }
            try fetching.server.answer("/wire", .init("").filled(500_000))
            let statuses = await withTaskGroup(of: Int?.self) { group in
                for _ in 0..<32 { group.addTask { await transport.status(fetching.url("/wire")) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.allSatisfy { $0 == 200 })
        }

        /// Four servers: HTTP/1.1 with chunk extensions and HTTP/2 with padded frames, each with a short and an endless response.
        private static let server = """
            import json, socket, ssl, struct, sys, threading
            total, most = 0, int(sys.argv[3])
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(sys.argv[1], sys.argv[2])
            tls.set_alpn_protocols(["h2"])
            def send(peer, data):
                global total
                peer.sendall(data)
                total += len(data)
            def extensions(peer, ends):
                peer.recv(65536)
                send(peer, b"HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n1;e=")
                until = total + (8192 if ends else most)
                while total < until: send(peer, b"v" * 8192)
                send(peer, b"\\r\\nx\\r\\n0\\r\\n\\r\\n")
            def frame(kind, flags, stream, payload):
                return struct.pack(">IBI", len(payload) << 8 | kind, flags, stream) + payload
            def requests(peer):
                # Yields the streams of requests: those of the frames HEADERS, after a preface of 24 bytes.
                data = b""
                def read(count):
                    nonlocal data
                    while len(data) < count:
                        part = peer.recv(65536)
                        if not part: raise OSError
                        data += part
                    taken, data = data[:count], data[count:]
                    return taken
                read(24)
                while True:
                    length, kind, _, stream = struct.unpack(">IBBI", b"\\0" + read(3) + read(6))
                    read(length)
                    if kind == 1: yield stream
            def padding(peer, ends):
                peer = tls.wrap_socket(peer, server_side=True)
                send(peer, frame(4, 0, 0, b"") + frame(4, 1, 0, b""))
                for stream in requests(peer):
                    send(peer, frame(1, 4, stream, b"\\x88"))
                    until = total + (8192 if ends else most)
                    padded = frame(0, 8, stream, b"\\xff" + bytes(255)) * 64
                    while total < until: send(peer, padded)
                    send(peer, frame(0, 1, stream, b"x"))
            def serve(answer, ends):
                listener = socket.create_server(("127.0.0.1", 0))
                def one(peer):
                    try: answer(peer, ends)
                    except OSError: pass
                    peer.close()
                def run():
                    while True: threading.Thread(target=one, args=(listener.accept()[0],), daemon=True).start()
                threading.Thread(target=run, daemon=True).start()
                return listener.getsockname()[1]
            print(json.dumps({"shortExtension": serve(extensions, True), "endlessExtension": serve(extensions, False),
                "shortPadding": serve(padding, True), "endlessPadding": serve(padding, False)}), flush=True)
            for line in sys.stdin: print(total, flush=True)
            """
    }
#endif
