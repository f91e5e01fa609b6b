// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The base of all SYCL classes with reference semantics (SYCL 2020, section 4.5.2): copies refer to
// the same object.
#pragma once

#include "sycl/detail/library.hpp"

namespace sycl::detail {

// The address that identifies an object.
template <class Interface> const void *identity_of(const std::shared_ptr<Interface> &of) {
  return of.get();
}
inline const void *identity_of(const event_pointer &of) {
  return of ? of->identity() : nullptr;
}

struct ownership;                              // ext/oneapi/weak_object.hpp
template <class Other> struct ownership_order; // also there

// SYCL 1.2.1: get(), and constructors from OpenCL handles (backend_interop.hpp).
template <class Class, class Handle> struct opencl_members;
template <class Handle, class Of>
using if_handle = std::enable_if_t<std::is_same_v<Handle, Of *>, int>;

template <class Derived, class Interface> class object {
public:
  using interface_type = Interface;

  // sycl_ext_oneapi_weak_object
  template <class Other> bool ext_oneapi_owner_before(const Other &other) const noexcept {
    return ownership_order<Other>::before(static_cast<const Derived &>(*this), other);
  }

  friend bool operator==(const Derived &a, const Derived &b) {
    return identity_of(static_cast<const object &>(a).shared_) ==
           identity_of(static_cast<const object &>(b).shared_);
  }
  friend bool operator!=(const Derived &a, const Derived &b) { return !(a == b); }

protected:
  object() = default;
  explicit object(std::shared_ptr<Interface> shared) : shared_(std::move(shared)) {}

  std::shared_ptr<Interface> shared_;

private:
  friend struct ownership;
  friend struct pointer_access;
};

// Gives the implementation access to an object's pointer, and makes objects from pointers.
struct pointer_access {
  template <class Derived, class Interface>
  static const std::shared_ptr<Interface> &of(const object<Derived, Interface> &one) {
    return one.shared_;
  }
  template <class Class, class Pointer> static Class make(Pointer pointer) {
    return Class(std::move(pointer));
  }
};

template <class Object> std::uint32_t count_references(const Object &to) {
  return static_cast<std::uint32_t>(pointer_access::of(to).use_count());
}

template <class Class, class Pointers> std::vector<Class> make_all(const Pointers &pointers) {
  std::vector<Class> objects;
  for (const auto &pointer : pointers)
    objects.push_back(pointer_access::make<Class>(pointer));
  return objects;
}

template <class Objects> auto pointers_of(const Objects &objects) {
  std::vector<std::decay_t<decltype(pointer_access::of(*objects.begin()))>> pointers;
  for (const auto &one : objects)
    pointers.push_back(pointer_access::of(one));
  return pointers;
}

template <class Class> struct hash_of_object {
  std::size_t operator()(const Class &one) const noexcept {
    return std::hash<const void *>()(identity_of(pointer_access::of(one)));
  }
};

} // namespace sycl::detail
