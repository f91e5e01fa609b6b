// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Unified shared memory (SYCL 2020, section 4.8): allocation functions and usm_allocator.
#pragma once

#include "sycl/context.hpp"

namespace sycl {

class queue;

namespace usm {
enum class alloc : int { host, device, shared, unknown };
} // namespace usm

namespace detail {

struct usm_place {
  context_pointer context;
  device_pointer device;
};
template <class Queue> usm_place place_of(const Queue &of) {
  return {pointer_access::of(of.get_context()), pointer_access::of(of.get_device())};
}
inline usm_place place_of(const device &one, const context &of) {
  return {pointer_access::of(of), pointer_access::of(one)};
}

inline void *allocate(std::size_t alignment, std::size_t bytes, const usm_place &place,
                      usm::alloc kind) {
  return lockstep_sycl_library().allocate(bytes, alignment, place.context,
                                          kind == usm::alloc::host ? nullptr : place.device, kind);
}

// Saturates if the product overflows; such an allocation then fails for lack of memory.
template <class T> constexpr std::size_t bytes_of(std::size_t count) {
  return count > std::size_t(-1) / sizeof(T) ? std::size_t(-1) : count * sizeof(T);
}

template <class T> using if_queue = std::enable_if_t<std::is_same_v<T, queue>, int>;

} // namespace detail

// One set of functions for each kind of allocation. Sizes are in bytes, or with T in elements.
#define LOCKSTEP_USM(name, kind)                                                                   \
  inline void *name(std::size_t bytes, const device &one, const context &of,                       \
                    const property_list & = {}) {                                                  \
    return detail::allocate(0, bytes, detail::place_of(one, of), kind);                            \
  }                                                                                                \
  template <class T>                                                                               \
  T *name(std::size_t count, const device &one, const context &of, const property_list & = {}) {   \
    return static_cast<T *>(detail::allocate(alignof(T), detail::bytes_of<T>(count),               \
                                             detail::place_of(one, of), kind));                    \
  }                                                                                                \
  template <class Queue, detail::if_queue<Queue> = 0>                                              \
  void *name(std::size_t bytes, const Queue &of, const property_list & = {}) {                     \
    return detail::allocate(0, bytes, detail::place_of(of), kind);                                 \
  }                                                                                                \
  template <class T, class Queue, detail::if_queue<Queue> = 0>                                     \
  T *name(std::size_t count, const Queue &of, const property_list & = {}) {                        \
    return static_cast<T *>(                                                                       \
        detail::allocate(alignof(T), detail::bytes_of<T>(count), detail::place_of(of), kind));     \
  }
#define LOCKSTEP_ALIGNED_USM(name, kind)                                                           \
  inline void *name(std::size_t alignment, std::size_t bytes, const device &one,                   \
                    const context &of, const property_list & = {}) {                               \
    return detail::allocate(alignment, bytes, detail::place_of(one, of), kind);                    \
  }                                                                                                \
  template <class T>                                                                               \
  T *name(std::size_t alignment, std::size_t count, const device &one, const context &of,          \
          const property_list & = {}) {                                                            \
    return static_cast<T *>(detail::allocate(std::max(alignment, alignof(T)),                      \
                                             detail::bytes_of<T>(count),                           \
                                             detail::place_of(one, of), kind));                    \
  }                                                                                                \
  template <class Queue, detail::if_queue<Queue> = 0>                                              \
  void *name(std::size_t alignment, std::size_t bytes, const Queue &of,                            \
             const property_list & = {}) {                                                         \
    return detail::allocate(alignment, bytes, detail::place_of(of), kind);                         \
  }                                                                                                \
  template <class T, class Queue, detail::if_queue<Queue> = 0>                                     \
  T *name(std::size_t alignment, std::size_t count, const Queue &of, const property_list & = {}) { \
    return static_cast<T *>(detail::allocate(                                                      \
        std::max(alignment, alignof(T)), detail::bytes_of<T>(count), detail::place_of(of), kind)); \
  }
LOCKSTEP_USM(malloc_device, usm::alloc::device)
LOCKSTEP_USM(malloc_shared, usm::alloc::shared)
LOCKSTEP_ALIGNED_USM(aligned_alloc_device, usm::alloc::device)
LOCKSTEP_ALIGNED_USM(aligned_alloc_shared, usm::alloc::shared)
#undef LOCKSTEP_USM
#undef LOCKSTEP_ALIGNED_USM

inline void *malloc_host(std::size_t bytes, const context &of, const property_list & = {}) {
  return detail::allocate(0, bytes, {detail::pointer_access::of(of), nullptr}, usm::alloc::host);
}
template <class T>
T *malloc_host(std::size_t count, const context &of, const property_list & = {}) {
  return static_cast<T *>(detail::allocate(alignof(T), detail::bytes_of<T>(count),
                                           {detail::pointer_access::of(of), nullptr},
                                           usm::alloc::host));
}
template <class Queue, detail::if_queue<Queue> = 0>
void *malloc_host(std::size_t bytes, const Queue &of, const property_list & = {}) {
  return malloc_host(bytes, of.get_context());
}
template <class T, class Queue, detail::if_queue<Queue> = 0>
T *malloc_host(std::size_t count, const Queue &of, const property_list & = {}) {
  return malloc_host<T>(count, of.get_context());
}
inline void *aligned_alloc_host(std::size_t alignment, std::size_t bytes, const context &of,
                                const property_list & = {}) {
  return detail::allocate(alignment, bytes, {detail::pointer_access::of(of), nullptr},
                          usm::alloc::host);
}
template <class T>
T *aligned_alloc_host(std::size_t alignment, std::size_t count, const context &of,
                      const property_list & = {}) {
  return static_cast<T *>(
      aligned_alloc_host(std::max(alignment, alignof(T)), detail::bytes_of<T>(count), of));
}
template <class Queue, detail::if_queue<Queue> = 0>
void *aligned_alloc_host(std::size_t alignment, std::size_t bytes, const Queue &of,
                         const property_list & = {}) {
  return aligned_alloc_host(alignment, bytes, of.get_context());
}
template <class T, class Queue, detail::if_queue<Queue> = 0>
T *aligned_alloc_host(std::size_t alignment, std::size_t count, const Queue &of,
                      const property_list & = {}) {
  return aligned_alloc_host<T>(alignment, count, of.get_context());
}

// The kind is an argument. With T, sizes are in elements.
inline void *malloc(std::size_t bytes, const device &one, const context &of, usm::alloc kind,
                    const property_list & = {}) {
  return detail::allocate(0, bytes, detail::place_of(one, of), kind);
}
template <class T>
T *malloc(std::size_t count, const device &one, const context &of, usm::alloc kind,
          const property_list & = {}) {
  return static_cast<T *>(
      detail::allocate(alignof(T), detail::bytes_of<T>(count), detail::place_of(one, of), kind));
}
template <class Queue, detail::if_queue<Queue> = 0>
void *malloc(std::size_t bytes, const Queue &of, usm::alloc kind, const property_list & = {}) {
  return detail::allocate(0, bytes, detail::place_of(of), kind);
}
template <class T, class Queue, detail::if_queue<Queue> = 0>
T *malloc(std::size_t count, const Queue &of, usm::alloc kind, const property_list & = {}) {
  return static_cast<T *>(
      detail::allocate(alignof(T), detail::bytes_of<T>(count), detail::place_of(of), kind));
}
inline void *aligned_alloc(std::size_t alignment, std::size_t bytes, const device &one,
                           const context &of, usm::alloc kind, const property_list & = {}) {
  return detail::allocate(alignment, bytes, detail::place_of(one, of), kind);
}
template <class T>
T *aligned_alloc(std::size_t alignment, std::size_t count, const device &one, const context &of,
                 usm::alloc kind, const property_list & = {}) {
  return static_cast<T *>(detail::allocate(std::max(alignment, alignof(T)),
                                           detail::bytes_of<T>(count), detail::place_of(one, of),
                                           kind));
}
template <class Queue, detail::if_queue<Queue> = 0>
void *aligned_alloc(std::size_t alignment, std::size_t bytes, const Queue &of, usm::alloc kind,
                    const property_list & = {}) {
  return detail::allocate(alignment, bytes, detail::place_of(of), kind);
}
template <class T, class Queue, detail::if_queue<Queue> = 0>
T *aligned_alloc(std::size_t alignment, std::size_t count, const Queue &of, usm::alloc kind,
                 const property_list & = {}) {
  return static_cast<T *>(detail::allocate(std::max(alignment, alignof(T)),
                                           detail::bytes_of<T>(count), detail::place_of(of), kind));
}

inline void free(void *memory, const context &of) {
  lockstep_sycl_library().free(memory, detail::pointer_access::of(of));
}
template <class Queue, detail::if_queue<Queue> = 0> void free(void *memory, const Queue &of) {
  sycl::free(memory, of.get_context());
}

// An allocator for host containers whose memory kernels can use (section 4.8.4).
template <class T, usm::alloc Kind, std::size_t Alignment = 0> class usm_allocator {
  static_assert(Kind == usm::alloc::host || Kind == usm::alloc::shared,
                "the host must be able to use what an allocator gives");

public:
  using value_type = T;
  using propagate_on_container_copy_assignment = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;
  template <class U> struct rebind {
    using other = usm_allocator<U, Kind, Alignment>;
  };

  usm_allocator() = delete;
  usm_allocator(const context &of, const device &one, const property_list & = {})
      : place_(detail::place_of(one, of)) {}
  template <class Queue, detail::if_queue<Queue> = 0>
  usm_allocator(const Queue &of, const property_list & = {}) : place_(detail::place_of(of)) {}
  template <class U>
  usm_allocator(const usm_allocator<U, Kind, Alignment> &other) noexcept : place_(other.place_) {}

  T *allocate(std::size_t count) {
    void *memory =
        detail::allocate(std::max(Alignment, alignof(T)), detail::bytes_of<T>(count), place_, Kind);
    if (!memory)
      detail::raise(errc::memory_allocation, "a usm_allocator finds no memory");
    return static_cast<T *>(memory);
  }
  void deallocate(T *memory, std::size_t) { lockstep_sycl_library().free(memory, place_.context); }

  template <class U, usm::alloc K, std::size_t A>
  friend bool operator==(const usm_allocator &a, const usm_allocator<U, K, A> &b) {
    return K == Kind && A == Alignment && a.place_.context == b.place_.context &&
           a.place_.device == b.place_.device;
  }
  template <class U, usm::alloc K, std::size_t A>
  friend bool operator!=(const usm_allocator &a, const usm_allocator<U, K, A> &b) {
    return !(a == b);
  }

private:
  template <class, usm::alloc, std::size_t> friend class usm_allocator;
  detail::usm_place place_;
};

inline usm::alloc get_pointer_type(const void *memory, const context &of) {
  return lockstep_sycl_library().kind_of(memory, detail::pointer_access::of(of));
}
inline device get_pointer_device(const void *memory, const context &of) {
  return detail::pointer_access::make<device>(
      lockstep_sycl_library().device_of(memory, detail::pointer_access::of(of)));
}

} // namespace sycl
