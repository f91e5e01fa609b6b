// The base of every handle: dispatch pointer, two counts, and memory in which a stale handle can be
// recognised.
//
// A cl_context and its like are raw pointers that programs pass after release, before
// initialisation, or in place of another kind. The specification wants CL_INVALID_*; following a
// bad pointer would crash. Even the ICD loader reads the first word of whatever it is given, so a
// released object must keep a dispatch pointer there. Therefore:
//
//  - Handles live in chunks of 64 KiB (HandleMemory) that are never given back to the system. The
//    addresses of all chunks stand in one lock-free hash table. A pointer is ours if its chunk is in
//    the table, it is the place for an object in a slot, and the slot's kind is the one asked for.
//    The kind stands before the object and is an atomic as long as the process lives, since anybody
//    may ask at any time. A foreign pointer is never read.
//  - A freed slot has ObjectKind::none and a dispatch pointer, and is reused in the order of
//    release, and only after `slots_kept_free` others were freed. So a stale handle is found with certainty for a
//    while and with great likelihood later; a handle is a plain address, so a reused slot cannot be
//    told from its predecessor.
//
// Counts. `references` is the program's: clRetain/clRelease and CL_*_REFERENCE_COUNT. `uses` keeps
// the object alive: one for the program while references > 0, one for each Ref<> inside Lockstep (a
// queue uses its context, a command its buffers). The object is destroyed when `uses` reaches 0.
// Contexts, devices, programs, queues and memory objects stay valid handles while they are in use,
// because queries on other objects return them; kernels and events stop being valid with the
// program's last release.
#pragma once

#include <CL/cl_icd.h>

#include <atomic>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

namespace lockstep::opencl {

enum class ObjectKind : uint32_t {
  none,
  platform,
  device,
  context,
  queue,
  memory,
  program,
  kernel,
  event,
  sampler,
  command_buffer,
  mutable_command,
  semaphore,
  count
};

extern const cl_icd_dispatch icd_dispatch; // made from entry_points.def in icd.cpp

struct Object {
  const cl_icd_dispatch *dispatch = &icd_dispatch; // the first word: the ICD loader reads it
  std::atomic<uint32_t> references{1};
  std::atomic<uint32_t> uses{1};

  Object() = default;
  Object(const Object &) = delete;
  Object &operator=(const Object &) = delete;
};

// Memory for the handles of one kind. Thread-safe.
class HandleMemory {
public:
  static constexpr std::size_t alignment = 16;
  // For an object of `size` bytes. Throws std::bad_alloc.
  static void *allocate(ObjectKind kind, std::size_t size);
  static void announce(void *object, ObjectKind kind); // it is made: from here on a handle
  static void free(ObjectKind kind, void *object);     // is or was one
  // True if `pointer` is a live object of this kind. Follows no foreign pointer.
  static bool holds(const void *pointer, ObjectKind kind);
};

// What a handle type says about itself: `struct _cl_context : Object { static constexpr auto
// object_kind = ...; }`. `ends_with_last_release` is true where the handle is invalid once the
// program's count is 0 (kernels, events).
template <class T> constexpr bool ends_with_last_release = requires { T::ends_with_release; };

template <class T> bool is_valid(const T *handle) {
  if (!HandleMemory::holds(handle, T::object_kind) ||
      handle->uses.load(std::memory_order_relaxed) == 0) // its end is near
    return false;
  if constexpr (ends_with_last_release<T>)
    return handle->references.load(std::memory_order_relaxed) != 0;
  return true;
}

// Makes an object with references == uses == 1, owned by the program.
template <class T, class... Arguments> T *create_object(Arguments &&...arguments) {
  static_assert(alignof(T) <= HandleMemory::alignment);
  void *memory = HandleMemory::allocate(T::object_kind, sizeof(T));
  try {
    T *object = new (memory) T(std::forward<Arguments>(arguments)...);
    static_assert(std::is_base_of_v<Object, T> && !std::is_polymorphic_v<T>); // it stands first
    HandleMemory::announce(object, T::object_kind);
    return object;
  } catch (...) {
    HandleMemory::free(T::object_kind, memory);
    throw;
  }
}

template <class T> void add_use(T *object) {
  object->uses.fetch_add(1, std::memory_order_relaxed);
}

// False if the object is about to be destroyed. It must not be gone yet: its destructor waits for a lock that the caller
// holds.
template <class T> [[nodiscard]] bool try_add_use(T *object) {
  uint32_t uses = object->uses.load(std::memory_order_relaxed);
  while (uses != 0)
    if (object->uses.compare_exchange_weak(uses, uses + 1, std::memory_order_relaxed))
      return true;
  return false;
}

template <class T> void destroy_object(T *object) {
  object->~T();
  HandleMemory::free(T::object_kind, object);
}

// A type with a member end() says there when destroy_object is called.
template <class T> void drop_use(T *object) {
  if (object->uses.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  if constexpr (requires { object->end(); })
    object->end();
  else
    destroy_object(object);
}

// clRetain*: a first reference after 0 (a handle that a query returned) becomes a use again.
template <class T> void retain(T *object) {
  if (object->references.fetch_add(1, std::memory_order_acq_rel) == 0)
    add_use(object);
}

// clRelease*: false if the program holds no reference any more, which is an error of the program. A
// type with a member abandon() is told of the last one.
template <class T> [[nodiscard]] bool release(T *object) {
  uint32_t count = object->references.load(std::memory_order_relaxed);
  do {
    if (count == 0)
      return false;
  } while (!object->references.compare_exchange_weak(count, count - 1, std::memory_order_acq_rel));
  if (count != 1)
    return true;
  if constexpr (requires { object->abandon(); })
    object->abandon();
  drop_use(object);
  return true;
}

// A use held by Lockstep itself.
template <class T> class Ref {
public:
  Ref() = default;
  explicit Ref(T *object) : object_(object) {
    if (object_)
      add_use(object_);
  }
  // Null unless try_add_use().
  static Ref of_living(T *object) {
    Ref ref;
    if (object && try_add_use(object))
      ref.object_ = object;
    return ref;
  }
  Ref(const Ref &other) : Ref(other.object_) {}
  Ref(Ref &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref &operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_)
      drop_use(object_);
  }

  T *get() const { return object_; }
  T *operator->() const { return object_; }
  T &operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }

private:
  T *object_ = nullptr;
};

} // namespace lockstep::opencl
