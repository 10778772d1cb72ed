/// How long a store keeps a value, in the bounds that every store holds to.
package enum StoreLifetime {
    /// Not a number counts as nothing.
    package static func bounded(_ seconds: Double) -> Double { seconds > 0.001 ? min(seconds, 1e9) : 0.001 }
}
