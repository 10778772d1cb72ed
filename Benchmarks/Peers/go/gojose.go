package main

import (
	"encoding/json"
	"errors"
	"time"

	jose "gopkg.in/square/go-jose.v2"
	"gopkg.in/square/go-jose.v2/jwt"
)

type allClaims struct {
	jwt.Claims
	profile
}

func verifier(alg string) (func(string) error, error) {
	key := publicKey(alg)
	return func(text string) error {
		token, err := jwt.ParseSigned(text)
		if err != nil {
			return err
		}
		if len(token.Headers) != 1 || token.Headers[0].Algorithm != alg {
			return errors.New("another algorithm")
		}
		var held allClaims
		if err = token.Claims(key, &held); err != nil {
			return err
		}
		expected := jwt.Expected{Issuer: issuer, Audience: jwt.Audience{audience}, Subject: subject, Time: time.Now()}
		return held.ValidateWithLeeway(expected, 0)
	}, nil
}

func signer(alg string) (func() (string, error), error) {
	options := (&jose.SignerOptions{}).WithType("JWT").WithHeader("kid", "sig-1")
	made, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.SignatureAlgorithm(alg), Key: privateKey(alg)}, options)
	if err != nil {
		return nil, err
	}
	var held allClaims
	must(json.Unmarshal(payload, &held))
	return func() (string, error) { return jwt.Signed(made).Claims(held).CompactSerialize() }, nil
}

func decrypter(alg, enc string) (func(string) ([]byte, error), error) {
	key := privateKey(alg)
	return func(text string) ([]byte, error) {
		token, err := jose.ParseEncrypted(text)
		if err != nil {
			return nil, err
		}
		return token.Decrypt(key)
	}, nil
}

func encrypter(alg, enc string) (func() (string, error), error) {
	recipient := jose.Recipient{Algorithm: jose.KeyAlgorithm(alg), Key: publicKey(alg), KeyID: "enc-1"}
	made, err := jose.NewEncrypter(jose.ContentEncryption(enc), recipient, (&jose.EncrypterOptions{}).WithType("JWT"))
	if err != nil {
		return nil, err
	}
	return func() (string, error) {
		token, err := made.Encrypt(payload)
		if err != nil {
			return "", err
		}
		return token.CompactSerialize()
	}, nil
}

func main() { serve(library{verifier, signer, decrypter, encrypter}) }
