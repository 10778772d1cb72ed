/// The mean and the variance of two classes, updated with each value, and their Welch's t.
struct Welch {
    private struct Class {
        var count = 0.0
        var mean = 0.0
        var squares = 0.0

        mutating func add(_ value: Double) {
            count += 1
            let difference = value - mean
            mean += difference / count
            squares += difference * (value - mean)
        }
        var variance: Double { squares / (count - 1) }
    }
    private var classes = [Class(), Class()]

    mutating func add(_ value: Double, to index: Int) { classes[index].add(value) }

    var count: Int { Int(classes[0].count + classes[1].count) }
    /// The mean of the second class minus that of the first.
    var difference: Double { classes[1].mean - classes[0].mean }
    /// Welch's t, or nil if a class has too few values.
    var t: Double? {
        guard classes.allSatisfy({ $0.count > 1000 }) else { return nil }
        let error = (classes[0].variance / classes[0].count + classes[1].variance / classes[1].count).squareRoot()
        return error > 0 ? difference / error : nil
    }
}
