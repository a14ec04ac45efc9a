#!/usr/bin/env bash
# Builds everything and runs every test. Asks nothing. PRESET picks a preset of CMakePresets.json (default: release).
# PRESET=tsan leaves out the tests that run OpenCL: PoCL and LLVM, whose threads are not instrumented, would be reported.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../samples/setup.sh"
need_packages build test
preset=${PRESET:-release}

say "Building ($preset)"
cmake --preset "$preset" -DOB_TESTS=ON >/dev/null
cmake --build --preset "$preset"

say "Testing ($preset)"
ctest --preset "$preset" -j "$(nproc)"
