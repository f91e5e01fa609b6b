#include "runtime/memory/transfer_name.h"

namespace lockstep::runtime {

const char *transfer_name(std::span<const Access> accesses) {
  bool reads_some = false, writes_some = false, from_host = false, to_host = false;
  for (const Access &access : accesses) {
    reads_some |= reads(access.mode);
    writes_some |= writes(access.mode);
    (reads(access.mode) ? from_host : to_host) |= !access.memory.buffer();
  }
  if (reads_some && writes_some)
    return from_host == to_host ? "copy" : from_host ? "write" : "read";
  return writes_some ? "fill" : reads_some ? "map" : "command";
}

} // namespace lockstep::runtime
