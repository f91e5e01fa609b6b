// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sycl_khr_group_interface: work-groups, sub-groups and their work-items with uniform member names.
#pragma once

#include "sycl/group.hpp"
#include "sycl/sub_group.hpp"

#if __cplusplus >= 202302L && __has_include(<mdspan>)
#include <mdspan>
#endif

namespace sycl {

namespace detail {

#ifdef __cpp_lib_mdspan
// The members that use std::extents. Self provides extents() and extents_type.
#define LOCKSTEP_EXTENTS                                                                           \
  constexpr typename extents_type::index_type extent(typename extents_type::rank_type r)           \
      const noexcept {                                                                             \
    return extents().extent(r);                                                                    \
  }                                                                                                \
  static constexpr typename extents_type::rank_type rank() noexcept {                              \
    return extents_type::rank();                                                                   \
  }                                                                                                \
  static constexpr typename extents_type::rank_type rank_dynamic() noexcept {                      \
    return extents_type::rank_dynamic();                                                           \
  }                                                                                                \
  static constexpr std::size_t static_extent(typename extents_type::rank_type r) noexcept {        \
    return extents_type::static_extent(r);                                                         \
  }

template <class Extents, int Dimensions> Extents extents_of(const range<Dimensions> &size) {
  if constexpr (Dimensions == 1)
    return Extents(size[0]);
  else if constexpr (Dimensions == 2)
    return Extents(size[0], size[1]);
  else
    return Extents(size[0], size[1], size[2]);
}
template <class Index, int Dimensions>
using extents_of_ones = std::conditional_t<
    Dimensions == 1, std::extents<Index, 1>,
    std::conditional_t<Dimensions == 2, std::extents<Index, 1, 1>, std::extents<Index, 1, 1, 1>>>;
#endif

} // namespace detail

namespace khr {

template <int Dimensions = 1> class work_group {
public:
  using id_type = sycl::id<Dimensions>;
  using linear_id_type = std::size_t;
  using range_type = sycl::range<Dimensions>;
  using size_type = std::size_t;
  static constexpr int dimensions = Dimensions;
  static constexpr memory_scope fence_scope = memory_scope::work_group;

  work_group(const group<Dimensions> &of) noexcept : group_(of) {}
  operator group<Dimensions>() const noexcept { return group_; }

  id_type id() const noexcept { return group_.get_group_id(); }
  linear_id_type linear_id() const noexcept { return group_.get_group_linear_id(); }
  range_type range() const noexcept { return group_.get_group_range(); }
  size_type size() const noexcept { return group_.get_local_linear_range(); }
#ifdef __cpp_lib_mdspan
  using extents_type = std::dextents<std::size_t, Dimensions>;
  extents_type extents() const noexcept {
    return detail::extents_of<extents_type>(group_.get_local_range());
  }
  LOCKSTEP_EXTENTS
#endif

  friend bool operator==(const work_group &, const work_group &) { return true; }
  friend bool operator!=(const work_group &, const work_group &) { return false; }

private:
  group<Dimensions> group_;
};

class sub_group {
public:
  using id_type = sycl::id<1>;
  using linear_id_type = std::uint32_t;
  using range_type = sycl::range<1>;
  using size_type = std::uint32_t;
  static constexpr int dimensions = 1;
  static constexpr memory_scope fence_scope = memory_scope::sub_group;

  sub_group(const sycl::sub_group &of) noexcept : group_(of) {}
  operator sycl::sub_group() const noexcept { return group_; }

  id_type id() const noexcept { return group_.get_group_id(); }
  linear_id_type linear_id() const noexcept { return group_.get_group_linear_id(); }
  range_type range() const noexcept { return group_.get_group_range(); }
  size_type size() const noexcept { return group_.get_local_linear_range(); }
  size_type max_size() const noexcept {
    return static_cast<size_type>(group_.get_max_local_range()[0]);
  }
#ifdef __cpp_lib_mdspan
  using extents_type = std::dextents<std::uint32_t, 1>;
  extents_type extents() const noexcept { return extents_type(size()); }
  LOCKSTEP_EXTENTS
#endif

  friend bool operator==(const sub_group &, const sub_group &) { return true; }
  friend bool operator!=(const sub_group &, const sub_group &) { return false; }

private:
  sycl::sub_group group_;
};

template <class ParentGroup> class member_item;
template <class Group> member_item<Group> get_member_item(const Group &of) noexcept;

template <class ParentGroup> class member_item {
public:
  using id_type = typename ParentGroup::id_type;
  using linear_id_type = typename ParentGroup::linear_id_type;
  using range_type = typename ParentGroup::range_type;
  using size_type = typename ParentGroup::size_type;
  static constexpr int dimensions = ParentGroup::dimensions;
  static constexpr memory_scope fence_scope = memory_scope::work_item;

  id_type id() const noexcept { return parent().get_local_id(); }
  linear_id_type linear_id() const noexcept { return parent().get_local_linear_id(); }
  range_type range() const noexcept { return parent().get_local_range(); }
  constexpr size_type size() const noexcept { return 1; }
#ifdef __cpp_lib_mdspan
  using extents_type =
      detail::extents_of_ones<typename ParentGroup::extents_type::index_type, dimensions>;
  constexpr extents_type extents() const noexcept { return {}; }
  LOCKSTEP_EXTENTS
#endif

  friend bool operator==(const member_item &, const member_item &) { return true; }
  friend bool operator!=(const member_item &, const member_item &) { return false; }

private:
  friend member_item get_member_item<ParentGroup>(const ParentGroup &) noexcept;
  explicit member_item(const ParentGroup &of) : parent_(of) {}
  auto parent() const {
    if constexpr (std::is_same_v<ParentGroup, sub_group>)
      return static_cast<sycl::sub_group>(parent_);
    else
      return static_cast<group<dimensions>>(parent_);
  }
  ParentGroup parent_;
};
#ifdef LOCKSTEP_EXTENTS
#undef LOCKSTEP_EXTENTS
#endif

template <class Group> member_item<Group> get_member_item(const Group &of) noexcept {
  return member_item<Group>(of);
}

template <int Dimensions> bool leader_of(const work_group<Dimensions> &of) noexcept {
  return static_cast<group<Dimensions>>(of).leader();
}
inline bool leader_of(const sub_group &of) noexcept {
  return static_cast<sycl::sub_group>(of).leader();
}
template <class Group> bool leader_of(const member_item<Group> &) noexcept {
  return true; // the group has one member, its leader
}

} // namespace khr

} // namespace sycl
