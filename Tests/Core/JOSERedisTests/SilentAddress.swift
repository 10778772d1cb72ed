#if Redis && os(Linux)
    import Foundation

    /// A loopback address that does not respond to attempts to connect: it listens, and its queue of connections is
    /// full.
    final class SilentAddress: Sendable {
        private let sockets: [Int32]

        init(host: UInt32, port: UInt16) throws {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = host.bigEndian
            address.sin_port = port.bigEndian
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let listener = ScriptedServer.socketOfStream()
            var sockets = [listener]
            let works = unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    guard unsafe bind(listener, address, size) == 0, listen(listener, 0) == 0 else { return false }
                    for _ in 0..<4 {
                        let filler = ScriptedServer.socketOfStream()
                        sockets.append(filler)
                        _ = fcntl(filler, F_SETFL, O_NONBLOCK)
                        _ = unsafe connect(filler, address, size)
                    }
                    return true
                }
            }
            self.sockets = sockets
            guard works else { throw NoServer() }
        }

        deinit { for socket in sockets { close(socket) } }
    }
#endif
