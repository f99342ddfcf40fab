# Shared by ./run and ./check: installs what is missing and builds a preset. Everything it prints goes to stderr.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# The compiler cache is the user's, so that it outlives a build folder. Paths below the clone count as relative ones, and
# precompiled headers by their content.
export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
# olem uses one thread of OpenBLAS and has its own; the others that OpenBLAS would start take half of the time of a start.
export OPENBLAS_NUM_THREADS=1

fail() {
  echo "$1" >&2
  exit 1
}

# install_missing PACKAGE...: by Debian package name, as root or with sudo; nothing happens when all are there.
install_missing() {
  local missing
  missing=$(comm -23 <(printf '%s\n' "$@" | sort) \
    <(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2> /dev/null | sed -n 's/ installed$//p' | sort))
  [ -z "$missing" ] && return
  command -v apt-get > /dev/null || fail "Please install these packages or their like: ${missing//$'\n'/ }"
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo > /dev/null || fail "Please install these packages, or run this as root: ${missing//$'\n'/ }"
    as_root=(sudo)
  fi
  echo "Installing: ${missing//$'\n'/ }" >&2
  "${as_root[@]}" apt-get update -qq >&2 || fail "apt-get update failed."
  # shellcheck disable=SC2086 # one word per package
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >&2 ||
    fail "Installing the packages failed."
}

# packages NAME...: the packages listed in tools/packages-NAME.txt.
packages() {
  local name
  for name in "$@"; do grep -v '^#' "$root/tools/packages-$name.txt"; done
}

# configure PRESET ON|OFF: with or without the tests; nothing happens when it was done before.
configure() {
  cd "$root" || exit 1
  local cache="build/$1/CMakeCache.txt"
  if [ -f "build/$1/build.ninja" ] && { [ "$2" = OFF ] || grep -q 'OLEM_BUILD_TESTS:BOOL=ON' "$cache"; }; then return; fi
  cmake --preset "$1" "-DOLEM_BUILD_TESTS=$2" >&2 || fail "Configuring the $1 build failed."
}

# build PRESET TARGET...
build() {
  local preset=$1
  shift
  local log="build/$preset/last-build.log"
  if ! cmake --build "build/$preset" --target "$@" > "$log" 2>&1; then
    cat "$log" >&2
    fail "The $preset build failed."
  fi
}
