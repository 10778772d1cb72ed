#if Redis
    import JOSE
    import JOSESupport
    import JOSERedis

    /// An entry of the stream as a worker takes it: rows with an id and a token, one in each line.
    struct WorkerEntry: Sendable {
        /// The rows of an entry whose worker died with it. Each is verified alone.
        struct Suspicion: Sendable {
            /// The index of the row that the last worker began and did not end; nil if it is not known.
            let first: Int?
            /// The indices of the rows that are not verified again, because workers died with them.
            let gone: [Int]
        }

        let id: [UInt8]
        /// The number of times that rows of this entry could not be verified, which is not counted beyond 999.
        let tries: Int
        let suspicion: Suspicion?
        let rowCount: Int
        /// When a worker first read the rows, in milliseconds of Redis's clock, as digits.
        let since: [UInt8]
        /// When a worker first read the rows, in seconds of `SystemClock.elapsed`. A fetch that began before it does
        /// not show that a key does not exist.
        let readAt: Double
        let rows: [UInt8]

        /// Reads the entries that `WorkerScripts.take` returns; nil if the text is not of its form.
        ///
        /// - Parameter now: The time of the call, in seconds of `SystemClock.elapsed`.
        static func all(_ text: [UInt8], at now: Double) -> [WorkerEntry]? {
            var entries: [WorkerEntry] = []
            var position = 0
            while position < text.count {
                guard let end = text[position...].firstIndex(of: 0x0A) else { return nil }
                let words = text[position..<end].split(separator: 0x20, omittingEmptySubsequences: false)
                guard words.count == 7, let tries = Int(String(decoding: words[1], as: UTF8.self)),
                    let rows = Int(String(decoding: words[3], as: UTF8.self)),
                    let count = Int(String(decoding: words[4], as: UTF8.self)), count >= 0, tries >= 0,
                    let age = Int(String(decoding: words[6], as: UTF8.self)), age >= 0,
                    words[5].allSatisfy(\.isASCIIDigit),
                    (1...WorkerScripts.maximumRows).contains(rows),
                    end + 1 + count < text.count, text[end + 1 + count] == 0x0A
                else { return nil }
                entries.append(
                    WorkerEntry(
                        id: Array(words[0]), tries: tries, suspicion: Suspicion(words[2]), rowCount: rows,
                        since: Array(words[5]), readAt: now - Double(age) / 1000,
                        rows: Array(text[end + 1..<end + 1 + count])))
                position = end + count + 2
            }
            return entries
        }
    }

    extension WorkerEntry.Suspicion {
        /// Reads `at|gone` of a value of `working`; nil for `-`.
        fileprivate init?(_ text: ArraySlice<UInt8>) {
            let parts = text.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            first = Int(String(decoding: parts[0], as: UTF8.self)).flatMap { $0 < 0 ? nil : $0 }
            gone = parts[1].split(separator: UInt8(ascii: ",")).compactMap { Int(String(decoding: $0, as: UTF8.self)) }
        }
    }

    /// The answers to an entry, and the rows without one.
    struct WorkerOutcome: Sendable {
        let entry: WorkerEntry
        var answers: [UInt8] = []
        /// The rows whose verification could not be completed.
        var unfinished: [UInt8] = []
        /// The rows that are dead-lettered, because the workers that began them ended without a result.
        var deadLetters: [UInt8] = []
        var tally = Tally()

        init(_ entry: WorkerEntry, deadLetters: [UInt8] = []) {
            self.entry = entry
            self.deadLetters = deadLetters
        }

        /// Adds the outcome of a part of the entry.
        mutating func add(_ part: WorkerOutcome) {
            answers += part.answers
            unfinished += part.unfinished
            deadLetters += part.deadLetters
            tally.add(part.tally)
        }

        /// The time in milliseconds until the unfinished rows are verified again: it doubles, up to five minutes.
        func delay(_ first: Int) -> Int { min(first << min(entry.tries, 16), max(first, 300_000)) }
    }

    /// Verifies the rows of entries.
    struct WorkerCheck: Sendable {
        let check: TokenCheck
        let answer: LineAnswer
        let lineBytes: Int
        /// The time from the first reading of a token to the fetch that shows that its key does not exist.
        let keyLag: Duration

        /// Verifies the rows of several entries together.
        func run(_ entries: [WorkerEntry]) -> [WorkerOutcome] {
            var bytes = entries.flatMap(\.rows)
            var outcomes = entries.map { WorkerOutcome($0) }
            var start = 0
            var lines: [(entry: Int, line: Batch.Line)] = []
            for (index, entry) in entries.enumerated() {
                lines += Self.lines(entry.rows, lineBytes, from: start).map { (index, $0) }
                start += entry.rows.count
            }
            let rows = lines.map { TokenRow($0.line, .jsonl, takesObjects: false, in: &bytes) }
            var tokens: [(row: Int, range: Range<Int>)] = []
            for (row, found) in rows.enumerated() {
                if case .success(let range) = found.token { tokens.append((row, range)) }
            }
            let readings = tokens.map {
                TokenReading(
                    readAt: entries[lines[$0.row].entry].readAt, keyLag: keyLag.inSeconds, isRepeatable: true)
            }
            var results = rows.map(\.unverified)
            var unusable: [Int: [UnusableKey]] = [:]
            for ((row, range), result) in zip(tokens, check.run(bytes, tokens.map(\.range), readings)) {
                results[row] = result.mapError { Fault($0) }
                guard case .failure(let error) = result else { continue }
                unusable[row] = check.unusableKeys(error, of: bytes.span.extracting(range))
            }
            for (row, result) in results.enumerated() {
                let (index, line) = lines[row]
                let name = LineAnswer.Name.id(rows[row].id.map { bytes[$0] })
                switch result {
                case .success(let payload):
                    answer.valid(payload, name, to: &outcomes[index].answers)
                    outcomes[index].tally.add(nil, line: 1)
                case .failure(let fault):
                    if fault.isRetryable {
                        outcomes[index].unfinished += bytes[line.range] + [0x0A]
                    } else {
                        answer.failed(fault, name, unusable: unusable[row] ?? [], to: &outcomes[index].answers)
                    }
                    outcomes[index].tally.add(fault, line: 1)
                }
            }
            return outcomes
        }

        /// Verifies the rows of one entry, each alone. The one that the last worker began and did not end is first, so
        /// that the workers that are counted did so in succession.
        ///
        /// - Parameter begin: Is told the index of the row that is verified next, and of the one before; -1 for none.
        ///   If it returns false, the entry is another worker's, or is left to one.
        /// - Returns: Nil if `begin` returned false.
        func runAlone(_ entry: WorkerEntry, _ begin: (_ next: Int, _ ended: Int) -> Bool) -> WorkerOutcome? {
            let lines = Self.lines(entry.rows, lineBytes, from: 0)
            var outcomes = [WorkerOutcome?](repeating: nil, count: lines.count)
            let first = lines.indices.filter { $0 == entry.suspicion?.first }
            var ended = -1
            for index in first + lines.indices.filter({ !first.contains($0) }) {
                let row = Array(entry.rows[lines[index].range]) + [0x0A]
                let one = WorkerEntry(
                    id: entry.id, tries: entry.tries, suspicion: nil, rowCount: 1, since: entry.since,
                    readAt: entry.readAt,
                    rows: row)
                if entry.suspicion?.gone.contains(index) ?? false {
                    outcomes[index] = WorkerOutcome(one, deadLetters: row)
                } else {
                    guard begin(index, ended) else { return nil }
                    outcomes[index] = run([one]).first
                    ended = index
                }
            }
            // Until the entry is finished, no row of it is under way.
            guard ended < 0 || begin(-1, ended) else { return nil }
            var whole = WorkerOutcome(entry)
            for outcome in outcomes.compactMap({ $0 }) { whole.add(outcome) }
            return whole
        }

        /// Returns the rows. Each line is one, also an empty one, whose answer has no id.
        private static func lines(_ rows: [UInt8], _ maximumBytes: Int, from start: Int) -> [Batch.Line] {
            let whole = rows.last == 0x0A ? rows.dropLast() : rows[...]
            return whole.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
                let lineStart = start + line.startIndex
                let isTooLong = line.count > maximumBytes
                return Batch.Line(
                    range: lineStart..<lineStart + (isTooLong ? LineReader.headBytes : line.count), isTooLong: isTooLong
                )
            }
        }
    }
#endif
