package main

import (
	"crypto/x509"
	"encoding/pem"
	"os"
)

func isShared(alg string) bool { return alg == "HS256" || alg == "dir" || alg == "A256KW" }

func publicKey(alg string) interface{} {
	if isShared(alg) {
		return read("keys/" + alg + ".secret")
	}
	key, err := x509.ParsePKIXPublicKey(block("keys/" + alg + ".public.pem"))
	must(err)
	return key
}

func privateKey(alg string) interface{} {
	if isShared(alg) {
		return publicKey(alg)
	}
	key, err := x509.ParsePKCS8PrivateKey(block("keys/" + alg + ".private.pem"))
	must(err)
	return key
}

func block(name string) []byte {
	found, _ := pem.Decode(read(name))
	if found == nil {
		panic(os.ErrInvalid)
	}
	return found.Bytes
}

// profile is the claims beyond the registered ones.
type profile struct {
	AuthTime      int64    `json:"auth_time"`
	Nonce         string   `json:"nonce"`
	Acr           string   `json:"acr"`
	Amr           []string `json:"amr"`
	Azp           string   `json:"azp"`
	Name          string   `json:"name"`
	GivenName     string   `json:"given_name"`
	FamilyName    string   `json:"family_name"`
	Email         string   `json:"email"`
	EmailVerified bool     `json:"email_verified"`
	Phone         string   `json:"phone_number"`
	Locale        string   `json:"locale"`
	Session       string   `json:"sid"`
}
