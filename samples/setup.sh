# Sourced by samples/quickstart.sh and tests/run.sh: go to the top folder; install the Debian packages of the given kinds that are
# missing, as root or by sudo, else print the one command that does and stop.
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '\n\033[1m== %s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '\n== %s\n' "$*"; }

need_packages() { # need_packages KIND...
    local kind missing=()
    for kind in "$@"; do
        while read -r package; do
            dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
        done < <(sed -n "s/^$kind //p" samples/debian-packages)
    done
    [ ${#missing[@]} -eq 0 ] && return
    local run=()
    if [ "$(id -u)" -ne 0 ]; then
        if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then run=(sudo); else
            echo "Some Debian packages are missing. Install them with this command, then start again:" >&2
            echo "    sudo apt-get install ${missing[*]}" >&2
            exit 1
        fi
    fi
    say "Installing ${#missing[@]} Debian packages: ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    "${run[@]}" apt-get update -qq
    "${run[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >build-setup.log 2>&1 ||
        { tail -20 build-setup.log >&2; exit 1; }
    rm -f build-setup.log
}
