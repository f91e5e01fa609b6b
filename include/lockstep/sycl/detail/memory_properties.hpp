// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The properties of buffers and images, and the final destination of their data.
#pragma once

#include "sycl/context.hpp"
#include "sycl/detail/object.hpp"
#include "sycl/detail/standard.hpp"
#include "sycl/property_list.hpp"

#include <memory>

namespace sycl::detail {

class mutex_property : public property_base {
public:
  mutex_property(std::mutex &mutex) : mutex_(&mutex) {}
  std::mutex *get_mutex_ptr() const { return mutex_; }

private:
  std::mutex *mutex_;
};

class context_property : public property_base {
public:
  context_property(context bound) : context_(std::move(bound)) {}
  context get_context() const { return context_; }

private:
  context context_;
};

// True from the start in programs that call set_final_data or set_write_back, because these calls
// instantiate `leaves_host_memory`. In other programs, commands work directly on the memory that a
// buffer was made of. Here they cannot: after a command, the program may still declare that this
// memory must keep its old contents.
inline bool may_leave_host_memory = false;
template <class> struct leaves_host_memory {
  static inline const bool is_noted = may_leave_host_memory = true;
};
template <class Object> void note_left_host_memory() {
  (void)&leaves_host_memory<Object>::is_noted;
}

template <class UseHostPtr, class UseMutex, class ContextBound>
void read_properties(buffer_origin &origin, const property_list &properties) {
  origin.must_use_host |= properties.has_property<UseHostPtr>();
  origin.may_be_left = may_leave_host_memory;
  if (properties.has_property<UseMutex>())
    origin.guard = properties.get_property<UseMutex>().get_mutex_ptr();
  if (properties.has_property<ContextBound>())
    origin.bound = pointer_access::of(properties.get_property<ContextBound>().get_context());
}

template <class> inline constexpr bool is_weak_pointer = false;
template <class U> inline constexpr bool is_weak_pointer<std::weak_ptr<U>> = true;
template <class> inline constexpr bool is_shared_pointer = false;
template <class U> inline constexpr bool is_shared_pointer<std::shared_ptr<U>> = true;

// Returns a function that passes the final data to `copy`, together with the destination pointer or
// iterator. A shared pointer is held only weakly.
template <class Destination, class Copy>
std::function<void(const void *)> final_data(Destination to, Copy copy) {
  if constexpr (std::is_null_pointer_v<Destination>) {
    return nullptr;
  } else if constexpr (is_shared_pointer<Destination>) {
    return final_data(typename Destination::weak_type(to), copy);
  } else if constexpr (is_weak_pointer<Destination>) {
    return [to, copy](const void *data) {
      if (const auto shared = to.lock())
        copy(data, shared.get());
    };
  } else {
    if constexpr (std::is_pointer_v<Destination>)
      if (!to)
        return nullptr;
    return [to, copy](const void *data) { copy(data, to); };
  }
}

} // namespace sycl::detail
