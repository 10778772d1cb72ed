#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// fuzz [--count N] [--seed N] [--first CASE] [--progress FILE] [--report full|brief]: N tokens through every parser. The case
/// at work is written to FILE, so that one that ends the process can be run again alone: --first CASE --count 1.
struct Options {
    var count = 20_000
    var seed: UInt64 = 1
    var first = 0
    var progress: String?
    var isBrief = false

    init(_ arguments: [String]) {
        var rest = arguments.dropFirst()
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { fatalError("\(name) takes a value") }
            switch (name, Int(value)) {
            case ("--count", let number?): count = number
            case ("--seed", let number?): seed = UInt64(truncatingIfNeeded: number)
            case ("--first", let number?): first = number
            case ("--progress", _): progress = value
            case ("--report", _): isBrief = value == "brief"
            default: fatalError("not understood: \(name) \(value)")
            }
        }
    }
}

func fuzz(_ options: Options) async throws -> Int32 {
    let tokens = try TokenTarget()
    let layers = try LayerTarget()
    let serializations = try SerializationTarget()
    let compressions = try CompressionTarget()
    let profiles = try ProfileTarget()
    let disclosures = try DisclosureTarget()
    let external = try ExternalTarget()
    let keys = try KeyTarget()
    let certificates = try CertificateTarget()
    var tally = Tally()
    let file = options.progress.map { open($0, O_WRONLY | O_CREAT, 0o644) } ?? -1
    var index = options.first
    while tally.tokens < options.count, tally.findings.count < 20 {
        if file >= 0 {
            let text = Array("\(index)\n".utf8)
            _ = pwrite(file, text, text.count, 0)
        }
        var dice = Dice(seed: options.seed, case: index)
        tally.currentCase = index
        switch dice.below(40) {
        case 0..<8: try layers.run(&dice, &tally)
        case 8..<12: try serializations.run(&dice, &tally)
        case 12: try compressions.run(&dice, &tally)
        case 13..<16: try profiles.run(&dice, &tally)
        case 16 where dice.once(in: 2): try await external.run(&dice, &tally)
        case 16: try disclosures.run(&dice, &tally)
        default: try tokens.run(&dice, &tally)
        }
        if dice.once(in: 4) { keys.run(&dice, &tally) }
        if dice.once(in: 16) { certificates.run(&dice, &tally) }
        if dice.once(in: 4) { Base64Target.run(&dice, &tally) }
        index += 1
    }
    print(options.isBrief ? tally.summary : tally.report)
    guard tally.findings.isEmpty else {
        print("FINDINGS (seed \(options.seed)):")
        for finding in tally.findings { print("  \(finding)") }
        return 1
    }
    print("No finding.")
    return 0
}

exit(try await fuzz(Options(CommandLine.arguments)))
