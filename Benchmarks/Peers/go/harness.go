// A harness of a Go library; its protocol is in Benchmarks/Peers/README.md. Each library is this file and one of its own.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// library gives functions for one algorithm; an error where it lacks that.
type library struct {
	verifier  func(alg string) (func(token string) error, error)
	signer    func(alg string) (func() (string, error), error)
	decrypter func(alg, enc string) (func(token string) ([]byte, error), error)
	encrypter func(alg, enc string) (func() (string, error), error)
}

type operation struct {
	run  func() error
	step int
}

var errLacking = errors.New("no such operation")

var payload, claims = readClaims()
var issuer, audience, subject = claims["iss"].(string), claims["aud"].(string), claims["sub"].(string)

func readClaims() ([]byte, map[string]interface{}) {
	bytes := read("claims.json")
	var held map[string]interface{}
	must(json.Unmarshal(bytes, &held))
	return bytes, held
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func read(name string) []byte {
	bytes, err := os.ReadFile(os.Args[1] + "/" + name)
	must(err)
	return bytes
}

func say(words ...string) { fmt.Println(strings.Join(words, "\t")) }

// taker gives what is done with a token: verified, decrypted and compared, or both.
func taker(of library, group string, names []string) (func(string) error, error) {
	if group == "verify" {
		return of.verifier(names[0])
	}
	if of.decrypter == nil {
		return nil, errLacking
	}
	decrypt, err := of.decrypter(names[0], names[1])
	if err != nil {
		return nil, err
	}
	if group == "decrypt" {
		return func(token string) error {
			plain, err := decrypt(token)
			if err == nil && !bytes.Equal(plain, payload) {
				err = errors.New("another plaintext")
			}
			return err
		}, nil
	}
	verify, err := of.verifier(names[2])
	if err != nil {
		return nil, err
	}
	return func(token string) error {
		plain, err := decrypt(token)
		if err != nil {
			return err
		}
		return verify(string(plain))
	}, nil
}

func maker(of library, group string, names []string) (func() (string, error), error) {
	if group == "sign" {
		return of.signer(names[0])
	}
	if of.encrypter == nil {
		return nil, errLacking
	}
	return of.encrypter(names[0], names[1])
}

// accepted gives the reason why the first broken token that was taken should not have been.
func accepted(name string, take func(string) error) string {
	for _, line := range strings.Split(strings.TrimSpace(string(read(name+".refused"))), "\n") {
		if field := strings.Split(line, "\t"); take(field[2]) == nil {
			return field[1]
		}
	}
	return ""
}

func prepare(of library, name string) (*operation, error) {
	parts := strings.SplitN(name, "/", 2)
	group, names := parts[0], strings.Split(parts[1], "+")
	switch group {
	case "sign", "encrypt":
		make, err := maker(of, group, names)
		if err != nil {
			return nil, err
		}
		token, err := make()
		if err == nil {
			say("can", name, token)
		}
		return &operation{func() error { _, err := make(); return err }, 1}, err
	case "verify", "decrypt", "nested":
		take, err := taker(of, group, names)
		if err != nil {
			return nil, err
		}
		token := strings.TrimSpace(string(read(name + ".token")))
		if err := take(token); err != nil {
			return nil, err
		}
		if reason := accepted(name, take); reason != "" {
			say("accepts", name, reason)
			return nil, nil
		}
		say("can", name, "-")
		return &operation{func() error { return take(token) }, 1}, nil
	}
	return nil, errLacking
}

func processorTime() int64 {
	var used syscall.Rusage
	must(syscall.Getrusage(0, &used))
	return used.Utime.Nano() + used.Stime.Nano()
}

func (op *operation) measure(seconds float64) (int, int64) {
	count, begun, end := 0, processorTime(), time.Now().Add(time.Duration(seconds*1e9))
	for {
		since := time.Now()
		for i := 0; i < op.step; i++ {
			must(op.run())
		}
		count += op.step
		now := time.Now()
		if !now.Before(end) {
			return count, processorTime() - begun
		}
		if now.Sub(since) < time.Millisecond {
			op.step *= 2
		}
	}
}

func serve(of library) {
	runtime.GOMAXPROCS(1)
	ready := map[string]*operation{}
	for _, name := range strings.Fields(string(read("operations"))) {
		made, err := prepare(of, name)
		if err != nil {
			say("cannot", name, strings.Join(strings.Fields(err.Error()), " "))
		} else if made != nil {
			ready[name] = made
		}
	}
	say("ready")
	for input := bufio.NewScanner(os.Stdin); input.Scan(); {
		words := strings.Fields(input.Text())
		seconds, err := strconv.ParseFloat(words[1], 64)
		must(err)
		count, taken := ready[words[0]].measure(seconds)
		say(words[0], strconv.Itoa(count), strconv.FormatInt(taken, 10))
	}
}
