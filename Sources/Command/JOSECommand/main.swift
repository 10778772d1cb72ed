Process.endQuietlyOnClosedPipe()
Process.end(Bulla.run(Array(CommandLine.arguments.dropFirst())))
