// Base of objects with many short lives: each thread keeps the memory of some for later ones.
#pragma once

#include <cstddef>
#include <new>

namespace lockstep::runtime {

template <class Object> class Pooled {
public:
  static void *operator new(std::size_t size) {
    Free &free = spare();
    if (!free.first)
      return ::operator new(size);
    --free.count;
    Place *place = free.first;
    free.first = place->next;
    return place;
  }
  static void operator delete(void *memory) {
    Free &free = spare();
    if (free.count == most)
      return ::operator delete(memory);
    ++free.count;
    free.first = new (memory) Place{free.first};
  }

private:
  static constexpr std::size_t most = 1024;
  struct Place {
    Place *next;
  };
  struct Free {
    Place *first = nullptr;
    std::size_t count = 0;
    ~Free() {
      count = most; // memory that is freed after this is not kept
      for (Place *place = first; place;) {
        Place *next = place->next;
        ::operator delete(place);
        place = next;
      }
      first = nullptr;
    }
  };
  static Free &spare() {
    thread_local Free free;
    return free;
  }
};

} // namespace lockstep::runtime
