import CTiming
import Foundation

// timing [SAMPLES]: prints a table of t in Markdown. It fails if the magnitude of t is 4.5 or more, or a deliberate leak is not
// found.
let bound = 4.5
let samples = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 2_000_000

/// Returns the length of one tick of the counter in nanoseconds.
func nanosecondsOfATick() -> Double {
    let clock = ContinuousClock()
    let begun = timing_now()
    let elapsed = clock.measure { Thread.sleep(forTimeInterval: 0.2) }
    return elapsed / .nanoseconds(1) / Double(timing_now() &- begun)
}

if !timing_pin(0) { FileHandle.standardError.write(Data("timing: not kept on one core\n".utf8)) }
let tick = nanosecondsOfATick()
var failed = false
print("| what | first class | second class | samples | median, ns | difference, ns | t |")
print("| --- | --- | --- | ---: | ---: | ---: | ---: |")
for property in try Properties(material: Material(), samples: samples).all() {
    let result = property.measure(nanoseconds: tick)
    let seen = abs(result.t) >= bound
    let fails = seen != (property.expectation == .leaks)
    failed = failed || fails
    print(
        "| \(property.name) | \(property.classes.0) | \(property.classes.1) | \(result.samples)",
        String(
            format: "| %.0f | %+.1f | %@%+.2f |", result.median, result.difference, fails ? "FAILS " : "", result.t))
    fflush(nil)
}
exit(failed ? 1 : 0)
