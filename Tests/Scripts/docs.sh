#!/bin/sh
# docs.sh: builds the documentation of the public modules into .build/docs. It fails for any warning of DocC, for any public
# symbol without a doc comment, for any public top-level type that no topic page lists, and for an error code that the article
# Error codes lacks. Then it compares the public interface with Tests/Interface, and its names with
# those in Tests/Interface/names. docs.sh --write: accepts the interface instead.
set -eu
cd "$(dirname "$0")/../.."
. Tests/Scripts/flags.sh
sh Tests/Scripts/install.sh docs
modules="JOSE JOSEStore JOSEKeySets JOSEFetch JOSETokens JOSERelyingParty JOSEDigiD JOSEEntra JOSEItsme JOSEMitID JOSEZenKey JOSERedis JOSETesting"

# The tools are beside the compiler.
tool() {
    command -v "$1" || xcrun --find "$1" 2>/dev/null || echo "$(dirname "$(readlink -f "$(command -v swift)")")/$1"
}
docc=$(tool docc)
extract=$(tool swift-symbolgraph-extract)

mkdir -p .build
swift_build $debug >.build/docs.log 2>&1 || {
    cat .build/docs.log
    exit 1
}
built=$(swift_build $debug --show-bin-path)
triple=$(swift -print-target-info | sed -n 's/^ *"triple": "\([^"]*\)".*/\1/p' | head -n 1)
if [ "$(uname)" = Darwin ]; then sdk="-sdk $(xcrun --show-sdk-path)"; else sdk=; fi
# Swift modules refer to the C modules that they use, although these are not public.
c=
for map in "$built"/*.build/module.modulemap CShims/*/module.modulemap; do c="$c -Xcc -fmodule-map-file=$map"; done
for folder in CShims/*/include; do c="$c -Xcc -I$folder"; done
for flag in $(pkg-config --cflags libcrypto libsodium zlib libcurl libmicrohttpd libxml-2.0 2>/dev/null || true); do c="$c -Xcc $flag"; done

out=.build/docs
rm -rf "$out"
for module in $modules; do
    mkdir -p "$out/symbols/$module"
    "$extract" -module-name "$module" -I "$built/Modules" -target "$triple" $sdk $c -minimum-access-level public \
        -skip-synthesized-members -emit-extension-block-symbols -output-dir "$out/symbols/$module"
done
python3 Tests/Scripts/documented.py "$out/symbols" $modules
python3 -B Tests/Scripts/codes.py

# Each module may link to those before it. Articles link to each other by relative paths, which forges follow; DocC gets its own links.
before=
for module in $modules; do
    catalog=$out/catalogs/$module.docc
    mkdir -p "$catalog"
    for article in Sources/*/"$module/$module.docc"/*.md; do
        sed 's/](\([A-Za-z0-9]*\)\.md)/](doc:\1)/g' "$article" >"$catalog/$(basename "$article")"
    done
    "$docc" convert "$catalog" --additional-symbol-graph-dir "$out/symbols/$module" \
        --fallback-display-name "$module" --fallback-bundle-identifier "$module" \
        --fallback-default-module-kind Library --warnings-as-errors \
        --enable-experimental-external-link-support $before --output-path "$out/$module.doccarchive" \
        >.build/docs.log 2>&1 || {
        cat .build/docs.log
        exit 1
    }
    before="$before --dependency $out/$module.doccarchive"
done
"$docc" merge "$out"/*.doccarchive --synthesized-landing-page-name Bulla \
    --output-path "$out/Bulla.doccarchive" >/dev/null
echo "The documentation: $out/Bulla.doccarchive"
python3 -B Tests/Scripts/interface.py "${1:---check}" "$out/symbols" $modules
python3 -B Tests/Scripts/names.py --check "$out/symbols"
