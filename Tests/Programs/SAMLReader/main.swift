#if SAML
    import Foundation
    import JOSE
    import JOSERelyingParty
    import JOSEDigiD

    // SAMLReader KEY CERTIFICATE read: reads messages from standard input, separated by a line `----`, and prints the outcome of
    // each.
    // SAMLReader KEY CERTIFICATE time COUNT: prints the microseconds of reading a response and of completing a login, and those
    // of xmlsec alone.
    // SAMLReader KEY CERTIFICATE fuzz COUNT SEED: reads COUNT responses that are changed before or after they are signed.
    func file(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    let arguments = CommandLine.arguments
    guard arguments.count >= 4 else { fatalError("SAMLReader KEY CERTIFICATE read|time COUNT|fuzz COUNT SEED") }
    let certificate = try Certificate(pem: file(arguments[2]))
    let privateKey = try PrivateKey(pem: file(arguments[1]))
    let key = try SAMLKey(privateKey, certificate: certificate)
    let answers = try Answers(key)

    if arguments[3] == "read" {
        var text = ""
        while let line = readLine(strippingNewline: false) { text += line }
        for message in text.components(separatedBy: "\n----\n") { print(answers.outcome(Array(message.utf8)).text) }
        print("honest: \(answers.outcome(try answers.honest(.saml4)).text)")
    } else if arguments[3] == "time" {
        guard arguments.count == 5, let count = Int(arguments[4]) else { fatalError("time COUNT") }
        try await Timing(answers, key: privateKey).run(count)
    } else {
        guard arguments.count == 6, let count = Int(arguments[4]), let seed = UInt64(arguments[5]) else {
            fatalError("fuzz COUNT SEED")
        }
        var fuzzing = Fuzzing(answers, seed: seed)
        exit(try fuzzing.run(count) ? 0 : 1)
    }
#endif
