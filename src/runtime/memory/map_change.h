// A map, which gives the program access to a region of a buffer, or the unmap that ends the access.
// The program uses the buffer's own memory, so nothing moves except what the accesses require.
#pragma once

#include "runtime/memory/transfers.h"

#include <utility>

namespace lockstep::runtime {

class MapChange : public NoWork {
public:
  struct Region {
    MemoryView memory;
    bool for_writing = false;
    bool is_box = false; // a region of an image that does not include all bytes of the range
    // shared virtual memory: an unmap ends any map that begins at the same address
    bool is_shared = false;
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
