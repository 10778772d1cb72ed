/// A key that can sign: a ``PrivateKey``, a ``SecretKey``, or a ``JWK`` that contains one of them.
///
/// A ``PublicKey`` does not conform, so that the compiler rejects it as a signing key. A `JWK` of a public
/// key, whose kind is known when the program runs, is rejected with `keyUnsuitable`.
public protocol SigningKey: JWKConvertible {}

extension JWK: SigningKey {}

extension PrivateKey: SigningKey {}

extension SecretKey: SigningKey {}
