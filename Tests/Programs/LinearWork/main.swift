internal import Callgrind
internal import Foundation

// LinearWork list: the names of the shapes, one a line.
// LinearWork once CERTIFICATE SHAPE COUNT: builds one input, parses it, and prints whether it was accepted.
// LinearWork count CERTIFICATE [PREFIX...]: under callgrind, counts the instructions of each shape whose name begins with one of the
//   prefixes, or of each shape. Tests/Scripts/linear.py starts it and compares the counts.
// A shape that cannot be built ends each of them with status 1.

/// Ends the process with status 1 and one line on standard error.
func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("LinearWork: \(message)\n".utf8))
    exit(1)
}

let arguments = Array(CommandLine.arguments.dropFirst())
do {
    switch (arguments.first, arguments.count) {
    case ("list", 1):
        for shape in Shapes.all(certificate: nil) { print(shape.name) }
    case ("once", 4):
        let shapes = Shapes.all(certificate: arguments[1])
        guard let shape = shapes.first(where: { $0.name == arguments[2] }), let count = Int(arguments[3]) else {
            fail("there is no shape of this name")
        }
        print(try shape.build(count)() ? "accepted" : "rejected")
    case ("count", 2...):
        guard counts_begin() else { fail("counting runs under callgrind alone, and is built with its header") }
        let prefixes = arguments.dropFirst(2)
        for shape in Shapes.all(certificate: arguments[1])
        where prefixes.isEmpty || prefixes.contains(where: { shape.name.hasPrefix($0) }) {
            // What is made once in a process, such as tables, is made here.
            _ = try shape.build(shape.count)()
            let isBoundMet = try shape.isBoundMet()
            for factor in [1, 2, 4] {
                let parse = try shape.build(factor * shape.count)
                counts_zero()
                let isAccepted = parse()
                let isGood = isAccepted == shape.isAccepted && isBoundMet
                let kind = shape.isBounded ? "bounded" : "free"
                unsafe counts_write("\(shape.name) \(factor) \(shape.count) \(kind) \(isGood)")
            }
        }
    default: fail("LinearWork list | once CERTIFICATE SHAPE COUNT | count CERTIFICATE [PREFIX...]")
    }
} catch {
    fail("\(error)")
}
