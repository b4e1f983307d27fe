#!/usr/bin/env bash
# Builds the wheel and tests it in fresh virtual environments, with the oldest and the newest Python at hand.
set -euo pipefail
cd "$(dirname "$0")/.."

# Prints the interpreters from Python 3.9 on, oldest first.
interpreters() {
    local found=()
    for minor in $(seq 9 20); do
        if "python3.$minor" -c "" 2>/dev/null; then
            found+=("python3.$minor")
        elif command -v pyenv >/dev/null; then
            local version
            version=$(pyenv versions --bare | grep -E "^3\.$minor\.[0-9]+$" | tail -1 || true)
            [ -z "$version" ] || found+=("$(pyenv root)/versions/$version/bin/python3")
        fi
    done
    [ ${#found[@]} -gt 0 ] || found+=(python3)
    printf '%s\n' "${found[@]}"
}

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
python3 -m venv "$out/build"
"$out/build/bin/pip" wheel --quiet --no-deps --wheel-dir "$out/wheels" ./python
ls -l "$out/wheels"

for python in $(interpreters | sed -n '1p;$p' | uniq); do
    "$python" --version
    rm -rf "$out/env"
    "$python" -m venv "$out/env"
    "$out/env/bin/pip" install --quiet "$(ls "$out"/wheels/*.whl)[test]"
    "$out/env/bin/gpusched" --version
    "$out/env/bin/python" -m pytest --quiet python/tests
done
# The tests above leave the environment of the newest Python.
"$out/env/bin/python" -m mypy --strict --package gpusched
