# Every target is one line that calls the tools; the scripts are in Tests/Scripts.
PREFIX ?= /usr/local
DESTDIR ?=
BIN = $(DESTDIR)$(PREFIX)/bin

# The package builds with default traits and two C libraries; the command is made with all there are.
BUILD = swift build --enable-all-traits
RUN = swift run --enable-all-traits
# What is installed holds Swift's runtime, where that can be: it outlives the toolchain it was built with.
PORTABLE = $(BUILD) -c release $(if $(filter Linux,$(shell uname)),--static-swift-stdlib --scratch-path .build/install)
BENCH = swift run -c release --package-path Benchmarks --scratch-path .build/benchmarks bench

.PHONY: build deps demo test wycheproof bench bench-short bench-fetch bench-saml bench-store bench-peers instructions fuzz fuzz-short sanitize lint format
.PHONY: login-demo login-load test-kernels install uninstall sbom clean help secrets timing race docs interface linear compare-instructions workflows

build: deps ## the command, release, in .build/release
	$(BUILD) -c release --product bulla

deps: ## install the headers of the C libraries if they are missing
	@sh Tests/Scripts/install.sh build

demo: deps ## 20 000 nested tokens made, verified on all cores, reported
	$(RUN) -c release bulla demo

login-demo: deps ## providers and a service on loopback, to log in at with a browser
	@sh Tests/Scripts/login-demo.sh

login-load: deps ## 200 logins at a time for a minute, at the sandbox on loopback
	$(BUILD) -c release --product bulla
	@python3 -B Tests/Interop/Browser/load.py "$$($(BUILD) -c release --show-bin-path)/bulla" $(ARGS)

test: ## all tests, peers and consumers; asks before it installs
	@sh Tests/Scripts/test.sh

wycheproof: deps ## Wycheproof's vectors, from the folder BULLA_WYCHEPROOF or fetched
	@sh Tests/Scripts/wycheproof.sh

secrets: deps ## no branch on a secret, by valgrind with secrets marked as undefined
	@sh Tests/Scripts/secrets.sh

timing: deps ## whether the time of a refusal tells why (dudect), into Tests/Security/Timing/RESULT.md
	@sh Tests/Scripts/timing.sh

sanitize: deps ## the same Swift tests under AddressSanitizer
	@sh Tests/Scripts/sanitize.sh

test-kernels: deps ## the kernels of many signatures beside libcrypto, a million cases a size
	@sh Tests/Scripts/kernels.sh

race: deps ## what threads share, under ThreadSanitizer
	@sh Tests/Scripts/race.sh

bench: deps ## the whole benchmark table
	$(BENCH)

bench-fetch: deps ## requests a second of the transport beside curl's own command, at nginx on loopback
	@sh Tests/Scripts/install.sh test
	@sh Tests/Scripts/fetch.sh

bench-saml: deps ## a login by SAML and the reading of its answer beside xmlsec's own calls, with a provider in this process
	@sh Tests/Scripts/install.sh test
	@sh Tests/Scripts/saml.sh

bench-store: deps ## transactions a second through the store in memory and through Redis on loopback
	@sh Tests/Scripts/install.sh test
	@sh Tests/Scripts/store.sh

bench-peers: deps ## Bulla beside other libraries, installed where missing; ARGS='--help', README=1 for the table of the README
	@README=$(README) sh Tests/Scripts/bench-peers.sh $(ARGS)

bench-short: deps ## one short round, and the allocation budgets
	@sh Tests/Scripts/budgets.sh

instructions: deps ## instructions a call under callgrind, against Benchmarks/Instructions.json
	@sh Tests/Scripts/install.sh instructions
	$(BENCH) --instructions

compare-instructions: deps ## the same at the revision BASE and here, side by side; ONLY='verify RS256', ARGS='--all'
	@ONLY="$(ONLY)" sh Tests/Scripts/compare-instructions.sh "$(BASE)" $(ARGS)

linear: deps ## the instructions of each parser for inputs of n, 2n and 4n, which must grow in proportion
	@sh Tests/Scripts/install.sh test
	$(BUILD) --product LinearWork
	$(BUILD) --product bulla
	@BULLA_PROGRAMS="$$($(BUILD) --show-bin-path)" python3 -B Tests/Scripts/linear.py $(ARGS)

fuzz: deps ## a million tokens through every parser under AddressSanitizer
	@sh Tests/Scripts/fuzz.sh 1000000

fuzz-short: deps ## the same with twenty thousand
	@sh Tests/Scripts/fuzz.sh 20000

lint: ## the format, strictly
	@sh Tests/Scripts/lint.sh

format: ## put the sources in that format
	@sh Tests/Scripts/lint.sh --mend

docs: ## the documentation, into .build/docs; fails for a public symbol without any, or a changed interface
	@sh Tests/Scripts/docs.sh

interface: ## accept the public interface as it is now, into Tests/Interface
	@sh Tests/Scripts/docs.sh --write

workflows: ## the files of .github by their schemas, with a tool from PyPI
	@sh Tests/Scripts/workflows.sh

sbom: deps ## what the command consists of, as CycloneDX, on standard output
	@$(RUN) --quiet bulla sbom --swift "$$(swift -print-target-info | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p')"

install: deps ## put bulla into PREFIX/bin
	$(PORTABLE) --product bulla
	install -d "$(BIN)"
	install -m 755 "$$($(PORTABLE) --show-bin-path)/bulla" "$(BIN)/bulla"

uninstall: ## take it away again
	rm -f "$(BIN)/bulla"

clean: ## remove all that was built
	rm -rf .build Benchmarks/.build

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1	\2/p' Makefile | expand -t 26
