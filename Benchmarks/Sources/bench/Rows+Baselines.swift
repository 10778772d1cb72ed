internal import CRaw
internal import JOSE

extension Fixtures {
    /// Returns raw calls with the parameters of `openssl speed`, compared with themselves: their ratio shows how precise the
    /// method is on this machine now, and their rate whether the raw calls are a baseline.
    func baselineRows() throws -> [Row] {
        let payload = claims
        let curves = [("P-256", p256, 256), ("P-384", p384, 384), ("P-521", p521, 521)]
        let agreements = try curves.map { name, key, bits in
            let der = try key.exportPrivateDER()
            return baseline("ecdh \(name)", .ecdh(bits: bits)) { Raw("derive", "ECDH-ES", [(.key, der)]) }
        }
        let ciphers = ["128", "192", "256"].map { bits in
            baseline("A\(bits)GCM", .gcm("aes-\(bits)-gcm", bytes: payload.count)) {
                Raw("seal", "dir", enc: "A\(bits)GCM", [(.input, payload)])
            }
        }
        return agreements + ciphers
    }

    private func baseline(_ name: String, _ speed: SpeedTest, _ make: @escaping () -> Raw) -> Row {
        let first = make()
        return Row("raw", name, first.run, raw: make, speed: speed, note: "the raw call against itself")
    }
}
