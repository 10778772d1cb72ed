#if Server
    import JOSE
    import JOSESupport
    import JOSESettings
    internal import Synchronization

    /// Reading the configuration and the files with keys. It is done on a thread of its own, because a file system or a
    /// device with keys may not answer.
    extension GatewayServer {
        /// Reads the configuration at the start. SIGTERM ends the process meanwhile.
        func readFirst() throws(CommandFailure) -> GatewayConfiguration {
            let read = Monitor<Result<GatewayConfiguration, CommandFailure>?>(nil)
            let hasStarted = DetachedThread.start { [self] in
                let result = Result { () throws(CommandFailure) in
                    try GatewayConfigurationReader.read(path, keys: keys, replays: replays)
                }
                read.change { $0 = result }
            }
            guard hasStarted else { throw CommandFailure("cannot start a thread") }
            while true {
                if let result = read.change({ $0 }) { return try result.get() }
                if Signals.isEndWanted { Process.endAtOnce(ExitStatus.valid.rawValue) }
                Process.sleep(milliseconds: 1)
            }
        }

        /// Reads the configuration again on SIGHUP, and the files with keys when they have changed, until the service
        /// ends.
        func watch() {
            var ticks = 0
            var absent: [String: Int] = [:]
            while !isDraining.load(ordering: .relaxed) {
                Process.sleep(milliseconds: 20)
                guard !isDraining.load(ordering: .relaxed) else { return }
                ticks += 1
                if Signals.takeReload() {
                    reading { reload() }
                } else if ticks % 10 == 0 {
                    reading { if haveFilesChanged(&absent) { readKeys() } }
                }
            }
        }

        private func reading(_ body: () -> Void) {
            isReading.store(true, ordering: .releasing)
            body()
            isReading.store(false, ordering: .releasing)
        }

        /// Returns whether a file with keys has changed. A file that is missing counts after a second, because a
        /// program that writes a file may remove it first.
        private func haveFilesChanged(_ absent: inout [String: Int]) -> Bool {
            guard let files = generation?.configuration.files else { return false }
            // A file that has just gone may be written again: the others wait for it, so that its keys are not
            // withdrawn with them.
            var (haveChanged, isAwaited) = (false, false)
            for (file, known) in files where file != path {
                let state = FileState(file)
                guard state != known else {
                    absent[file] = nil
                    continue
                }
                let looks = state.isMissing ? absent[file, default: 0] + 1 : Self.looksAtMissing
                absent[file] = looks
                if looks >= Self.looksAtMissing { haveChanged = true } else { isAwaited = true }
            }
            guard haveChanged, !isAwaited else { return false }
            absent = [:]
            return true
        }

        private static let looksAtMissing = 5

        /// Reads the configuration again, and adopts it if it is valid.
        private func reload() {
            do throws(CommandFailure) {
                try adoptFiles(text: nil, "SIGHUP")
                metrics.setConfigurationCurrent(true)
            } catch {
                metrics.recordReload(isSuccess: false)
                metrics.setConfigurationCurrent(false)
                if let used = generation?.configuration.remotes { keys.keep(used) }
                Output.complain("bulla serve: SIGHUP: the configuration in use stays: \(error.message)")
            }
        }

        /// Reads the files of the configuration in use again. The configuration file itself is read on SIGHUP only: a
        /// file that is being edited is not adopted because a key is rotated.
        private func readKeys() {
            guard let used = generation?.configuration else { return }
            // The states of the files before they are read, so that a change during the reading is noticed.
            let states = used.files.keys.map { ($0, FileState($0)) }
            let reason = "a file with keys has changed"
            do throws(CommandFailure) {
                do throws(CommandFailure) { try adoptFiles(text: used.text, reason) } catch {
                    // A store of used proofs whose files are at fault does not keep a key from being withdrawn.
                    guard used.sharesReplays else { throw error }
                    try adoptFiles(text: used.text, reason, keepsReplays: true)
                    Output.complain(
                        "bulla serve: \(reason): the store of used proofs in use stays until SIGHUP: \(error.message)")
                }
            } catch {
                metrics.recordReload(isSuccess: false)
                keys.keep(used.remotes)
                Output.complain("bulla serve: \(reason): the configuration in use stays: \(error.message)")
                // The files are not read again until one of them changes once more.
                current.withLock { generation in
                    guard var configuration = generation?.configuration else { return }
                    for (path, state) in states { configuration.files[path] = state }
                    generation = GatewayGeneration(configuration)
                }
            }
        }

        private func adoptFiles(
            text: [UInt8]?, _ reason: String, keepsReplays: Bool = false
        ) throws(CommandFailure) {
            let old = generation?.configuration
            var new = try GatewayConfigurationReader.read(
                path, keys: keys, replays: replays, previous: old, text: text, keepsReplays: keepsReplays)
            if new.sharesReplays, let report = try replays.connect() { tell(report) }
            let isTooLong = new.replyBytes > replyBytes.load(ordering: .relaxed)
            guard new.shorten(to: replyBytes.load(ordering: .relaxed)) else {
                throw CommandFailure(
                    "headers: there is no room for these names and challenges before the service is restarted")
            }
            adopt(new)
            let isWhole = report(new, reason)
            metrics.recordReload(isSuccess: isWhole && !keepsReplays)
            tell("\(reason): the configuration was read again")
            let waiting = started.withLock { $0 }?.namesForRestart(new.settings) ?? []
            if text == nil, !waiting.isEmpty {
                tell(
                    waiting.joined(separator: ", ")
                        + ": the values of the start are used until the service is restarted")
            }
            if isTooLong {
                tell(
                    "header-bytes is \(new.settings.headerBytes) until the service is restarted, with the room of the start"
                )
            }
        }

        /// Reports the issuers whose files cannot be read, and those without keys. Returns whether there is none of the
        /// first kind.
        @discardableResult func report(_ configuration: GatewayConfiguration, _ reason: String) -> Bool {
            var isWhole = true
            for (name, issuer) in configuration.issuers.sorted(by: { $0.key < $1.key }) {
                let subject = "bulla serve: \(reason): issuer '\(Output.printable(name))'"
                if let fault = issuer.source.fault {
                    isWhole = false
                    Output.complain("\(subject): its keys in use stay: \(fault)")
                } else if issuer.source.remote == nil, !issuer.source.hasFileKeys {
                    Output.complain("\(subject) has no keys, and all its tokens are rejected")
                }
            }
            return isWhole
        }
    }
#endif
