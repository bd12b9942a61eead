#!/bin/sh
# Installs obdscan from this folder, under /usr/local or PREFIX; `install.sh --remove` removes it.
# Root also gets the udev rule and the services, in /etc.
set -eu
fail() { echo "install.sh: $1" >&2; [ -z "${2:-}" ] || echo "hint: $2" >&2; exit 1; }

prefix=${PREFIX:-/usr/local}
# Relative to the folder in which it was typed; a service has no such folder.
case $prefix in
    /*) ;;
    *) prefix=$PWD/$prefix ;;
esac
# These mean something to the service manager even between quotation marks.
case $prefix in
    *[\"\'\\\$[:cntrl:]]*) fail "PREFIX holds a quotation mark, a backslash, \$ or a control character: $prefix" \
        "name another folder" ;;
esac
cd "$(dirname "$0")"

files=$(find usr -type f | sed 's,^usr/,,' | grep -v '^lib/')
rule=/etc/udev/rules.d/60-obdscan.rules
units=$(cd usr/lib/systemd && ls -d user/* system/*)
reload() { udevadm control --reload 2>/dev/null || true; }
if [ "${1:-}" = --remove ]; then
    for file in $files; do rm -f "$prefix/$file"; done
    if [ "$(id -u)" = 0 ]; then
        rm -f "$rule"
        for unit in $units; do rm -f "/etc/systemd/$unit"; done
        reload
    fi
    rmdir "$prefix/share/doc/obdscan" 2>/dev/null || true
    echo "removed from $prefix; trips and configuration stay where they are"
    exit 0
fi

[ "$(uname -s)" = Linux ] || fail "obdscan is for Linux, this is $(uname -s)"
# The program itself shows best whether this machine can run it.
if ! said=$(usr/bin/obdscan --version 2>&1); then
    missing=$(ldd usr/bin/obdscan 2>/dev/null | awk '/not found/ { print $1 }' | tr '\n' ' ')
    [ -z "$missing" ] || fail "libraries are missing: $missing" \
        "on Debian: apt install libsqlite3-0 libbluetooth3 libstdc++6"
    fail "the program does not run here: $said" "this archive is for $(basename "$PWD")"
fi
mkdir -p "$prefix" 2>/dev/null || true
[ -w "$prefix" ] || fail "$prefix cannot be written" \
    "sudo ./install.sh, or PREFIX=\$HOME/.local ./install.sh"

for file in $files; do
    mode=644
    [ "$file" != bin/obdscan ] || mode=755
    install -D -m "$mode" "usr/$file" "$prefix/$file"
done
echo "obdscan $said is in $prefix/bin"
if [ "$(id -u)" = 0 ]; then
    # Not where packages keep theirs, so that neither takes the other's away.
    install -D -m 644 "usr/lib/udev/rules.d/${rule##*/}" "$rule"
    mkdir -p /etc/systemd/user /etc/systemd/system
    for unit in $units; do
        # As a word for the service manager, in which % begins a specifier; awk takes it as it is.
        PROGRAM="\"$(printf %s "$prefix/bin/obdscan" | sed 's/%/%%/g')\"" awk '{
            rest = $0; line = ""
            while (place = index(rest, "/usr/bin/obdscan")) {
                line = line substr(rest, 1, place - 1) ENVIRON["PROGRAM"]
                rest = substr(rest, place + length("/usr/bin/obdscan"))
            }
            print line rest
        }' "usr/lib/systemd/$unit" > "/etc/systemd/$unit"
        chmod 644 "/etc/systemd/$unit"
    done
    reload
else
    echo "note: setup --log-when-plugged needs a udev rule, which only sudo ./install.sh installs"
fi
case ":$PATH:" in
    *":$prefix/bin:"*) ;;
    *) echo "hint: $prefix/bin is not in your PATH" ;;
esac
if ! id -nG | tr ' ' '\n' | grep -qx dialout && [ "$(id -u)" != 0 ]; then
    echo "hint: for USB adapters: sudo usermod -aG dialout $(id -un), then log in again"
fi
echo "next: obdscan setup"
