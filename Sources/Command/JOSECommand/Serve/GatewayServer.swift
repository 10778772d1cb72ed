#if Server
    internal import CJOSEServe
    import JOSE
    import JOSESupport
    import JOSEKeySets
    import JOSESettings
    import JOSETokens
    internal import Synchronization

    /// The service: it reads the configuration, listens, and acts on signals and on changed files.
    final class GatewayServer: Sendable {
        let path: String
        private let isQuiet: Bool
        let keys = RemoteKeySets { Output.complain("bulla serve: \($0)") }
        let replays = GatewayReplays()
        let metrics = GatewayMetrics()
        let log = GatewayLog()
        let current: Mutex<GatewayGeneration?> = Mutex(nil)
        /// The number of requests that are suspended.
        let suspended = Atomic<Int>(0)
        /// The number of requests that wait until their proof is marked as used.
        let marking = Atomic<Int>(0)
        /// The number of requests so far, by which a drain notices that no more arrive.
        let handled = Atomic<Int>(0)
        /// The room for the fields of a response, which was made at the start.
        let replyBytes = Atomic<Int>(0)
        /// The settings of the start, of which some apply until the end.
        let started = Mutex<GatewaySettings?>(nil)
        /// Whether files are being read, which may take any time.
        let isReading = Atomic<Bool>(false)
        let isDraining = Atomic<Bool>(false)
        let isEnding = Atomic<Bool>(false)
        private let running = Monitor(0)
        private let loops = Mutex<[GatewayLoop]>([])

        init(_ path: String, isQuiet: Bool) {
            self.path = path
            self.isQuiet = isQuiet
        }

        var generation: GatewayGeneration? { current.withLock { $0 } }

        func run() throws(CommandFailure) -> ExitStatus {
            Signals.ignoreClosedConnections()
            let configuration = try readFirst()
            if configuration.sharesReplays, let report = try replays.connect() { tell(report) }
            report(configuration, "start")
            adopt(configuration)
            replyBytes.store(configuration.replyBytes, ordering: .relaxed)
            started.withLock { $0 = configuration.settings }
            let (sockets, texts, files, own) = try listen(configuration)
            defer { for file in files { file.remove() } }
            log.start()
            for socket in sockets {
                for _ in 0..<configuration.settings.threads { try start(socket, configuration) }
            }
            guard DetachedThread.start({ [self] in watch() }) else { throw CommandFailure("cannot start a thread") }
            for text in texts { tell("listening on \(text)") }
            supervise(configuration.settings.drain, files: files, ownSockets: own)
            return .valid
        }

        private func wakeLoops() {
            for loop in loops.withLock({ $0 }) { loop.wake() }
        }

        /// The numbers of connections that were closed because they were slow, and because all were taken.
        var closed: (slow: Int, displaced: Int) {
            loops.withLock { $0 }.map(\.closed).reduce((0, 0)) { ($0.0 + $1.slow, $0.1 + $1.displaced) }
        }

        func tell(_ text: String) { if !isQuiet { Output.complain("bulla serve: \(text)") } }

        func adopt(_ configuration: GatewayConfiguration) {
            replays.adopt()
            KeyTables.limit = configuration.settings.keyTables
            keys.keep(configuration.remotes)
            configuration.workers.setBounds(
                queued: configuration.settings.queued, timeout: configuration.settings.queueTimeout)
            current.withLock { $0 = GatewayGeneration(configuration) }
        }

        private func listen(
            _ configuration: GatewayConfiguration
        ) throws(CommandFailure) -> (sockets: [Int32], texts: [String], files: [SocketFile], own: [Int32]) {
            let passed = cjose_serve_passed_sockets()
            if passed > 0 {
                let sockets = (0..<passed).map { 3 + $0 }
                return (sockets, sockets.map { "descriptor \($0), passed by the service manager" }, [], [])
            }
            guard !configuration.settings.listen.isEmpty else {
                throw CommandFailure(
                    "\(path): listen: missing; give an address such as \"unix:/run/bulla/gateway.sock\"")
            }
            var sockets: [Int32] = [], texts: [String] = [], files: [SocketFile] = []
            for address in configuration.settings.listen {
                switch address {
                case .unix(let path):
                    let socket = unsafe cjose_serve_listen_unix(path, 0o660)
                    guard socket >= 0 else { throw CommandFailure("cannot listen on unix:\(path): \(Process.fault())") }
                    sockets.append(socket)
                    texts.append("unix:\(path)")
                    files.append(SocketFile(path))
                case .loopback(let host, var port):
                    let socket = unsafe cjose_serve_listen_loopback(host, &port)
                    guard socket >= 0 else {
                        throw CommandFailure("cannot listen on \(host):\(port): \(Process.fault())")
                    }
                    sockets.append(socket)
                    texts.append(host.contains(":") ? "http://[\(host)]:\(port)" : "http://\(host):\(port)")
                }
            }
            return (sockets, texts, files, sockets)
        }

        private func start(_ socket: Int32, _ configuration: GatewayConfiguration) throws(CommandFailure) {
            let loop = GatewayLoop(self)
            guard loop.start(socket, configuration) else { throw CommandFailure("cannot serve: \(Process.fault())") }
            running.change { $0 += 1 }
            loops.withLock { $0.append(loop) }
            let hasStarted = DetachedThread.start { [self] in
                loop.run()
                running.change { $0 -= 1 }
            }
            guard hasStarted else { throw CommandFailure("cannot start a thread") }
        }

        /// Waits until the service is to end, and then drains it. No file is read here, so that nothing delays the end.
        private func supervise(_ drain: Duration, files: [SocketFile], ownSockets: [Int32]) {
            var ticks = 0
            while !Signals.isEndWanted {
                Process.sleep(milliseconds: 20)
                ticks += 1
                if ticks % 50 == 0 {
                    for report in [replays.change(), replays.clockChange()].compactMap({ $0 }) { tell(report) }
                }
            }
            tell("ending")
            // Clients no longer find a path that is removed, and its name is free for a successor. The loops accept
            // what has connected until then, before they stop accepting: a connection that no loop accepts would be
            // reset without a response.
            for file in files { file.remove() }
            Process.sleep(milliseconds: 60)
            for socket in ownSockets { cjose_serve_stop_listening(socket) }
            isDraining.store(true, ordering: .relaxed)
            wakeLoops()
            let end = ContinuousClock.now + (generation?.configuration.settings.drain ?? drain)
            var (quiet, seen) = (0, handled.load(ordering: .relaxed))
            // A second without a request means that the connections that are still open are idle.
            while ContinuousClock.now < end, quiet < 50, running.change({ $0 }) > 0 {
                Process.sleep(milliseconds: 20)
                let now = handled.load(ordering: .relaxed)
                quiet = now == seen && suspended.load(ordering: .acquiring) == 0 ? quiet + 1 : 0
                seen = now
            }
            isEnding.store(true, ordering: .relaxed)
            wakeLoops()
            // The loops end at once, unless a device with keys or a store does not answer: then nobody waits for it.
            let last = ContinuousClock.now + .seconds(1)
            while ContinuousClock.now < last, running.change({ $0 }) > 0 { Process.sleep(milliseconds: 5) }
            guard running.change({ $0 }) == 0 else {
                tell("the time of the drain is over, and requests without an answer are given up")
                Process.endAtOnce(ExitStatus.valid.rawValue)
            }
            log.end()
            // The end of a process frees what a thread that still reads files may use.
            if isReading.load(ordering: .acquiring) { Process.endAtOnce(ExitStatus.valid.rawValue) }
        }
    }

    /// A configuration in use.
    final class GatewayGeneration: Sendable {
        let configuration: GatewayConfiguration
        init(_ configuration: GatewayConfiguration) { self.configuration = configuration }
    }
#endif
