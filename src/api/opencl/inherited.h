// Handles in the child of fork() whose objects were made before the fork (docs/process_life.md).
// They are not valid in the child. A failing entry point reports the reason to the context of the
// object.
#pragma once

#include "api/opencl/object.h"

#include <CL/cl.h>

#include <cstddef>
#include <initializer_list>
#include <utility>

namespace lockstep::opencl {

// Allocates memory for an object that is never freed and that stays valid in children of fork().
void *allocate_permanent(ObjectKind kind, std::size_t size);

// Creates an object that is never destroyed: the platform or a root device.
template <class T, class... Arguments> T *create_permanent_object(Arguments &&...arguments) {
  void *memory = allocate_permanent(T::object_kind, sizeof(T));
  T *object = new (memory) T(std::forward<Arguments>(arguments)...);
  HandleMemory::announce(object, T::object_kind);
  return object;
}

// Returns the kind of an object that an ancestor process made before fork(), else none.
ObjectKind inherited_kind(const void *pointer);

// Exists while an entry point runs in a child of fork().
class InheritedArgument {
public:
  // Stores the first argument that is an inherited handle.
  explicit InheritedArgument(std::initializer_list<const void *> arguments);
  ~InheritedArgument();
  InheritedArgument(const InheritedArgument &) = delete;
  InheritedArgument &operator=(const InheritedArgument &) = delete;

  bool is_there() const { return handle_ != nullptr; }
  // Returns null if the object has no context. The caller may only read members that never change,
  // because a lock of the object may stay locked forever.
  cl_context context() const;

  // Returns null if the running entry point has no inherited argument.
  static const InheritedArgument *of_this_thread();

private:
  const void *handle_ = nullptr;
  ObjectKind kind_ = ObjectKind::none;
  const InheritedArgument *outer_ = nullptr;
};

} // namespace lockstep::opencl
