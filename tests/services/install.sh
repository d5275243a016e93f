#!/bin/sh
# Installs the services that some tests need: RabbitMQ, Redis, Chromium. Does nothing where they are installed.
# What cannot be installed is named on standard error; the exit status is then 1 if REQUIRE_SERVICES=1, else 0.
set -u

packages=""
wanted() {  # wanted PACKAGE PROGRAM...: remember the package unless one of its programs is there
    package=$1
    shift
    for program in "$@"; do
        if command -v "$program" >/dev/null 2>&1 || [ -x "$program" ]; then return; fi
    done
    packages="$packages $package"
}

look() {
    packages=""
    [ -n "${RABBITMQ_URL:-}${AMQP_URL:-}" ] || wanted rabbitmq-server rabbitmq-server /usr/lib/rabbitmq/bin/rabbitmq-server
    [ -n "${REDIS_URL:-}" ] || wanted redis-server redis-server
    [ -n "${CHROMIUM:-}" ] || wanted chromium chromium chromium-browser google-chrome
}

look
[ -n "$packages" ] || exit 0

log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! command -v apt-get >/dev/null 2>&1; then
    why="this is no Debian system"
elif [ "$(id -u)" -ne 0 ]; then
    why="only root may install packages"
else
    echo "installing for the tests:$packages"
    export DEBIAN_FRONTEND=noninteractive
    apt="apt-get -qq -o DPkg::Lock::Timeout=300"
    $apt update >"$log" 2>&1
    # one by one: a package that cannot be had does not cost the others
    for package in $packages; do
        $apt install --yes --no-install-recommends "$package" >>"$log" 2>&1 || tail -n 3 "$log" >&2
    done
    why="apt-get could not install it"
fi

look
[ -n "$packages" ] || exit 0
echo "missing, and the tests that need it are skipped:$packages ($why)" >&2
[ "${REQUIRE_SERVICES:-0}" != 1 ]
