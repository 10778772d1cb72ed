mod harness;

use harness::{read, serve, Library, Sign, Verify};
use jsonwebtoken::{decode, encode, Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Clone)]
struct Claims {
    iss: String, sub: String, aud: String, exp: u64, nbf: u64, iat: u64, auth_time: u64, nonce: String, acr: String,
    amr: Vec<String>, azp: String, name: String, given_name: String, family_name: String, email: String,
    email_verified: bool, phone_number: String, locale: String, sid: String,
}

struct JSONWebToken {
    claims: Claims,
}

fn algorithm(alg: &str) -> Result<Algorithm, String> { alg.parse().map_err(|fault| format!("{fault}")) }

impl Library for JSONWebToken {
    fn verifier(&self, alg: &str) -> Result<Verify, String> {
        let named = algorithm(alg)?;
        let pem = || read(&format!("keys/{alg}.public.pem"));
        let key = match named {
            Algorithm::HS256 => Ok(DecodingKey::from_secret(&read("keys/HS256.secret"))),
            Algorithm::ES256 => DecodingKey::from_ec_pem(&pem()),
            Algorithm::EdDSA => DecodingKey::from_ed_pem(&pem()),
            _ => DecodingKey::from_rsa_pem(&pem()),
        }.map_err(|fault| fault.to_string())?;
        let mut rules = Validation::new(named);
        rules.leeway = 0;
        rules.validate_nbf = true;
        rules.set_issuer(&[&self.claims.iss]);
        rules.set_audience(&[&self.claims.aud]);
        let subject = self.claims.sub.clone();
        Ok(Box::new(move |token| decode::<Claims>(token, &key, &rules).map_or(false, |held| held.claims.sub == subject)))
    }

    fn signer(&self, alg: &str) -> Result<Sign, String> {
        let named = algorithm(alg)?;
        let pem = || read(&format!("keys/{alg}.private.pem"));
        let key = match named {
            Algorithm::HS256 => Ok(EncodingKey::from_secret(&read("keys/HS256.secret"))),
            Algorithm::ES256 => EncodingKey::from_ec_pem(&pem()),
            Algorithm::EdDSA => EncodingKey::from_ed_pem(&pem()),
            _ => EncodingKey::from_rsa_pem(&pem()),
        }.map_err(|fault| fault.to_string())?;
        let mut header = Header::new(named);
        header.kid = Some("sig-1".into());
        let claims = self.claims.clone();
        encode(&header, &claims, &key).map_err(|fault| fault.to_string())?;
        Ok(Box::new(move || encode(&header, &claims, &key).unwrap_or_default()))
    }
}

fn main() {
    let claims = serde_json::from_slice(&read("claims.json")).expect("claims.json");
    serve(&JSONWebToken { claims });
}
