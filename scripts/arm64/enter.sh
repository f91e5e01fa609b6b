#!/bin/bash
# Runs a command in the root folder that make_root.sh has made: AArch64 programs run under qemu-user, and their children too.
# The command sees the files of Debian for AArch64, and this machine's /tmp, /proc, /sys, /dev and source tree.
# It needs no root: the emulator is registered in a user namespace of its own (Linux 6.7 and later).
#   scripts/arm64/enter.sh FOLDER COMMAND [ARGUMENT...]
set -euo pipefail
root=$1
shift
source=$(readlink -f "$(dirname "$(readlink -f "$0")")/../..")

# shellcheck disable=SC2016
exec unshare --user --map-root-user --mount bash -euc '
  root=$1 source=$2
  shift 2
  mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
  head="\\x7fELF\\x02\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\xb7\\x00"
  mask="\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff"
  # F: the kernel opens the emulator now, so that it need not exist in the new root.
  printf "%s" ":lockstep-aarch64:M::$head:$mask:$root.qemu/usr/bin/qemu-aarch64-static:F" >/proc/sys/fs/binfmt_misc/register
  for folder in /proc /sys /dev /tmp "$source"; do
    mkdir -p "$root$folder"
    mount --rbind "$folder" "$root$folder"
  done
  exec chroot "$root" /usr/bin/env -C "$PWD" "$@"' sh "$root" "$source" "$@"
