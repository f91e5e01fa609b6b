// Parts of sub-groups as groups (sycl_ext_oneapi_non_uniform_groups): each function is compared
// with a result computed from the members' values.
#include <sycl/sycl.hpp>

#include "check.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace {

namespace oneapi = sycl::ext::oneapi::experimental;
using ballot_group = oneapi::ballot_group<sycl::sub_group>;
using tangle_group = oneapi::tangle_group<sycl::sub_group>;

static_assert(sycl::is_group_v<ballot_group> && sycl::is_group_v<oneapi::opportunistic_group>);
static_assert(oneapi::is_user_constructed_group_v<tangle_group>);
static_assert(!oneapi::is_user_constructed_group_v<sycl::sub_group>);
static_assert(oneapi::is_fixed_topology_group_v<oneapi::root_group<2>>);
static_assert(!oneapi::is_fixed_topology_group_v<oneapi::fixed_size_group<4, sycl::sub_group>>);
static_assert(tangle_group::fence_scope == sycl::memory_scope::sub_group);

constexpr int items = 64;

// What a work-item observes of its group, and the results of the group's functions.
struct Seen {
  bool is_member;
  std::uint32_t sub_group, number, numbers, own, size, leader;
  int value, sum, before, upto, first, last, left, right, swapped, any, all, none, joint, neighbor;
  short least;
  float product;
};

template <class Group> void look(Seen &seen, const Group &of, const int *values, int *memory) {
  const std::uint32_t own = of.get_local_linear_id(), size = of.get_local_linear_range();
  seen.number = of.get_group_linear_id();
  seen.numbers = of.get_group_linear_range();
  seen.own = own;
  seen.size = size;
  seen.leader = of.leader();
  seen.sum = sycl::reduce_over_group(of, seen.value, sycl::plus<>());
  seen.before = sycl::exclusive_scan_over_group(of, seen.value, 1000, sycl::plus<int>());
  seen.upto = sycl::inclusive_scan_over_group(of, seen.value, sycl::maximum<int>());
  seen.least = sycl::reduce_over_group(of, static_cast<short>(seen.value), sycl::minimum<short>());
  seen.product = sycl::reduce_over_group(of, seen.value % 3 + 0.5f, sycl::multiplies<float>());
  seen.first = sycl::group_broadcast(of, seen.value);
  seen.last = sycl::group_broadcast(of, seen.value, size - 1);
  seen.left = sycl::shift_group_left(of, seen.value, 2);
  seen.right = sycl::shift_group_right(of, seen.value);
  seen.swapped = sycl::permute_group_by_xor(of, seen.value, 1);
  seen.any = sycl::any_of_group(of, seen.value == 3 || seen.value == 40);
  seen.all = sycl::all_of_group(of, seen.value, [](int value) { return value < 32; });
  seen.none = sycl::none_of_group(of, seen.value > 62);
  seen.joint = sycl::joint_reduce(of, values, values + items, sycl::plus<int>());
  memory[own] = seen.value;
  sycl::group_barrier(of);
  seen.neighbor = memory[(own + 1) % size];
}

template <class Work> std::vector<Seen> run(Work work) {
  sycl::queue queue;
  Seen *seen = sycl::malloc_shared<Seen>(items, queue);
  int *values = sycl::malloc_shared<int>(items, queue);
  int *memory = sycl::malloc_shared<int>(items * items, queue);
  for (int i = 0; i < items; ++i)
    values[i] = (i * 37 + 5) % items;
  std::fill_n(seen, items, Seen{});
  queue
      .parallel_for(sycl::nd_range<1>(items, items),
                    [=](sycl::nd_item<1> item) {
                      const sycl::sub_group lanes = item.get_sub_group();
                      Seen &mine = seen[item.get_global_linear_id()];
                      mine.sub_group = lanes.get_group_linear_id();
                      mine.value = values[item.get_global_linear_id()];
                      work(lanes, mine, [&](const auto &of, int part) {
                        mine.is_member = true;
                        look(mine, of, values,
                             memory + lanes.get_group_linear_id() * lanes.get_max_local_range()[0] +
                                 items * part);
                      });
                    })
      .wait();
  std::vector<Seen> result(seen, seen + items);
  for (void *one :
       {static_cast<void *>(seen), static_cast<void *>(values), static_cast<void *>(memory)})
    sycl::free(one, queue);
  return result;
}

// `group_of`: the group of a work-item, by its global index.
void expect(const std::vector<Seen> &all, const std::function<int(int)> &group_of) {
  for (int i = 0; i < items; ++i) {
    if (!all[i].is_member)
      continue;
    std::vector<int> members;
    int own = 0;
    for (int k = 0; k < items; ++k)
      if (all[k].is_member && all[k].sub_group == all[i].sub_group && group_of(k) == group_of(i)) {
        own = k == i ? int(members.size()) : own;
        members.push_back(all[k].value);
      }
    const int size = int(members.size());
    int sum = 0, before = 1000, upto = members[0];
    short least = 32767;
    float product = 1;
    bool any = false, are_all = true, none = true;
    for (int k = 0; k < size; ++k) {
      const int value = members[k];
      sum += value;
      before += k < own ? value : 0;
      upto = k <= own ? std::max(upto, value) : upto;
      least = std::min<short>(least, static_cast<short>(value));
      product *= value % 3 + 0.5f;
      any |= value == 3 || value == 40;
      are_all &= value < 32;
      none &= value <= 62;
    }
    const Seen &seen = all[i];
    EXPECT_EQ(seen.own, own);
    EXPECT_EQ(seen.size, size);
    EXPECT_EQ(seen.leader, own == 0);
    EXPECT_EQ(seen.sum, sum);
    EXPECT_EQ(seen.before, before);
    EXPECT_EQ(seen.upto, upto);
    EXPECT_EQ(seen.least, least);
    EXPECT_EQ(seen.product, product);
    EXPECT_EQ(seen.first, members.front());
    EXPECT_EQ(seen.last, members.back());
    if (own + 2 < size)
      EXPECT_EQ(seen.left, members[own + 2]);
    if (own > 0)
      EXPECT_EQ(seen.right, members[own - 1]);
    if ((own ^ 1) < size)
      EXPECT_EQ(seen.swapped, members[own ^ 1]);
    EXPECT_EQ(seen.any, any);
    EXPECT_EQ(seen.all, are_all);
    EXPECT_EQ(seen.none, none);
    EXPECT_EQ(seen.joint, items * (items - 1) / 2);
    EXPECT_EQ(seen.neighbor, members[(own + 1) % size]);
  }
}

TEST(groups_by_a_predicate) {
  const auto seen = run([](sycl::sub_group lanes, Seen &mine, auto look_at) {
    look_at(oneapi::get_ballot_group(lanes, mine.value % 3 == 0), mine.value % 3 == 0);
  });
  expect(seen, [&](int i) { return seen[i].value % 3 == 0; });
  for (const Seen &one : seen) {
    EXPECT_EQ(one.number, one.value % 3 == 0);
    EXPECT_EQ(one.numbers, 2);
  }
  const auto of_all = run([](sycl::sub_group lanes, Seen &, auto look_at) {
    look_at(oneapi::get_ballot_group(lanes, true), 0);
  });
  expect(of_all, [](int) { return 1; });
}

// The members come to the functions one by one, where the device lets them.
TEST(groups_in_branches) {
  const auto seen = run([](sycl::sub_group lanes, Seen &mine, auto look_at) {
    const bool is_third = mine.value % 3 == 0;
    const auto group = oneapi::get_ballot_group(lanes, is_third);
    if (is_third) {
      look_at(group, 1);
    } else {
      unsigned steps = 0;
      for (unsigned rest = static_cast<unsigned>(mine.value) + 1; rest != 1; ++steps)
        rest = rest % 2 ? 3 * rest + 1 : rest / 2;
      look_at(group, 0);
      mine.own += steps & 0x80000000u; // the loop has a result
    }
  });
  expect(seen, [&](int i) { return seen[i].value % 3 == 0; });
}

template <std::size_t Size> void groups_of() {
  const auto seen = run([](sycl::sub_group lanes, Seen &, auto look_at) {
    if (lanes.get_max_local_range()[0] >= Size)
      look_at(oneapi::get_fixed_size_group<Size>(lanes), lanes.get_local_linear_id() / Size);
  });
  expect(seen, [](int i) { return i / int(Size); });
}
TEST(groups_of_a_size) {
  groups_of<1>();
  groups_of<2>();
  groups_of<8>();
}

TEST(groups_of_those_that_are_here) {
  const auto odd = run([](sycl::sub_group lanes, Seen &mine, auto look_at) {
    if (mine.value & 1)
      look_at(oneapi::get_tangle_group(lanes), 0);
  });
  expect(odd, [](int) { return 0; });
  const auto members =
      std::count_if(odd.begin(), odd.end(), [](const Seen &one) { return one.is_member; });
  EXPECT_EQ(members, items / 2);
  // Two branches that do not run at the same time.
  const auto two = run([](sycl::sub_group lanes, Seen &mine, auto look_at) {
    if (mine.value < 20)
      look_at(oneapi::get_tangle_group(lanes), 0);
    else
      look_at(oneapi::this_kernel::get_opportunistic_group(), 1);
  });
  expect(two, [&](int i) { return two[i].value < 20; });
}

// Lanes diverge several times before they come to the call.
TEST(tangles_in_nested_branches) {
  const auto seen = run([](sycl::sub_group lanes, Seen &mine, auto look_at) {
    const int value = mine.value;
    if (value % 2 == 0 || value % 5 == 0) {
      if (value > 50)
        return;
      if (value % 3 == 0)
        mine.number = 1000;
      else
        look_at(oneapi::get_tangle_group(lanes), 0);
    }
  });
  expect(seen, [](int) { return 0; });
  for (const Seen &one : seen)
    EXPECT_EQ(one.is_member,
              (one.value % 2 == 0 || one.value % 5 == 0) && one.value <= 50 && one.value % 3 != 0);
}

// Each lane takes part as long as it is in the loop. Some iterations leave it elsewhere.
TEST(tangles_in_loops) {
  sycl::queue queue;
  constexpr int most = 7;
  int *counts = sycl::malloc_shared<int>(items * most, queue);
  int *sub_groups = sycl::malloc_shared<int>(items, queue);
  std::fill_n(counts, items * most, -1);
  queue
      .parallel_for(sycl::nd_range<1>(items, items),
                    [=](sycl::nd_item<1> item) {
                      const int own = int(item.get_global_linear_id());
                      const sycl::sub_group lanes = item.get_sub_group();
                      sub_groups[own] = int(lanes.get_group_linear_id());
                      for (int turn = 0; turn < own % most; ++turn) {
                        if (own % 11 == 5 && turn == 3)
                          break;
                        if ((own + turn) % 3 == 0)
                          continue;
                        const auto tangle = oneapi::get_tangle_group(lanes);
                        counts[own * most + turn] =
                            sycl::reduce_over_group(tangle, own, sycl::plus<int>());
                      }
                    })
      .wait();
  const auto comes = [](int own, int turn) {
    return turn < own % most && !(own % 11 == 5 && turn >= 3) && (own + turn) % 3 != 0;
  };
  for (int own = 0; own < items; ++own)
    for (int turn = 0; turn < most; ++turn) {
      int sum = 0;
      for (int other = 0; other < items; ++other)
        sum += sub_groups[other] == sub_groups[own] && comes(other, turn) ? other : 0;
      EXPECT_EQ(counts[own * most + turn], comes(own, turn) ? sum : -1);
    }
  sycl::free(counts, queue);
  sycl::free(sub_groups, queue);
}

TEST(the_device_says_that_it_has_them) {
  const sycl::device device;
  for (sycl::aspect aspect :
       {sycl::aspect::ext_oneapi_ballot_group, sycl::aspect::ext_oneapi_fixed_size_group,
        sycl::aspect::ext_oneapi_tangle_group, sycl::aspect::ext_oneapi_opportunistic_group})
    EXPECT(device.has(aspect));
  static_assert(sycl::any_device_has_v<sycl::aspect::ext_oneapi_tangle_group>);
}

} // namespace
