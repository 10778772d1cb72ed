/// Moduli of RSA keys that can be factored (threat T63).
enum WeakModulus {
    /// Returns whether the modulus has the fingerprint of the generator behind ROCA (CVE-2017-15361): its primes, and
    /// so the modulus, are powers of 65537 modulo a product of small primes, of all up to 701 for the supported sizes.
    /// One in 2^167 of the other keys has it too; most fail at 11, the first prime that distinguishes them.
    static func isROCA(_ modulus: [UInt8]) -> Bool {
        var prime: UInt32 = 3
        while prime <= 701 {
            if isPrime(prime), !isPower(modulus, prime) { return false }
            prime += 2
        }
        return true
    }

    private static func isPrime(_ odd: UInt32) -> Bool {
        var divisor: UInt32 = 3
        while divisor * divisor <= odd {
            if odd % divisor == 0 { return false }
            divisor += 2
        }
        return true
    }

    /// Returns whether some power of 65537 is congruent to the modulus.
    private static func isPower(_ modulus: [UInt8], _ prime: UInt32) -> Bool {
        let wanted = modulus.reduce(UInt32(0)) { ($0 << 8 | UInt32($1)) % prime }
        var power: UInt32 = 1
        repeat {
            if power == wanted { return true }
            power = power * 65537 % prime
        } while power != 1
        return false
    }
}
