/// The sizes of batches, each with its reason. The article "Verifying many tokens" shows how they nest.
package enum BatchSizes {
    /// The number of signatures that the kernels verify at a time: as many as an AVX-512 register has 64-bit lanes.
    package static let signatures = 8
    /// The largest number of signatures in one call of the kernels: enough for ES256 to share one inversion.
    package static let signaturesInCall = 64
    /// The number of private RSA operations at a time: each takes two lanes, one for each prime.
    package static let privateOperations = 4
    /// The largest number of tokens that a thread processes before other work has its turn: two calls of the kernels.
    package static let tokens = 128
    /// The largest number of tokens of one thread whose results are in order before those of the next are begun: most
    /// of them need not wait where `tokens` do not.
    package static let tokensInRound = 1_024
    /// The largest number of bytes of the encrypted tokens of a thread, and of the tokens of a sequence that were read
    /// ahead.
    package static let bytes = 4 << 20
    /// The number of parts of a sequence that are read ahead for each thread: one is processed, and the next is ready.
    package static let partsAhead = 2
    /// The largest number of tokens of a batch that wait for keys or the limiter at the same time, each as a task.
    package static let waiting = 64
}
