// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A subset of a sub-group's work-items as a group: the base of the groups in
// sycl_ext_oneapi_non_uniform_groups.
//
// Members are lanes, one bit each. Several subsets may execute at the same time, or only one of
// them while the other lanes are elsewhere. So all operations name the members: on a GPU, they may
// come one by one. Loops run over all lanes, so that no lane leaves them early.
#pragma once

#include "sycl/detail/collectives.hpp"
#include "sycl/functional.hpp"
#include "sycl/sub_group.hpp"

namespace sycl::detail {

class part_of_sub_group {
  using lanes = std::uint64_t;

public:
  using id_type = id<1>;
  using range_type = range<1>;
  using linear_id_type = std::uint32_t;
  static constexpr int dimensions = 1;
  static constexpr memory_scope fence_scope = memory_scope::sub_group;

  id<1> get_group_id() const { return number_; }
  id<1> get_local_id() const { return get_local_linear_id(); }
  range<1> get_group_range() const { return count_; }
  range<1> get_local_range() const { return get_local_linear_range(); }
  linear_id_type get_group_linear_id() const { return number_; }
  linear_id_type get_group_linear_range() const { return count_; }
  linear_id_type get_local_linear_id() const {
    return count_of(members_ & (bit(on_device::sub_group_local_id()) - 1));
  }
  linear_id_type get_local_linear_range() const { return count_of(members_); }
  bool leader() const { return get_local_linear_id() == 0; }

  // ---- used by group_functions.hpp and group_barrier.hpp

  // Returns the members for which the predicate holds.
  lanes members_with(bool predicate) const { return members_with(members_, predicate); }

  // Returns the value of a lane; any value if it is not a member.
  template <class T> T from_lane(const T &value, std::uint32_t lane) const {
    return collectives::moved(value, [members = members_, lane](unsigned word) {
      return on_device::shuffle_in_part(members, word, lane);
    });
  }

  void wait_for_members() const { on_device::part_of_sub_group_barrier(members_); }

  // Returns the lane of the member with this number, or the caller's own lane if there is none.
  std::uint32_t lane_of(std::uint32_t number) const {
    std::uint32_t found = on_device::sub_group_local_id();
    lanes rest = members_;
    for (std::uint32_t i = 0; rest; ++i, rest &= rest - 1)
      if (i == number)
        found = static_cast<std::uint32_t>(__builtin_ctzll(rest));
    return found;
  }

  template <collectives::shape Shape, class T, class Function>
  T collect(const T &value, Function combine) const {
    static_assert(has_known_identity_v<Function, T>,
                  "the operation is none of sycl's function objects (SYCL 2020 section 4.17.2)");
    T result = known_identity_v<Function, T>;
    const std::uint32_t own = on_device::sub_group_local_id();
    for (std::uint32_t lane = 0; lane < on_device::max_sub_group_size(); ++lane) {
      const T other = from_lane(value, lane);
      const bool is_before = Shape == collectives::shape::reduce || lane < own ||
                             (Shape == collectives::shape::inclusive && lane == own);
      if (is_before && (members_ & bit(lane)) != 0)
        result = combine(result, other);
    }
    return result;
  }

protected:
  part_of_sub_group(lanes members, std::uint32_t number, std::uint32_t count)
      : members_(members), number_(number), count_(count) {}

  // Returns the lanes that are active.
  static lanes active_lanes() {
#ifdef __SYCL_DEVICE_ONLY__
    const auto words = on_device::ballot(1);
    return words[0] | static_cast<lanes>(words[1]) << 32;
#else
    not_in_a_kernel();
#endif
  }
  // Returns the lanes that come to the call together.
  static lanes tangled_lanes() {
#ifdef __SYCL_DEVICE_ONLY__
    const auto words = on_device::tangle();
    return words[0] | static_cast<lanes>(words[1]) << 32;
#else
    not_in_a_kernel();
#endif
  }
  // Returns the work-items of the sub-group for which the predicate holds. All of them call it.
  static lanes lanes_with(bool predicate) {
    return members_with(~lanes(0) >> (64 - on_device::sub_group_size()), predicate);
  }

private:
  static lanes members_with(lanes members, bool predicate) {
#ifdef __SYCL_DEVICE_ONLY__
    const auto words = on_device::ballot_of_part(members, predicate);
    return words[0] | static_cast<lanes>(words[1]) << 32;
#else
    (void)members;
    (void)predicate;
    not_in_a_kernel();
#endif
  }
  static lanes bit(std::uint32_t lane) { return lanes(1) << lane; }
  static std::uint32_t count_of(lanes some) {
    return static_cast<std::uint32_t>(__builtin_popcountll(some));
  }

  lanes members_;
  std::uint32_t number_, count_;
};

template <class Group>
inline constexpr bool is_part_of_sub_group = std::is_base_of_v<part_of_sub_group, Group>;
template <class Group> using if_part = std::enable_if_t<is_part_of_sub_group<Group>, int>;

} // namespace sycl::detail
