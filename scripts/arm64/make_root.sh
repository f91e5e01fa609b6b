#!/bin/bash
# Makes the root folder of a Debian 12 for AArch64 from Debian's packages, and takes the emulator from another. It installs
# nothing on this machine and needs no root. The folder serves as the sysroot of the preset arm64, and enter.sh runs
# programs in it. A second call has nothing to do.
#   scripts/arm64/make_root.sh FOLDER     writes FOLDER, FOLDER.apt (apt's lists and downloads) and FOLDER.qemu
set -euo pipefail

[[ $# == 1 && $1 == /* ]] || { echo "usage: $0 FOLDER (an absolute path)" >&2; exit 2; }
root=$1 state=$1.apt emulator=$1.qemu
here=$(dirname "$(readlink -f "$0")")

# What Lockstep needs on any machine, without tools of developers and other OpenCL platforms; and a shell's programs.
unneeded='^(clang-format-22|clang-tidy-22|ninja-build|make|ccache|git|pkg-config|pocl-opencl-icd|gdb|libopenblas0-pthread|python3-pyopencl|python3-numpy)$'
mapfile -t packages < <("$here/../install_dependencies.sh" --list | grep -vE "$unneeded")
packages+=(coreutils bash dash grep sed findutils diffutils util-linux binutils procps libc-bin)

wanted="${packages[*]}"
if [[ -f $state/done && $(cat "$state/done") == "$wanted" ]]; then
  exit 0
fi

mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
: >"$state/status" # of dpkg: nothing is installed
key=/usr/share/keyrings/debian-archive-keyring.gpg
cat >"$state/sources.list" <<END
deb [signed-by=$key] http://deb.debian.org/debian bookworm main
deb [signed-by=$key] http://deb.debian.org/debian-security bookworm-security main
END

apt() {
  apt-get -o APT::Architecture="$1" -o APT::Architectures="$1" -o Dir::State="$state" -o Dir::State::status="$state/status" \
    -o Dir::State::lists="$state/lists" -o Dir::Cache="$state/cache" -o Dir::Etc::sourcelist="$state/sources.list" \
    -o Dir::Etc::sourceparts=- -o APT::Sandbox::User= -o Acquire::Languages=none -qq "${@:2}"
}

extract() { # FOLDER PACKAGE...: without documents
  for package in "${@:2}"; do
    dpkg-deb --fsys-tarfile "$package" |
      tar -x --no-same-owner --keep-directory-symlink -C "$1" --exclude=./usr/share/doc --exclude=./usr/share/man \
        --exclude=./usr/share/locale --exclude='./dev/*'
  done
}

echo "arm64: downloading Debian's packages (400 MB)"
apt arm64 update
apt arm64 install -y -d --no-install-recommends "${packages[@]}" >/dev/null
rm -rf "$root" "$emulator"
mkdir -p "$root"/usr/{bin,sbin,lib,include} "$emulator"
for folder in bin sbin lib include; do # include: clang names headers of C++ as lib/gcc/../../include
  ln -s usr/$folder "$root/$folder"
done
extract "$root" "$state"/cache/archives/*.deb
# Links must stay inside of the root for this machine's linker.
find "$root" -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
  ln -sfnr "$root$(readlink "$link")" "$link"
done
# What the packages' scripts would do.
mkdir -p "$root"/{proc,sys,dev,tmp}
printf 'root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n' >"$root/etc/passwd"
printf 'root:x:0:\nnogroup:x:65534:\n' >"$root/etc/group"

apt amd64 update
(cd "$emulator" && apt amd64 download qemu-user-static && extract . qemu-user-static_*.deb && rm qemu-user-static_*.deb)
echo "$wanted" >"$state/done"
