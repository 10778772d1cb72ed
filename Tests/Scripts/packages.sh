# Sourced by scripts that build packages of others: git takes them from the folder BULLA_PACKAGES, and not from GitHub.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
folder=$(cd "$BULLA_PACKAGES" && pwd)
number=0
for owner in apple swift-server swiftlang hummingbird-project vapor amosavian swift-bitcoin; do
    export "GIT_CONFIG_KEY_$number=url.file://$folder/.insteadOf" "GIT_CONFIG_VALUE_$number=https://github.com/$owner/"
    number=$((number + 1))
done
export GIT_CONFIG_COUNT=$number
