import JOSESettings

// A command that finishes its work on SIGTERM may be told to end before anything else of it has run.
Signals.blockAtStart()
Process.endQuietlyOnClosedPipe()
Process.end(Bulla.run(Array(CommandLine.arguments.dropFirst())))
