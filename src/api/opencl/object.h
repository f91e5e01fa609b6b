// The base of every handle: two words that the ICD loader reads, two reference counts, and memory
// in which stale handles are recognized.
//
// Programs pass handles after release, before initialization, or as the wrong kind. The
// specification requires CL_INVALID_*, so a bad pointer must not be dereferenced. The ICD loader
// also reads the first two words of every handle, so a released object keeps them.
//
// - Handles are in chunks of 64 KiB (HandleMemory) that are never freed; a lock-free hash table has
//   their addresses. A pointer is a handle if its chunk is in the table, it is the object address
//   of a slot, and the slot has the requested kind. The kind is before the object, and is an atomic
//   that lives as long as the process, because it may be read at any time.
// - A freed slot has ObjectKind::none and the loader's two words. Slots are reused in the order of
//   release, after `slots_kept_free` others were freed. So a stale handle is detected with
//   certainty at first and very likely later.
//
// `references` is the program's count: clRetain, clRelease and CL_*_REFERENCE_COUNT. `uses` keeps
// the object alive: one for the program while references > 0, and one for each Ref<> inside
// Lockstep. Kernels, command buffers and semaphores become invalid handles with the program's last
// release. Other objects stay valid handles while they are in use, since queries return them.
#pragma once

#include <CL/cl_ext.h>
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

// The dispatch table, built from entry_points.def in icd.cpp. OpenCL 3.1 appends a slot that
// Debian's headers lack.
struct IcdDispatch : cl_icd_dispatch {
#ifndef CL_VERSION_3_1
  clGetKernelSuggestedLocalWorkSizeKHR_fn clGetKernelSuggestedLocalWorkSize;
#endif
};
extern const IcdDispatch icd_dispatch;
// The pointer that an ICD loader of version 2 stores in the platform (cl_khr_icd 2.0). Each new
// object carries it.
extern constinit std::atomic<void *> icd_dispatch_data;

// The words at the start of each handle that the ICD loader reads.
struct LoaderWords {
  const cl_icd_dispatch *dispatch = &icd_dispatch;
  std::atomic<void *> dispatch_data = icd_dispatch_data.load(std::memory_order_relaxed);
};

struct Object : LoaderWords {
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
  // Allocates memory for an object of `size` bytes. Throws std::bad_alloc.
  static void *allocate(ObjectKind kind, std::size_t size);
  // Makes a constructed object a valid handle.
  static void announce(void *object, ObjectKind kind);
  static void free(ObjectKind kind, void *object); // takes live objects and unannounced memory
  // Returns true if `pointer` is a live object of this kind. Does not dereference foreign pointers.
  static bool holds(const void *pointer, ObjectKind kind);
};

// Properties of a handle type: `struct _cl_context : Object { static constexpr auto object_kind =
// ...; }`. `ends_with_last_release` is true if the handle becomes invalid when the program's count
// reaches 0 (kernels, command buffers, semaphores).
template <class T> constexpr bool ends_with_last_release = requires { T::ends_with_release; };

template <class T> bool is_valid(const T *handle) {
  if (!HandleMemory::holds(handle, T::object_kind) ||
      handle->uses.load(std::memory_order_relaxed) == 0) // about to be destroyed
    return false;
  if constexpr (ends_with_last_release<T>)
    return handle->references.load(std::memory_order_relaxed) != 0;
  return true;
}

// Creates an object with references == uses == 1, owned by the program.
template <class T, class... Arguments> T *create_object(Arguments &&...arguments) {
  static_assert(alignof(T) <= HandleMemory::alignment);
  void *memory = HandleMemory::allocate(T::object_kind, sizeof(T));
  try {
    T *object = new (memory) T(std::forward<Arguments>(arguments)...);
    // The Object base must be at offset 0.
    static_assert(std::is_base_of_v<Object, T> && !std::is_polymorphic_v<T>);
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

// Returns false if the object is about to be destroyed. The memory must still be valid; the caller
// ensures this by holding a lock that the destructor waits for.
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

// A type with a member end() decides there when to call destroy_object().
template <class T> void drop_use(T *object) {
  if (object->uses.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  if constexpr (requires { object->end(); })
    object->end();
  else
    destroy_object(object);
}

// clRetain*: the first reference after 0 (to a handle that a query returned) becomes a use again.
template <class T> void retain(T *object) {
  if (object->references.fetch_add(1, std::memory_order_acq_rel) == 0)
    add_use(object);
}

// clRelease*: returns false if the program holds no reference, which is an error of the program.
// For the last reference it calls the member abandon(), if the type has one.
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

// A use that Lockstep itself holds.
template <class T> class Ref {
public:
  Ref() = default;
  explicit Ref(T *object) : object_(object) {
    if (object_)
      add_use(object_);
  }
  // Returns null if try_add_use() fails.
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
