// Handles of objects that were made before fork(), in the child (docs/process_life.md). They are not valid there; a
// failing entry point says why, to the context that they were made in.
#pragma once

#include "api/opencl/object.h"

#include <CL/cl.h>

#include <cstddef>
#include <initializer_list>
#include <utility>

namespace lockstep::opencl {

// Memory for an object that is never freed, and that is valid in children of fork(), too.
void *allocate_permanent(ObjectKind kind, std::size_t size);

// An object that is never destroyed: the platform and its root devices.
template <class T, class... Arguments> T *create_permanent_object(Arguments &&...arguments) {
  void *memory = allocate_permanent(T::object_kind, sizeof(T));
  T *object = new (memory) T(std::forward<Arguments>(arguments)...);
  HandleMemory::announce(object, T::object_kind);
  return object;
}

// The kind of an object that lived in the process that forked this one, or in one before; else none.
ObjectKind inherited_kind(const void *pointer);

// Lives while an entry point runs in a child of fork().
class InheritedArgument {
public:
  // The first of the arguments that is such a handle is the one.
  explicit InheritedArgument(std::initializer_list<const void *> arguments);
  ~InheritedArgument();
  InheritedArgument(const InheritedArgument &) = delete;
  InheritedArgument &operator=(const InheritedArgument &) = delete;

  bool is_there() const { return handle_ != nullptr; }
  // Null if it has none. Only what does not change while it lives may be read: its locks may be held for ever.
  cl_context context() const;

  static const InheritedArgument *of_this_thread(); // null: the running entry point has none

private:
  const void *handle_ = nullptr;
  ObjectKind kind_ = ObjectKind::none;
  const InheritedArgument *outer_ = nullptr;
};

} // namespace lockstep::opencl
