// A map, which gives the program a region of a buffer, or the unmap that takes it back. The buffer is where the program sees
// it already, so nothing is moved but what the commands say to touch.
#pragma once

#include "runtime/memory/transfers.h"

#include <utility>

namespace lockstep::runtime {

class MapChange : public NoWork {
public:
  struct Region {
    MemoryView memory;
    bool for_writing = false;
    bool is_box = false;    // of an image: not all of the bytes
    bool is_shared = false; // shared virtual memory: its unmap is that of any map that begins there
  };
  enum class Kind { begins, ends };

  MapChange(Kind kind, Region region)
      : NoWork(accesses_of(kind, region)), region_(std::move(region)), kind_(kind) {}
  const Region &region() const { return region_; }
  Kind kind() const { return kind_; }
  const MapChange *map_change() const override { return this; }

private:
  static Accesses accesses_of(Kind kind, const Region &region) {
    if (kind == Kind::begins)
      return {{region.memory, AccessMode::read}};
    return region.for_writing ? Accesses{{region.memory, AccessMode::write}} : Accesses();
  }

  const Region region_;
  const Kind kind_;
};

} // namespace lockstep::runtime
