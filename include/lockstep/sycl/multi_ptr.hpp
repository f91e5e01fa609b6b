// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// multi_ptr (SYCL 2020, section 4.7.7): a pointer whose type names its address space. On the device
// it is a pointer in that address space, so the compiler can use this information. The host has one
// address space.
#pragma once

#include "sycl/access.hpp"
#include "sycl/detail/standard.hpp"

#include <cstddef>
#include <type_traits>

namespace sycl {

template <class T, int Dimensions, access_mode Mode, target Target, access::placeholder P>
class accessor;
template <class T, int Dimensions> class local_accessor;

using addrspace = access::address_space;
inline constexpr addrspace addrspace_global = addrspace::global_space;
inline constexpr addrspace addrspace_local = addrspace::local_space;
inline constexpr addrspace addrspace_private = addrspace::private_space;
inline constexpr addrspace addrspace_generic = addrspace::generic_space;

namespace detail {

template <class T, access::address_space Space> struct in_space {
  using type = T;
};
template <class T> struct without_space {
  using type = T;
};
#ifdef __SYCL_DEVICE_ONLY__
#define LOCKSTEP_SPACE(space, attribute)                                                           \
  template <class T> struct in_space<T, access::address_space::space> {                            \
    using type = __attribute__((attribute)) T;                                                     \
  };                                                                                               \
  template <class T> struct without_space<__attribute__((attribute)) T> {                          \
    using type = T;                                                                                \
  };                                                                                               \
  template <class T> struct without_space<const __attribute__((attribute)) T> {                    \
    using type = const T;                                                                          \
  };
LOCKSTEP_SPACE(global_space, opencl_global)
LOCKSTEP_SPACE(local_space, opencl_local)
LOCKSTEP_SPACE(private_space, opencl_private)
#undef LOCKSTEP_SPACE
#endif
template <class T, access::address_space Space>
using decorated_pointer = typename in_space<T, Space>::type *;

// Converts generic pointers to pointers in an address space and back.
template <class T, access::address_space Space> decorated_pointer<T, Space> decorate(T *pointer) {
  return (decorated_pointer<T, Space>)pointer;
}

} // namespace detail

template <class T> struct remove_decoration {
  using type = typename detail::without_space<T>::type;
};
template <class T> struct remove_decoration<T *> {
  using type = typename detail::without_space<T>::type *;
};
template <class T> struct remove_decoration<T *const> {
  using type = typename detail::without_space<T>::type *const;
};
template <class T> struct remove_decoration<T &> {
  using type = typename detail::without_space<T>::type &;
};
template <class T> using remove_decoration_t = typename remove_decoration<T>::type;

template <class T, access::address_space Space,
          access::decorated Decorated = access::decorated::legacy>
class multi_ptr;

namespace detail {

// In SYCL 1.2.1, pointers to constant memory have no `const`.
template <class T, access_mode Mode, target Target>
using accessed_through =
    std::conditional_t<Mode == access_mode::read && Target != constant_target, const T, T>;

// The accessors that a multi_ptr can be constructed from.
template <class T, class U>
inline constexpr bool is_element =
    (std::is_void_v<T> || std::is_same_v<std::remove_const_t<T>, std::remove_const_t<U>>) &&
    (std::is_const_v<T> || !std::is_const_v<U>);
template <access::address_space Space, access::address_space Of>
inline constexpr bool is_within = Space == Of || (Space == access::address_space::generic_space &&
                                                  Of != access::address_space::constant_space);
template <target Target>
inline constexpr access::address_space space_of_target =
    Target == local_target      ? access::address_space::local_space
    : Target == constant_target ? access::address_space::constant_space
                                : access::address_space::global_space;

// The address, the constructors and the comparisons that all kinds of multi_ptr share.
template <class Self, class T, access::address_space Space> class space_pointer {
public:
  static constexpr access::address_space address_space = Space;
  using value_type = T;
  using difference_type = std::ptrdiff_t;

  space_pointer() = default;
  space_pointer(std::nullptr_t) {}
  explicit space_pointer(decorated_pointer<T, Space> pointer) : pointer_(pointer) {}
  template <class U, int D, access_mode M, target G, access::placeholder P,
            std::enable_if_t<is_within<Space, space_of_target<G>> &&
                                 is_element<T, accessed_through<U, M, G>>,
                             int> = 0>
  space_pointer(const accessor<U, D, M, G, P> &of)
      : pointer_(decorate<T, Space>(static_cast<T *>(of.get_pointer().get_raw()))) {}
  template <class U, int D,
            std::enable_if_t<
                is_within<Space, access::address_space::local_space> && is_element<T, U>, int> = 0>
  space_pointer(const local_accessor<U, D> &of)
      : pointer_(decorate<T, Space>(static_cast<T *>(of.get_pointer().get_raw()))) {}

  T *get_raw() const { return (T *)pointer_; }
  decorated_pointer<T, Space> get_decorated() const { return pointer_; }

#define LOCKSTEP_COMPARING(op)                                                                     \
  friend bool operator op(const Self &a, const Self &b) { return a.get_raw() op b.get_raw(); }     \
  friend bool operator op(const Self &a, std::nullptr_t) {                                         \
    return a.get_raw() op static_cast<T *>(nullptr);                                               \
  }                                                                                                \
  friend bool operator op(std::nullptr_t, const Self &b) {                                         \
    return static_cast<T *>(nullptr) op b.get_raw();                                               \
  }
  LOCKSTEP_COMPARING(==)
  LOCKSTEP_COMPARING(!=)
  LOCKSTEP_COMPARING(<)
  LOCKSTEP_COMPARING(>)
  LOCKSTEP_COMPARING(<=)
  LOCKSTEP_COMPARING(>=)
#undef LOCKSTEP_COMPARING

protected:
  decorated_pointer<T, Space> pointer_ = nullptr;
};

// The further members of pointers to types other than void.
template <class Self, class T, access::address_space Space>
class element_pointer : public space_pointer<Self, T, Space> {
  using base = space_pointer<Self, T, Space>;

public:
  using iterator_category = std::random_access_iterator_tag;
  using base::base;

  // A hint without effect: the processor's caches prefetch better.
  template <access::address_space S = Space,
            std::enable_if_t<S == access::address_space::global_space, int> = 0>
  void prefetch(std::size_t) const {}

  friend Self &operator+=(Self &of, std::ptrdiff_t by) {
    of.pointer_ += by;
    return of;
  }
  friend Self &operator-=(Self &of, std::ptrdiff_t by) { return of += -by; }
  friend Self &operator++(Self &of) { return of += 1; }
  friend Self &operator--(Self &of) { return of -= 1; }
  friend Self operator++(Self &of, int) {
    const Self before = of;
    of += 1;
    return before;
  }
  friend Self operator--(Self &of, int) {
    const Self before = of;
    of -= 1;
    return before;
  }
  friend Self operator+(const Self &of, std::ptrdiff_t by) {
    Self result = of;
    return result += by;
  }
  friend Self operator-(const Self &of, std::ptrdiff_t by) { return of + -by; }
  friend std::ptrdiff_t operator-(const Self &a, const Self &b) {
    return a.get_raw() - b.get_raw();
  }
};

template <class Self, class T, access::address_space Space>
using pointer_base = std::conditional_t<std::is_void_v<T>, space_pointer<Self, T, Space>,
                                        element_pointer<Self, T, Space>>;

template <bool IsDecorated, class T, access::address_space Space>
using pointer_of =
    std::conditional_t<IsDecorated, decorated_pointer<T, Space>, std::add_pointer_t<T>>;

template <class T, access::address_space Space, bool IsDecorated> struct reference_of {
  using type = std::conditional_t<IsDecorated, typename in_space<T, Space>::type &, T &>;
};
template <access::address_space Space, bool IsDecorated>
struct reference_of<void, Space, IsDecorated> {
  using type = void;
};
template <access::address_space Space, bool IsDecorated>
struct reference_of<const void, Space, IsDecorated> {
  using type = void;
};

} // namespace detail

template <class T, access::address_space Space, access::decorated Decorated>
class multi_ptr : public detail::pointer_base<multi_ptr<T, Space, Decorated>, T, Space> {
  using base = detail::pointer_base<multi_ptr, T, Space>;
  static constexpr bool is_generic = Space == access::address_space::generic_space;
  static constexpr bool is_void = std::is_void_v<T>;
  using byte_like = std::conditional_t<is_void, char, T>; // allows members to be declared for void

public:
  static constexpr bool is_decorated = Decorated == access::decorated::yes;
  using pointer = detail::pointer_of<is_decorated, T, Space>;
  using reference = typename detail::reference_of<T, Space, is_decorated>::type;

  using base::base;
  multi_ptr() = default;

  multi_ptr &operator=(std::nullptr_t) { return *this = multi_ptr(); }
  template <access::address_space S, access::decorated D,
            std::enable_if_t<is_generic && S != access::address_space::constant_space &&
                                 S != Space && D != access::decorated::legacy,
                             int> = 0>
  multi_ptr &operator=(const multi_ptr<T, S, D> &other) {
    return *this = multi_ptr(detail::decorate<T, Space>(other.get_raw()));
  }

  pointer get() const {
    if constexpr (is_decorated)
      return this->get_decorated();
    else
      return this->get_raw();
  }
  operator pointer() const { return get(); }
  template <class U = T, std::enable_if_t<!std::is_void_v<U>, int> = 0>
  reference operator[](std::ptrdiff_t index) const {
    return get()[index];
  }
  template <class U = T, std::enable_if_t<!std::is_void_v<U>, int> = 0>
  reference operator*() const {
    return *get();
  }
  template <class U = T, std::enable_if_t<!std::is_void_v<U>, int> = 0> pointer operator->() const {
    return get();
  }

  // Converts from the generic address space: the program guarantees that the pointer is in this
  // one.
  template <
      class U, access::address_space S, access::decorated D,
      std::enable_if_t<is_generic && S != Space && S != access::address_space::constant_space &&
                           D != access::decorated::legacy && !is_void &&
                           (std::is_same_v<U, T> || std::is_same_v<U, const T>),
                       int> = 0>
  explicit operator multi_ptr<U, S, D>() const {
    return multi_ptr<U, S, D>(detail::decorate<U, S>(this->get_raw()));
  }
  // Converts to void, to const, and to all kinds of decoration.
  template <class U, access::decorated D,
            std::enable_if_t<!(std::is_same_v<U, T> && D == Decorated) &&
                                 (std::is_const_v<U> || !std::is_const_v<T>) &&
                                 (std::is_void_v<U> || std::is_same_v<U, const T> ||
                                  std::is_same_v<U, T>),
                             int> = 0>
  operator multi_ptr<U, Space, D>() const {
    return multi_ptr<U, Space, D>(detail::decorate<U, Space>(static_cast<U *>(this->get_raw())));
  }
  // Converts from void.
  template <
      class U, access::decorated D,
      std::enable_if_t<is_void && !std::is_void_v<U> && (std::is_const_v<U> || !std::is_const_v<T>),
                       int> = 0>
  explicit operator multi_ptr<U, Space, D>() const {
    return multi_ptr<U, Space, D>(detail::decorate<U, Space>(static_cast<U *>(this->get_raw())));
  }
};

// SYCL 1.2.1: converts implicitly from and to raw pointers.
template <class T, access::address_space Space>
class multi_ptr<T, Space, access::decorated::legacy>
    : public detail::pointer_base<multi_ptr<T, Space, access::decorated::legacy>, T, Space> {
  using base = detail::pointer_base<multi_ptr, T, Space>;

public:
  using element_type = T;
  using pointer_t = detail::decorated_pointer<T, Space>;
  using const_pointer_t = detail::decorated_pointer<const T, Space>;
  using reference_t = typename detail::reference_of<T, Space, true>::type;
  using const_reference_t = typename detail::reference_of<const T, Space, true>::type;
  // Member types of iterators.
  using pointer = pointer_t;
  using reference = reference_t;

  using base::base;
  multi_ptr() = default;
  template <class U, std::enable_if_t<std::is_convertible_v<U *, T *>, int> = 0>
  multi_ptr(U *pointer) : base(detail::decorate<T, Space>(static_cast<T *>(pointer))) {}

  multi_ptr &operator=(std::nullptr_t) { return *this = multi_ptr(); }

  friend bool operator==(const multi_ptr &a, T *const &b) { return a.get_raw() == b; }
  friend bool operator!=(const multi_ptr &a, T *const &b) { return a.get_raw() != b; }
  friend bool operator==(T *const &a, const multi_ptr &b) { return a == b.get_raw(); }
  friend bool operator!=(T *const &a, const multi_ptr &b) { return a != b.get_raw(); }

  pointer_t get() const { return this->get_decorated(); }
  operator T *() const { return this->get_raw(); }
  T *operator->() const { return this->get_raw(); }
  template <class U = T, std::enable_if_t<!std::is_void_v<U>, int> = 0> U &operator*() const {
    return *this->get_raw();
  }

  template <class U,
            std::enable_if_t<!std::is_same_v<U, T> && (std::is_const_v<U> || !std::is_const_v<T>) &&
                                 (std::is_void_v<U> || std::is_same_v<U, const T>),
                             int> = 0>
  operator multi_ptr<U, Space, access::decorated::legacy>() const {
    return multi_ptr<U, Space, access::decorated::legacy>(static_cast<U *>(this->get_raw()));
  }
  template <class U, std::enable_if_t<std::is_void_v<T> && !std::is_void_v<U> &&
                                          (std::is_const_v<U> || !std::is_const_v<T>),
                                      int> = 0>
  explicit operator multi_ptr<U, Space, access::decorated::legacy>() const {
    return multi_ptr<U, Space, access::decorated::legacy>(static_cast<U *>(this->get_raw()));
  }
  // Converts to the type that functions of SYCL 2020 take.
  template <access::decorated D, std::enable_if_t<D != access::decorated::legacy, int> = 0>
  operator multi_ptr<T, Space, D>() const {
    return multi_ptr<T, Space, D>(this->get_decorated());
  }
};

template <class T, int D, access_mode M, target G, access::placeholder P>
multi_ptr(const accessor<T, D, M, G, P> &)
    -> multi_ptr<typename accessor<T, D, M, G, P>::value_type, detail::space_of_target<G>,
                 access::decorated::no>;
template <class T, int D>
multi_ptr(const local_accessor<T, D> &)
    -> multi_ptr<T, access::address_space::local_space, access::decorated::no>;

template <class T, access::decorated D = access::decorated::legacy>
using global_ptr = multi_ptr<T, access::address_space::global_space, D>;
template <class T, access::decorated D = access::decorated::legacy>
using local_ptr = multi_ptr<T, access::address_space::local_space, D>;
template <class T>
using constant_ptr = multi_ptr<T, access::address_space::constant_space, access::decorated::legacy>;
template <class T, access::decorated D = access::decorated::legacy>
using private_ptr = multi_ptr<T, access::address_space::private_space, D>;
template <class T, access::decorated D = access::decorated::legacy>
using generic_ptr = multi_ptr<T, access::address_space::generic_space, D>;
#define LOCKSTEP_POINTERS(name)                                                                    \
  template <class T> using raw_##name##_ptr = name##_ptr<T, access::decorated::no>;                \
  template <class T> using decorated_##name##_ptr = name##_ptr<T, access::decorated::yes>;
LOCKSTEP_POINTERS(global)
LOCKSTEP_POINTERS(local)
LOCKSTEP_POINTERS(private)
LOCKSTEP_POINTERS(generic)
#undef LOCKSTEP_POINTERS

template <access::address_space Space, access::decorated Decorated, class T>
multi_ptr<T, Space, Decorated> address_space_cast(T *pointer) {
  return multi_ptr<T, Space, Decorated>(detail::decorate<T, Space>(pointer));
}
template <class T, access::address_space Space, access::decorated Decorated>
[[deprecated("use address_space_cast")]] multi_ptr<T, Space, Decorated> make_ptr(T *pointer) {
  return address_space_cast<Space, Decorated>(pointer);
}

} // namespace sycl
