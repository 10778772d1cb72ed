# Every target is one line that calls the tools; the scripts are in Tests/Scripts.
PREFIX ?= /usr/local
DESTDIR ?=
BIN = $(DESTDIR)$(PREFIX)/bin

# With its default traits the package needs two C libraries. BUILD and DEBUG have all traits. PORTABLE, with which bulla
# is installed and packed, is without SAML, which only bulla-sandbox needs.
# flags.sh says why hashing is deterministic in builds, and against what release builds are hardened.
SWIFT_BUILD = SWIFT_DETERMINISTIC_HASHING=1 swift build
HARDENED = $(shell . Tests/Scripts/flags.sh && echo "$$hardened")
FORTIFIED = $(shell . Tests/Scripts/flags.sh && echo "$$fortified")
BUILD = $(FORTIFIED) $(SWIFT_BUILD) --enable-all-traits $(HARDENED)
DEBUG_OPTIONS = $(shell . Tests/Scripts/flags.sh && echo "$$debug")
DEBUG = BULLA_EXAMPLES=1 $(SWIFT_BUILD) $(DEBUG_OPTIONS)
# The installed programs contain Swift's runtime where possible, so that they do not depend on the toolchain.
STATIC = $(if $(filter Linux,$(shell uname)),--static-swift-stdlib)
PORTABLE = $(FORTIFIED) $(SWIFT_BUILD) --traits Accelerated,Zip,HTTP,Redis,Server $(HARDENED) -c release $(STATIC) --scratch-path .build/install
PORTABLE_SANDBOX = $(BUILD) -c release $(STATIC) --scratch-path .build/install-sandbox
# The demo needs neither servers nor a network. A folder of its own keeps the build with all traits.
DEMO = $(SWIFT_BUILD) -c release --scratch-path .build/demo
BENCH = SWIFT_DETERMINISTIC_HASHING=1 swift run -c release --package-path Benchmarks --scratch-path .build/benchmarks bench

.PHONY: build deps demo test test-suite test-examples wycheproof bench bench-short bench-fetch bench-saml bench-store bench-peers instructions fuzz fuzz-short sanitize lint format
.PHONY: nightly test-root test-browser test-consumers test-replay test-serve test-worker test-spark deb test-deb bench-libcrypto35 bench-serve bench-process login-demo login-load test-kernels test-private-kernels test-aarch64 test-unaccelerated install install-sandbox uninstall sbom clean help secrets timing race docs interface linear compare-instructions record workflows mutants

build: deps ## build bulla and bulla-sandbox, release, into .build/release
	$(BUILD) -c release --product bulla
	$(BUILD) -c release --product bulla-sandbox

deps: ## install the headers of the C libraries if they are missing
	@sh Tests/Scripts/install.sh build

demo: ## issue 20 000 nested tokens and verify them on all cores; builds with the default trait, and needs two C libraries
	@sh Tests/Scripts/install.sh demo
	$(DEMO) --product JOSEDemo
	@"$$($(DEMO) --show-bin-path)/JOSEDemo"

login-demo: deps ## start test providers and a service on loopback, for logins with a browser
	@sh Tests/Scripts/login-demo.sh

login-load: deps ## run 200 concurrent logins for a minute at every provider of the sandbox in turn; ARGS='--name zenkey'
	$(BUILD) -c release --product bulla-sandbox
	@python3 -B Tests/Interop/Browser/load.py "$$($(BUILD) -c release --show-bin-path)/bulla-sandbox" $(ARGS)

test: ## run all tests, the examples and the calls of a developer's first hour, with one build; asks before it installs packages
	@sh Tests/Scripts/test.sh

nightly: ## run what .ci/run leaves out of its short forms, also what follows a failure; more than an hour
	@$(MAKE) -k test-consumers test-unaccelerated sanitize test-browser test-serve deb

test-suite: deps ## run the Swift tests whose names match the regular expression ONLY, with the build of `make test`
	$(DEBUG) --build-tests
	swift test $(DEBUG_OPTIONS) --disable-xctest --skip-build --filter "$(ONLY)"

test-root: ## run make demo and make test on a new Debian in a root by debootstrap, as root; SUITE=bookworm, trixie by default
	@sh Tests/Scripts/root.sh "$(or $(SUITE),trixie)"

test-browser: deps ## go through all cases of every login of the sandbox in Chromium; make test has two of most logins
	@sh Tests/Scripts/install.sh test
	$(DEBUG) --build-tests
	BULLA_BROWSER_LOGINS=all swift test $(DEBUG_OPTIONS) --disable-xctest --skip-build --filter '^JOSESandboxTests\.BrowserTests'

test-replay: deps ## verify a thousand DPoP proofs thirty times each in three processes, with the replay store in Redis
	@sh Tests/Scripts/replay.sh $(ARGS)

test-unaccelerated: deps ## run the Swift tests without the package trait Accelerated
	@sh Tests/Scripts/unaccelerated.sh --all

test-examples: deps ## build, run and load what uses packages of others, from the folder BULLA_PACKAGES
	@sh Tests/Scripts/examples.sh

wycheproof: deps ## run Wycheproof's vectors, from the folder BULLA_WYCHEPROOF or fetched
	@sh Tests/Scripts/wycheproof.sh

secrets: deps ## check for branches on secrets, by valgrind with secrets marked as undefined
	@sh Tests/Scripts/secrets.sh

timing: deps ## test whether the time of a rejection depends on its cause (dudect), into Tests/Security/Timing/RESULT.md
	@sh Tests/Scripts/timing.sh

test-consumers: deps ## build and run packages that depend on this one, with each trait, by path and by URL; asks before it installs packages
	@sh Tests/Scripts/install.sh test
	@sh Tests/Scripts/consumers.sh

sanitize: deps ## run the Swift tests under AddressSanitizer; ARGS=--short for the part that .ci/run runs
	@sh Tests/Scripts/sanitize.sh $(ARGS)

test-kernels: deps ## compare the kernels for many signatures with libcrypto, a million cases of each size
	@sh Tests/Scripts/kernels.sh

test-private-kernels: deps ## check the kernels for private keys: no branch on a secret, no wrong result, a million cases of each size
	@sh Tests/Scripts/private-kernels.sh $(ARGS)

test-serve: deps ## run bulla serve behind nginx and Caddy; installs them
	@sh Tests/Scripts/apt.sh nginx caddy wrk
	$(DEBUG) --product bulla
	@python3 -B Tests/Scripts/gateways.py "$$($(DEBUG) --show-bin-path)/bulla"
	@python3 -B Tests/Scripts/gateway_fields.py "$$($(DEBUG) --show-bin-path)/bulla"

test-worker: deps ## kill bulla worker, Redis and a key server while 200,000 tokens are verified; ARGS=--short
	@sh Tests/Scripts/install.sh test
	$(BUILD) -c release --product bulla
	@python3 -B Tests/Scripts/worker.py "$$($(BUILD) -c release --show-bin-path)/bulla" $(ARGS)

test-spark: deps ## verify a million tokens in Spark while its processes are killed, with PySpark from PyPI; ARGS=--short
	$(PORTABLE) --product bulla
	@sh Tests/Scripts/spark.sh "$$($(PORTABLE) --show-bin-path)/bulla" $(ARGS)

test-aarch64: ## run the portable kernels for aarch64 under qemu-user, on Debian; ARGS=COUNT
	@sh Tests/Scripts/aarch64.sh $(ARGS)

race: deps ## run the tests of shared state under ThreadSanitizer
	@sh Tests/Scripts/race.sh

bench: deps ## run all benchmarks
	$(BENCH)

bench-libcrypto35: deps ## compare the rows of vectorized private keys with a libcrypto of 3.5 or later, from PyPI
	@sh Tests/Scripts/libcrypto35.sh
	$(SWIFT_BUILD) -c release --package-path Benchmarks --scratch-path .build/benchmarks --product bench
	@for row in "batch nested RSA-OAEP" "batch issue RS256"; do LD_LIBRARY_PATH="$$PWD/.build/mldsa/lib" "$$(swift build -c release --package-path Benchmarks --scratch-path .build/benchmarks --show-bin-path)/bench" --only "$$row"; done

bench-fetch: deps ## measure requests per second of the transport and of the command curl, with nginx on loopback
	@sh Tests/Scripts/install.sh test
	@sh Tests/Scripts/fetch.sh

bench-serve: deps ## measure bulla serve: CPU time, latency in a flood, and nested tokens by wrk against goals, which an idle machine meets
	@sh Tests/Scripts/apt.sh wrk
	$(BUILD) -c release --product bulla
	@python3 -B Tests/Scripts/bench_serve.py "$$($(BUILD) -c release --show-bin-path)/bulla" $(ARGS)

bench-process: deps ## measure the start of the installed command, and processes that verify a few tokens; ARGS=ROUNDS
	$(PORTABLE) --product bulla
	@python3 -B Tests/Scripts/bench_process.py "$$($(PORTABLE) --show-bin-path)/bulla" $(ARGS)

bench-saml: deps ## measure a login by SAML, and compare the parsing of its response with xmlsec's own calls
	@sh Tests/Scripts/install.sh test
	@sh Tests/Scripts/saml.sh

bench-store: deps ## measure transactions per second of the store in memory and of Redis on loopback
	@sh Tests/Scripts/install.sh test
	@sh Tests/Scripts/store.sh

bench-peers: deps ## compare Bulla with other libraries, installed if missing; ARGS='--help', README=1 BULLA_PACKAGES=folder for the table of the README
	@README=$(README) sh Tests/Scripts/bench-peers.sh $(ARGS)

bench-short: deps ## run one short round of the benchmarks, and check the allocation budgets
	@sh Tests/Scripts/budgets.sh

instructions: deps ## count instructions per call under callgrind, and compare them with Benchmarks/Instructions.json
	@sh Tests/Scripts/install.sh instructions
	$(BENCH) --instructions

compare-instructions: deps ## compare instructions at the revision BASE and here; ONLY='verify RS256', ARGS='--all'
	@ONLY="$(ONLY)" sh Tests/Scripts/compare-instructions.sh "$(BASE)" $(ARGS)

linear: deps ## check that the instructions of parsers grow in proportion to inputs of n, 2n and 4n elements
	@sh Tests/Scripts/install.sh test
	$(DEBUG) --product LinearWork
	$(DEBUG) --product bulla
	@BULLA_PROGRAMS="$$($(DEBUG) --show-bin-path)" python3 -B Tests/Scripts/linear.py $(ARGS)

mutants: deps ## break conditions of the sources on purpose, and tell which no test notices, into .build/MUTANTS.md; ARGS='--count 40'
	@sh Tests/Scripts/mutants.sh $(ARGS)

fuzz: deps ## run a million mutated tokens through every parser under AddressSanitizer
	@sh Tests/Scripts/fuzz.sh

fuzz-short: deps ## run twenty thousand mutated tokens through every parser
	@sh Tests/Scripts/fuzz.sh --short

lint: ## check the format, and the prose of comments, documents and test names
	@sh Tests/Scripts/lint.sh

format: ## apply the format
	@sh Tests/Scripts/lint.sh --mend

docs: ## build the documentation into .build/docs; fails for an undocumented public symbol or error code, and a changed interface
	@sh Tests/Scripts/docs.sh

interface: ## accept the public interface as it is now, into Tests/Interface
	@sh Tests/Scripts/docs.sh --write

record: deps ## a target that takes long, and its row in Tests/LONG-RUNS.md: TARGET=test-kernels
	@sh Tests/Scripts/record.sh $(TARGET)

workflows: ## check the files of .github by their schemas, with a tool from PyPI
	@sh Tests/Scripts/workflows.sh

sbom: deps ## print the bill of materials of bulla (CycloneDX); PROGRAM=bulla-sandbox for the other program
	@$(DEBUG) --quiet --product $(or $(PROGRAM),bulla)
	@"$$($(DEBUG) --show-bin-path)/$(or $(PROGRAM),bulla)" sbom --swift "$$(swift -print-target-info | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p')"

install: ## install bulla in PREFIX/bin
	@sh Tests/Scripts/install.sh command
	$(PORTABLE) --product bulla
	install -d "$(BIN)"
	install -m 755 "$$($(PORTABLE) --show-bin-path)/bulla" "$(BIN)/bulla"

install-sandbox: deps ## install bulla-sandbox, the test providers for logins, in PREFIX/bin
	$(PORTABLE_SANDBOX) --product bulla-sandbox
	install -d "$(BIN)"
	install -m 755 "$$($(PORTABLE_SANDBOX) --show-bin-path)/bulla-sandbox" "$(BIN)/bulla-sandbox"

deb: deps ## build Debian packages of bulla and of bulla-sandbox, into .build/deb
	$(PORTABLE) --product bulla
	$(PORTABLE_SANDBOX) --product bulla-sandbox
	@sh Tests/Scripts/deb.sh "$$($(PORTABLE) --show-bin-path)/bulla" "$$($(PORTABLE_SANDBOX) --show-bin-path)/bulla-sandbox"

test-deb: deb ## install the Debian packages in a new root, use them there, and remove them; needs root
	@sh Tests/Scripts/deb.sh --try

uninstall: ## remove bulla and bulla-sandbox from PREFIX/bin
	rm -f "$(BIN)/bulla" "$(BIN)/bulla-sandbox"

clean: ## remove all build products
	rm -rf .build Benchmarks/.build

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/make \1	\2/p' Makefile | expand -t 26
