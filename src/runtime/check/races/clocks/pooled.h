// Base of objects with many short lives: memory of freed objects is kept for later ones. A thread
// has two lists of it, and exchanges full lists with other threads: what one thread makes, another
// one often frees.
#pragma once

#include "platform/linux/leaked.h"
#include "platform/linux/short_lock.h"

#include <cstddef>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace lockstep::runtime {

template <class Object> class Pooled {
public:
  static void *operator new(std::size_t size) {
    OfThread &free = own();
    if (!free.list.first && !free.take_list())
      return ::operator new(size);
    --free.list.count;
    return std::exchange(free.list.first, free.list.first->next);
  }
  static void operator delete(void *memory) {
    OfThread &free = own();
    if (free.list.count == in_list && !free.give_list())
      return ::operator delete(memory);
    ++free.list.count;
    free.list.first = new (memory) Place{free.list.first};
  }

private:
  static constexpr std::size_t in_list = 512, most_bytes = std::size_t(32) << 20; // of all threads
  struct Place {
    Place *next;
  };
  struct FreeList {
    Place *first = nullptr;
    std::size_t count = 0;
    void free() {
      for (Place *place = std::exchange(first, nullptr); place;) {
        Place *next = place->next;
        ::operator delete(place);
        place = next;
      }
    }
  };
  struct FullLists {
    ShortLock lock;
    std::vector<FreeList> lists;
  };
  static FullLists &full_lists() {
    return leaked<AfterFork::make_again>([] { return new FullLists; });
  }
  struct OfThread {
    FreeList list, other; // `other` is empty or full
    bool has_ended = false;
    bool take_list() {
      if (!other.first) {
        if (has_ended)
          return false;
        FullLists &all = full_lists();
        const std::lock_guard lock(all.lock);
        if (all.lists.empty())
          return false;
        other = all.lists.back();
        all.lists.pop_back();
      }
      list = std::exchange(other, {});
      return true;
    }
    // Makes room in `list`. Returns false if there is enough memory in all.
    bool give_list() {
      if (has_ended)
        return false;
      if (other.first) {
        FullLists &all = full_lists();
        const std::lock_guard lock(all.lock);
        if (all.lists.size() * in_list * sizeof(Object) >= most_bytes)
          return false;
        if (all.lists.size() == all.lists.capacity())
          try {
            all.lists.reserve(2 * all.lists.size() + 1);
          } catch (const std::bad_alloc &) {
            return false;
          }
        all.lists.push_back(other);
      }
      other = std::exchange(list, {});
      return true;
    }
    ~OfThread() {
      has_ended = true; // memory that is freed after this is not kept
      list.free();
      list.count = in_list;
      other.free();
    }
  };
  static OfThread &own() {
    thread_local OfThread all;
    return all;
  }
};

} // namespace lockstep::runtime
