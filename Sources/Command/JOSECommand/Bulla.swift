internal import JOSE
import JOSESettings

#if Redis
    internal import JOSERedis
#endif
#if Server
    internal import CJOSEServe
#endif

/// The program `bulla`.
enum Bulla: Program {
    static let name = "bulla"
    static let summary = "makes, verifies and explains signed and encrypted JSON Web Tokens."
    static let notes = """
        bulla COMMAND --help describes a command, and --help-all has all of its options. Exit status: 0 all tokens are
        valid; 1 a token is invalid; 2 wrong usage, input or keys that cannot be read, or output that cannot be written;
        75 the verification of a token could not be completed, and may be retried.
        """

    static let commands: [Command] = [
        .verify, .decrypt, .explain, .sign, .encrypt, .nest, .keyGenerate, .keyInspect, .keyConvert, .keyPublic,
        .keyThumbprint, .keysFetch, .keysWatch, .keysServe, .serve, .worker, .enqueue, .check,
        .sbom(of: name) { libraries },
    ]

    private static var libraries: [SBOM.Component] {
        var libraries: [SBOM.Component] = []
        #if Server
            libraries.append(
                SBOM.Component(
                    "libmicrohttpd", unsafe String(cString: cjose_serve_version()), "LGPL-2.1-or-later",
                    product: "gnu:libmicrohttpd"))
        #endif
        #if Redis
            libraries.append(
                SBOM.Component("hiredis", RedisScripts.libraryVersion, "BSD-3-Clause", product: "redis:hiredis"))
        #endif
        return libraries
    }

    /// The lines of `bulla --version` that report which implementation verifies signatures on this machine, and which
    /// one computes private RSA operations.
    static var implementations: String {
        let algorithms: [(String, SignatureAlgorithm)] = [("RSA", .rs256), ("ES256", .es256), ("Ed25519", .ed25519)]
        let rows = algorithms.map { name, algorithm in
            let one = "\(algorithm.verificationImplementation)"
            let many = "\(algorithm.batchVerificationImplementation)"
            return "\(name) \(one), in batches \(many); "
        }
        let chosen: PrivateKeyOperations = PrivateKeyOperations.vectorized.isAvailable ? .vectorized : .libcrypto
        return """
            signature verification: \(rows.joined())others \(VerificationImplementation.library)
            private RSA keys: \(PrivateKeyOperations.libcrypto), with --vectorized-private-keys \(chosen)

            """
    }
}
