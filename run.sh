#!/usr/bin/env bash
# The project's commands. On a fresh machine: ./run.sh demo, then ./run.sh test.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

usage() {
  cat <<'TEXT'
usage: ./run.sh COMMAND
  setup   make the environment in .venv, nothing else
  demo    set up, audit the embedded data, replay the example rewards; prints tables and paths
  test    set up, then lint, types, layers and tests; arguments go to pytest, such as -m slow for the slow tests
TEXT
}

setup() {
  local python=${PYTHON:-python3} stamp=.venv/.lock-digest digest
  digest=$(cat requirements.lock pyproject.toml | "$python" -c 'import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())')
  if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$digest" ]; then return; fi
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "run.sh: Python 3.11 or newer is needed (PYTHON=... chooses one)" >&2; exit 2; }
  echo "setting up .venv" >&2
  "$python" -m venv --clear .venv
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
  echo "$digest" > "$stamp"
}

demo() {
  setup
  .venv/bin/armslength worlds make --out out/demo
  .venv/bin/armslength audit out/demo/purchases.jsonl --out out/demo/report
  .venv/bin/armslength replay run --input examples/replay/fixture --out out/demo/replay
}

tests() {
  setup
  .venv/bin/ruff check .
  .venv/bin/ruff format --check .
  .venv/bin/mypy
  .venv/bin/lint-imports
  # One BLAS thread a test process: the tests run beside each other already.
  OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 .venv/bin/python -m pytest "$@"
}

case "${1:-}" in
  setup) setup ;;
  demo) demo ;;
  test) shift; tests "$@" ;;
  *) usage >&2; exit 2 ;;
esac
