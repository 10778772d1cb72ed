internal import CRaw
internal import Foundation

@main
struct Bench {
    let options: Options

    static func main() {
        do throws(any Error) {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            // This is before allocations are counted, because the other libraries are measured without that cost.
            if let folder = options.peerFixtures {
                return try PeerHarness(folder: folder, raw: options.peerIsRaw).run()
            }
            guard craw_count_start() else { return fail("libcrypto was used before its allocations could be counted") }
            let bench = Bench(options: options)
            exit(try bench.run() ? 0 : 1)
        } catch {
            fail("\(error)")
        }
    }

    private static func fail(_ message: String) {
        FileHandle.standardError.write(Data((message + "\n").utf8))
        exit(2)
    }

    /// Runs the rows. Returns false if a budget or a memory goal is exceeded.
    private func run() throws -> Bool {
        if options.memory { return try MemoryTest(command: options.command).run() }
        if options.issuers { return try IssuerMemory(fixtures: Fixtures()).run() }
        if let url = options.fetchURL { return try FetchTest(url: url, ca: options.fetchCA).run() }
        if let port = options.storePort { return try StoreTest(port: port).run() }
        if options.coalesce { return try CoalesceTest(fixtures: Fixtures(), only: options.only).run() }
        if options.countsHere { return try InstructionRun.count(rows()) }
        if options.instructions { return try Instructions(options).run() }
        if !craw_pin(Int32(options.core)) { note("not kept on one core: the numbers may wander") }
        let rows = try rows()
        guard !rows.isEmpty else { throw Options.Fault(description: "no such row") }
        if let loop = options.loop { return spin(rows[0], loop.side, loop.count) }
        let harness: Harness = options.isShort ? .short : .full
        var cache: [[String]: String] = [:]
        var results: [Result] = []
        for (number, row) in rows.enumerated() {
            progress("\(number + 1)/\(rows.count) \(row.title)")
            var result = measured(row, harness, &cache)
            if !options.isShort {
                result.spread = Spread(row.ours, each: result.ours)
                result.allCores = harness.allCores(row)
            }
            results.append(result)
        }
        let gains = options.isShort ? [] : twoCores(rows, harness)
        let memory = options.isShort || options.only != nil ? nil : try memoryReport()
        progress("")
        print(options.isMarkdown ? Table.markdown(results) : Table.text(results))
        if !gains.isEmpty { print("\n" + Table.twoCores(gains)) }
        if let memory { print("\n" + memory.text) }
        if let path = options.json { try Report(results, gains, memory).write(to: path) }
        if options.writesBudgets { try options.budgets.write(results, isPart: options.only != nil) }
        return try !options.checksBudgets || budgetsHold(results)
    }

    private func rows() throws -> [Row] {
        let fixtures = try Fixtures()
        let all =
            try fixtures.signatureRows() + fixtures.nestedRows() + fixtures.encryptionRows() + fixtures.keyRows()
            + fixtures.refusalRows() + fixtures.jsonRows() + fixtures.streamRows() + fixtures.profileRows()
            + fixtures.certificateRows() + fixtures.certifiedTokenRows() + fixtures.cacheRows() + fixtures.gateRows()
            + fixtures.observerRows()
            + fixtures.sourceRows() + fixtures.batchRows() + fixtures.privateKeyRows() + fixtures.loginRows()
            + fixtures.relyingPartyRows()
            + fixtures.keyCostRows() + fixtures.baselineRows()
        guard let only = options.only else { return all }
        return all.filter { $0.title.contains(only) }
    }

    /// Measures a row. A raw call that is slower than `openssl speed` is measured again before it is reported, because either run
    /// may have been disturbed.
    private func measured(_ row: Row, _ harness: Harness, _ cache: inout [[String]: String]) -> Result {
        var result = harness.measure(row)
        guard !options.isShort, let speed = row.speed else { return result }
        result.speed = speed.perSecond(&cache)
        if result.isBadBaseline {
            result = harness.measure(row)
            cache = [:]
            result.speed = speed.perSecond(&cache)
        }
        return result
    }

    private func twoCores(_ rows: [Row], _ harness: Harness) -> [TwoCoreResult] {
        let wanted = [
            "verify RS256", "verify ES256", "verify EdDSA", "verify HS256", "nested RSA-OAEP+A128CBC-HS256 > RS256",
            "batch RS256 2048", "batch ES256",
        ]
        return rows.filter { wanted.contains($0.title) }.compactMap { row in
            progress("two cores, \(row.title)")
            return harness.twoCores(row)
        }
    }

    private func memoryReport() throws -> MemoryReport {
        progress("memory")
        return try MemoryReport(Fixtures(), command: options.command)
    }

    private func budgetsHold(_ results: [Result]) throws -> Bool {
        let violations = try options.budgets.violations(results)
        for line in violations { note(line) }
        if violations.isEmpty { print("\nall \(results.count) rows within their allocation budgets") }
        return violations.isEmpty
    }

    @inline(never)  // a profiler is told to begin here
    private func spin(_ row: Row, _ side: String, _ count: Int) -> Bool {
        let good = side == "raw" ? row.raw?().run(count) : row.ours(count)
        return good == count
    }

    private func note(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

    private func progress(_ text: String) {
        guard isatty(2) == 1 else { return }
        note("\r\u{1b}[K" + text + "\u{1b}[A")
    }
}
