import JOSESettings

extension Command {
    static let demo = Command(
        "demo", summary: "make nested tokens, verify them on all cores, and print the rates",
        details: """
            The tokens have the form of itsme's ID tokens, version 2: RSA-OAEP and A128CBC-HS256 around RS256. One token in 500 is
            broken, in one of ten ways. They are verified one by one and, on a processor with AVX-512 IFMA, once more in batches with
            vectorized private keys. Exit status 1: the rejected tokens are not the broken ones.
            """,
        options: [Options.demoCount.spec, Options.jobs.spec, Options.quiet]
    ) { (arguments) throws(CommandFailure) in
        let jobs = try arguments.value(Options.jobs) ?? Process.cores
        return try DemoRun(
            count: arguments.value(Options.demoCount) ?? 20_000, jobs: jobs, isQuiet: arguments.has(Options.quiet)
        ).run()
    }
}

extension Options {
    static let demoCount = Option("count", "COUNT", "number of tokens (20000)", integer(1...10_000_000))
}
