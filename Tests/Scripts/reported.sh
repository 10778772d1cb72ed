# Sourced: `reported <command...>` runs a command of tests, and after a failure prints the lines that say what failed once more, at the
# end, because they are hard to find among thousands of lines, and a log that is cut keeps its end.
failures() { # failures <log>
    grep -a -A 3 -e '✘' -e 'Sanitizer: ' -e 'Fatal error' -e 'unexpected signal' -e '^error: ' -e 'Not ended after' "$1" |
        grep -a -v -e '^◇' -e '^✔' -e ' skipped: ' | awk '!seen[$0]++' | head -n 60 || true
}
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
        failures "$report"
    fi
    rm -f "$report" "$report.status"
    return "$status"
}
