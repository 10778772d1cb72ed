# Sourced: `reported <command...>` runs a command of tests, and after a failure prints the lines that say what failed once more, at the
# end, where they are found among thousands of others and where a log that is cut still has them.
reported() {
    report=$(mktemp)
    {
        status=0
        "$@" 2>&1 || status=$?
        echo "$status" >"$report.status"
    } | tee "$report"
    status=$(cat "$report.status")
    if [ "$status" -ne 0 ]; then
        echo "==> FAILED with $status: $*"
        grep -A 3 -e '✘' -e 'Sanitizer: ' -e 'Fatal error' -e 'unexpected signal' "$report" | grep -v -e '^◇' -e '^✔' | head -n 60 || true
    fi
    rm -f "$report" "$report.status"
    return "$status"
}
