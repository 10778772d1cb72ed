package main

import (
	"encoding/json"
	"errors"

	"github.com/golang-jwt/jwt"
)

type allClaims struct {
	jwt.RegisteredClaims
	profile
}

func verifier(alg string) (func(string) error, error) {
	key := publicKey(alg)
	parser := jwt.NewParser(jwt.WithValidMethods([]string{alg}))
	choose := func(*jwt.Token) (interface{}, error) { return key, nil }
	return func(text string) error {
		var held allClaims
		if _, err := parser.ParseWithClaims(text, &held, choose); err != nil {
			return err
		}
		if !held.VerifyIssuer(issuer, true) || !held.VerifyAudience(audience, true) || held.Subject != subject {
			return errors.New("another issuer, audience or subject")
		}
		return nil
	}, nil
}

func signer(alg string) (func() (string, error), error) {
	key, method := privateKey(alg), jwt.GetSigningMethod(alg)
	var held allClaims
	must(json.Unmarshal(payload, &held))
	return func() (string, error) {
		token := jwt.NewWithClaims(method, held)
		token.Header["kid"] = "sig-1"
		return token.SignedString(key)
	}, nil
}

func main() { serve(library{verifier: verifier, signer: signer}) }
