import JOSE
import TestSupport
import Testing

@Suite("Parameters of a JWK") struct KeysNumbersTests {
    @Test("EC coordinates and scalars must have the length of the field (RFC 7518, 6.2; T61)")
    func lengths() throws {
        for key in [Fixture.p256Private, try Fixture.p521Private()] {
            #expect(refusal(key) == nil)
            for name in ["x", "y", "d"] {
                let octets = try key.octets(name)
                for wrong in [[0] + octets, Array(octets.dropFirst()), []] {
                    let fault = KeyMemberFault.length(wrong.count, required: octets.count)
                    #expect(refusal(key.with(name, octets: wrong)) == .keyInvalid(.member(name, fault)), "\(name)")
                }
            }
        }
    }

    @Test("a point off its curve, or with a coordinate at or over the prime, is rejected (T61)")
    func points() throws {
        let key = Fixture.p256Public
        var y = try key.octets("y")
        y[31] ^= 1
        #expect(refusal(key.with("y", octets: y)) == .keyInvalid(.numbers))
        let zero = [UInt8](repeating: 0, count: 32)
        #expect(refusal(key.with("x", octets: zero).with("y", octets: zero)) == .keyInvalid(.numbers))
        let prime = try #require(bytes(hex: "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"))
        #expect(refusal(key.with("x", octets: prime)) == .keyInvalid(.numbers))
        // A point of P-256 with x = 5, and its equivalent with x = p + 5.
        let five = zero.dropLast() + [5]
        let yOfFive = try #require(bytes(hex: "459243b9aa581806fe913bce99817ade11ca503c64d9a3c533415c083248fbcc"))
        let good = key.with("x", octets: Array(five)).with("y", octets: yOfFive)
        #expect(refusal(good) == nil)
        #expect(refusal(good.with("x", octets: prime.dropLast() + [4])) == .keyInvalid(.numbers))
        let swapped = key.with("x", try #require(key["y"]?.string)).with("y", try #require(key["x"]?.string))
        #expect(refusal(swapped) == .keyInvalid(.numbers))
    }

    @Test("secp256k1 accepts points of its own curve only, and they are on no other curve (RFC 8812, 3.1; T61)")
    func secp256k1() throws {
        let key = try jwk(.generate(.secp256k1))
        #expect(refusal(key) == nil)
        #expect(refusal(key.with("crv", "P-256")) == .keyInvalid(.numbers))
        #expect(refusal(Fixture.p256Public.with("crv", "secp256k1")) == .keyInvalid(.numbers))
        for wrong in ["d", "x", "y"] {
            let octets = try key.octets(wrong)
            let fault = KeyMemberFault.length(33, required: 32)
            #expect(refusal(key.with(wrong, octets: [0] + octets)) == .keyInvalid(.member(wrong, fault)), "\(wrong)")
            #expect(refusal(key.with(wrong, octets: octets.dropLast() + [octets[31] ^ 1])) == .keyInvalid(.numbers))
        }
    }

    @Test("an EC scalar of 0, of at least the order, or of another point is rejected (T61, X13)")
    func scalars() throws {
        let key = Fixture.p256Private
        let order = try #require(bytes(hex: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"))
        let bad: [[UInt8]] = [
            [UInt8](repeating: 0, count: 32), order, order.dropLast() + [0x52], [UInt8](repeating: 0xFF, count: 32),
            [UInt8](repeating: 0, count: 31) + [1],
        ]
        for d in bad { #expect(refusal(key.with("d", octets: d)) == .keyInvalid(.numbers), "\(hex(d))") }
        #expect(refusal(key) == nil)
    }

    @Test("an Ed25519 key that is not canonical or of small order is rejected (T13)")
    func ed25519() throws {
        let key = try Fixture.ed25519Private().without("d")
        #expect(refusal(key) == nil)
        let bad = [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
            "0200000000000000000000000000000000000000000000000000000000000000",
        ]
        for text in bad {
            #expect(refusal(key.with("x", octets: try #require(bytes(hex: text)))) == .keyInvalid(.numbers), "\(text)")
        }
    }

    @Test("an OKP key of another length, or whose x and d do not match, is rejected (RFC 8037, 2; T61)")
    func octetPairs() throws {
        let key = try Fixture.ed25519Private()
        for name in ["x", "d"] {
            let octets = try key.octets(name)
            for other in [octets + [0], Array(octets.dropLast()), []] {
                let fault = KeyMemberFault.length(other.count, required: 32)
                #expect(refusal(key.with(name, octets: other)) == .keyInvalid(.member(name, fault)), "\(name)")
            }
        }
        for pair in [key, try jwk(.generate(.x25519))] {
            var d = try pair.octets("d")
            d[5] ^= 1
            #expect(refusal(pair.with("d", octets: d)) == .keyInvalid(.numbers))
            #expect(refusal(pair) == nil)
        }
        let other = try jwk(.generate(.x25519))
        #expect(refusal(key.with("crv", "X25519")) == .keyInvalid(.numbers))
        #expect(refusal(other.with("crv", "Ed25519")) != nil)
    }

    @Test("RSA parameters that are empty or have leading zeros are rejected (RFC 7518, 2)")
    func minimal() throws {
        let key = try Fixture.rsaPublic()
        #expect(refusal(key) == nil)
        for name in ["n", "e"] {
            let long = [0] + (try key.octets(name))
            #expect(refusal(key.with(name, octets: long)) == .keyInvalid(.member(name, .leadingZero)))
            #expect(refusal(key.with(name, "")) == .keyInvalid(.member(name, .empty)))
            #expect(refusal(key.with(name, octets: [0])) == .keyInvalid(.member(name, .leadingZero)))
        }
    }

    @Test("RSA keys must have 2 048 to 8 192 bits (T05, T62)")
    func modulus() throws {
        let key = try Fixture.rsaPublic()
        func modulus(_ bits: Int) -> [String: JSON] {
            var n = [UInt8](repeating: 0xA5, count: (bits + 7) / 8)
            n[0] = bits % 8 == 0 ? 0x80 : 1 << UInt8(bits % 8 - 1)
            return key.with("n", octets: n)
        }
        for bits in [8, 512, 1_024, 2_040, 2_047] {
            #expect(refusal(modulus(bits)) == .keyUnsuitable(.tooSmall), "\(bits)")
        }
        for bits in [2_048, 3_072, 4_095, 8_192] { #expect(refusal(modulus(bits)) == nil, "\(bits)") }
        for bits in [8_193, 8_200, 16_384, 65_536] {
            #expect(refusal(modulus(bits)) == .keyInvalid(.member("n", .outOfBounds)), "\(bits)")
        }
        var even = try key.octets("n")
        even[even.count - 1] &= 0xFE
        #expect(refusal(key.with("n", octets: even)) == .keyInvalid(.numbers))
    }

    @Test("a modulus with the ROCA fingerprint is rejected if that check is requested (CVE-2017-15361; T63)")
    func roca() throws {
        let key = try Fixture.rsaPublic()
        // Wycheproof, json_web_key, tcId 7.
        let n = """
            AanFpofbj7KjD4Lf-N2hVMKR7yewSyXhhbirIMTGpfYEhZ_lnt5UoK98DnKIgArXGTu3MaW_HhFw16HGaTDUHqPrId7fe4r11CqRw09yBFuW79\
            V8sYIwHdzCaWflUI6auImYbVfoN9_nD5n8N8SY9DwXw7mwZM9wREPXoDPgOoIWl6q_MPsp7n0zs3Z5ZaiQWOOzl1S9OhwAfSiiOwz6efnXEaxu\
            TEtPd7BjSx7NaFka8Dx9U7YqXy2RFj1O9PjyaDGuRh7YXsX3iMUSP_wSyHQg_c_qHRtKUsNSGCT7OZg0hzm2KphtjnayKJvC64vAbROBR4Ubg6\
            Bxg9IQVZ-QYyE
            """
        let weak = key.with("n", n)
        #expect(refusal(weak, checks: .roca) == .keyInvalid(.roca))
        #expect(refusal(weak) == nil)
        var next = try #require(bytes(base64URL: n))
        next[next.count - 1] ^= 2
        #expect(refusal(key.with("n", octets: next), checks: .roca) == nil)
    }

    @Test("RSA public exponents must be odd and from 3 to 2^33 (T61, T62)")
    func exponent() throws {
        let key = try Fixture.rsaPublic()
        for e: [UInt8] in [[3], [5], [17], [1, 0, 1], [0xFF, 0xFF, 0xFF, 0xFF], [1, 0xFF, 0xFF, 0xFF, 0xFF]] {
            #expect(refusal(key.with("e", octets: e)) == nil, "\(e)")
        }
        let bad: [[UInt8]] = [
            [1], [2], [4], [1, 0, 0], [2, 0, 0, 0, 0], [2, 0, 0, 0, 1], [1, 0, 0, 0, 0, 1], try key.octets("n"),
        ]
        for e in bad {
            #expect(refusal(key.with("e", octets: e)) == .keyInvalid(.member("e", .outOfBounds)), "\(e.prefix(8))")
        }
    }

    @Test("an RSA private key whose parameters are inconsistent is rejected (T61)")
    func privateNumbers() throws {
        let key = try Fixture.rsaPrivate()
        #expect(refusal(key) == nil)
        for name in ["d", "p", "q", "dp", "dq", "qi"] {
            var octets = try key.octets(name)
            octets[octets.count / 2] ^= 4
            #expect(refusal(key.with(name, octets: octets)) == .keyInvalid(.numbers), "\(name)")
        }
        let swapped = key.with("p", try #require(key["q"]?.string)).with("q", try #require(key["p"]?.string))
        #expect(refusal(swapped) == .keyInvalid(.numbers))
        #expect(refusal(key.with("d", octets: try key.octets("n"))) == .keyInvalid(.numbers))
        #expect(refusal(key.with("d", octets: [1])) == .keyInvalid(.numbers))
    }

    @Test("an RSA private key of n, e and d only is accepted, and its factors are recovered (RFC 7518, 6.3.2)")
    func bare() throws {
        let key = try Fixture.rsaPrivate()
        let bare = try PrivateKey(jwk: key.without("p", "q", "dp", "dq", "qi").text)
        let back = try JSON(try bare.exportPrivateJWK())
        // The order of the primes cannot be recovered from n, e and d.
        let factors = [back["p"]?.string, back["q"]?.string]
        let given = [key["p"]?.string, key["q"]?.string]
        #expect(factors == given || factors == given.reversed())
        #expect(back["d"] == key["d"])
        var d = try key.octets("d")
        d[9] ^= 1
        let wrong = key.without("p", "q", "dp", "dq", "qi").with("d", octets: d)
        #expect(refusal(wrong) == .keyInvalid(.numbers))
    }

    @Test("RSA keys with more than two primes, or with factors and no d, are rejected (RFC 7518, 6.3.2)")
    func shapes() throws {
        let key = try Fixture.rsaPrivate()
        #expect(refusal(key) == nil && refusal(key.without("p", "q", "dp", "dq", "qi")) == nil)
        for oth: JSON in [.array([.object([:])]), .array([.null]), .object([:]), .string("")] {
            #expect(refusal(key.with("oth", oth)) == .keyInvalid(.member("oth", .unsupported)), "\(oth)")
        }
        #expect(refusal(key.without("d")) == .keyInvalid(.member("d", .missing)))
        #expect(refusal(key.without("d", "p", "q", "dp", "dq")) == .keyInvalid(.member("d", .missing)))
        // A list without further primes, as serializers write it, says nothing.
        for oth: JSON in [.array([]), .null] { #expect(refusal(key.with("oth", oth)) == nil, "\(oth)") }
    }

    @Test("RSA private members that are padded with zeros are accepted")
    func padded() throws {
        var key = try Fixture.rsaPrivate()
        for name in ["d", "p", "dp", "qi"] { key = key.with(name, octets: [0] + (try key.octets(name))) }
        let back = try JSON(try PrivateKey(jwk: key.text).exportPrivateJWK())
        #expect(back["d"] == (try Fixture.rsaPrivate())["d"])
        let absurd = [UInt8](repeating: 0, count: 2_000) + (try key.octets("d"))
        let fault = KeyMemberFault.tooLong(absurd.count, maximum: 257)
        #expect(refusal(key.with("d", octets: absurd)) == .keyInvalid(.member("d", fault)))
    }

    private func jwk(_ key: PrivateKey) throws -> [String: JSON] {
        guard case .object(let members) = try JSON(try key.exportPrivateJWK()) else { return [:] }
        return members
    }

    @Test("d of Ed448 and X448 has exactly the bytes of its curve (RFC 8037, 2)") func rawLengths() throws {
        for (kind, count) in [(KeyKind.ed448, 57), (.x448, 56)] {
            let key = try jwk(PrivateKey.generate(kind))
            let octets = try key.octets("d")
            #expect(octets.count == count && refusal(key) == nil)
            for wrong in [[], Array(octets.dropLast()), octets + [0]] {
                let fault = KeyMemberFault.length(wrong.count, required: count)
                #expect(refusal(key.with("d", octets: wrong)) == .keyInvalid(.member("d", fault)), "\(wrong.count)")
            }
        }
    }
}
