#!/usr/bin/env bash
# Builds Outboard, runs trained models on the OpenCL device on real data, and writes the coverage matrix. Asks nothing.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
need_packages build
started=$SECONDS

say "Building"
[ -f build/build.ninja ] || cmake --preset release -DOB_TESTS=OFF >/dev/null
cmake --build --preset release

say "Devices"
devices=$(build/bin/ob devices)
printf '%s\n' "$devices"
device=$(sed -n 's/^  \([a-z]*:[0-9]*\) .*/\1/p' <<<"$devices" | head -n 1)
device=${device:-cpu}

say "Handwritten digits the models were not trained on, on $device (the first run on a machine builds the kernels, once)"
build/bin/02_classify "$device" samples/data/digits_images.npy samples/data/digits_labels.npy \
    samples/models/digits_cnn/digits_cnn.aten.pt2 samples/models/digits_transformer/digits_transformer.aten.pt2

say "A model of characters completes a sentence"
build/bin/03_complete "$device" samples/models/charlm/charlm.aten.pt2 "seven plus five is "

say "Where the time went (digits_cnn, one run of each reference case; trace in build/trace.json)"
build/bin/ob run samples/models/digits_cnn/digits_cnn.aten.pt2 --device "$device" --check samples/models/digits_cnn/ref \
    --profile build/trace.json

say "The coverage matrix"
matrix=build/coverage.json
from=(--quick --device "$device" --report "$matrix")
newer=$(find build/lib -newer "$matrix" 2>/dev/null || echo no matrix)
if [ -z "$newer" ] && grep -q "\"device\": *\"$device\"" "$matrix"; then
    echo "(As an earlier run of this build measured it. build/bin/ob coverage --device $device measures all of it.)"
    from=(--merge "$matrix")
fi
build/bin/ob coverage "${from[@]}" --report build/coverage.html || echo "Some cells of the matrix fail: the report says which."
echo
echo "The whole matrix is in build/coverage.html. Done in $((SECONDS - started)) s."
