internal import Foundation

struct Options {
    var isShort = false
    var only: String?
    var json: String?
    var isMarkdown = false
    var checksBudgets = false
    var writesBudgets = false
    var budgets = Budgets.standard
    var memory = false
    var issuers = false
    var coalesce = false
    var fetchURL: String?
    var storePort: UInt16?
    var fetchCA = ""
    var instructions = false
    var writesInstructions = false
    var instructionsFile: String?
    var peerFixtures: String?
    var peerIsRaw = false
    /// Whether this is the child process that callgrind runs.
    var countsHere = false
    /// The path of the command, from the folder of the project or from this package's.
    var command =
        [".build/release/bulla", "../.build/release/bulla"].first(where: FileManager.default.isExecutableFile(atPath:))
        ?? ".build/release/bulla"
    var loop: (side: String, count: Int)?
    var core = 0

    static let help = """
        bench [--short] [--only TEXT] [--json FILE] [--markdown] [--check-budgets] [--write-budgets] [--budgets FOLDER]
              [--instructions] [--write-instructions] [--instructions-file FILE] [--core N] [--loop ours|raw N] [--memory [--bulla FILE]]
              [--issuers] [--coalesce] [--fetch URL --ca FILE] [--store PORT] [--peer FOLDER [--raw]]

        --short          few rounds, without `openssl speed` and without two cores
        --only TEXT      rows whose title holds the text
        --check-budgets  fail where a row allocates more than its file in Budgets allows
        --write-budgets  make what is measured the budget
        --instructions   count instructions under callgrind; fail where a row takes more than Instructions.json says
        --write-instructions  make what is counted what it says
        --loop           run one side of the first row N times and no more: for perf and callgrind
        --issuers        memory of a thousand issuers' key sets, and the time of their tokens in turn by the limit of tables
        --coalesce       latency and rate of 1 to 64 concurrent callers, with and without gathering
        --fetch URL      requests a second to that server, and those of curl's own command
        --store PORT     transactions a second through the store in memory, and through Redis at that port
        --peer FOLDER    be one of the libraries that `make bench-peers` compares; with --raw the floor beneath them
        --memory         peak memory of `bulla verify` at 100 000 and 5 000 000 lines
        """

    init(_ arguments: [String]) throws(Fault) {
        var rest = arguments[...]
        func value() throws(Fault) -> String {
            guard let value = rest.popFirst() else { throw Fault(description: "a value is missing\n" + Self.help) }
            return value
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--short": isShort = true
            case "--only": only = try value()
            case "--json": json = try value()
            case "--markdown": isMarkdown = true
            case "--check-budgets": checksBudgets = true
            case "--write-budgets": writesBudgets = true
            case "--budgets": budgets = Budgets(folder: URL(fileURLWithPath: try value()))
            case "--memory": memory = true
            case "--issuers": issuers = true
            case "--coalesce": coalesce = true
            case "--fetch": fetchURL = try value()
            case "--store": storePort = UInt16(try value())
            case "--ca": fetchCA = try value()
            case "--instructions": instructions = true
            case "--instructions-file": instructionsFile = try value()
            case "--write-instructions": (instructions, writesInstructions) = (true, true)
            case "--instructions-here": countsHere = true
            case "--peer": peerFixtures = try value()
            case "--raw": peerIsRaw = true
            case "--bulla": command = try value()
            case "--core": core = try number(value())
            case "--loop": loop = (try value(), try number(value()))
            default: throw Fault(description: Self.help)
            }
        }
    }

    private func number(_ text: String) throws(Fault) -> Int {
        guard let number = Int(text) else { throw Fault(description: "not a number: \(text)") }
        return number
    }

    struct Fault: Error, CustomStringConvertible { let description: String }
}
