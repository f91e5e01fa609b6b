// sycl_ext_oneapi_group_sort: sorts of groups and sub-groups, compared with std::sort.
// sycl_ext_oneapi_user_defined_reductions: reductions in scratch memory, compared with a loop.
#include <sycl/sycl.hpp>

#include "check.h"

#include <sycl/ext/oneapi/experimental/group_sort.hpp>
#include <sycl/ext/oneapi/experimental/user_defined_reductions.hpp>

#include <algorithm>
#include <random>
#include <vector>

namespace {

namespace oneapi = sycl::ext::oneapi::experimental;
using sycl::memory_scope;

template <class T> std::vector<T> some_values(std::size_t count) {
  std::mt19937 random{static_cast<unsigned>(count)};
  std::vector<T> values(count);
  for (T &one : values)
    one = T(int(random() % 199) - (std::is_signed_v<T> ? 99 : 0)); // with duplicates
  return values;
}

// The source index of each value in a stable sort.
template <class T, class Before>
std::vector<std::size_t> stable_order(const std::vector<T> &values, std::size_t first,
                                      std::size_t last, Before before) {
  std::vector<std::size_t> places;
  for (std::size_t i = first; i < last; ++i)
    places.push_back(i);
  std::sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
    return before(values[a], values[b]) || (!before(values[b], values[a]) && a < b);
  });
  return places;
}

// Runs `sort(item, scratch, data)` in groups of `size` on a copy of the values and returns the
// result.
template <class T, class Sort>
std::vector<T> sorted_on_device(std::vector<T> values, std::size_t groups, std::size_t size,
                                std::size_t scratch_bytes, Sort sort) {
  sycl::queue queue;
  {
    sycl::buffer<T> buffer(values.data(), sycl::range<1>(values.size()));
    queue.submit([&](sycl::handler &group) {
      sycl::accessor data(buffer, group);
      sycl::local_accessor<std::byte, 1> scratch(scratch_bytes, group);
      group.parallel_for(sycl::nd_range<1>(groups * size, size), [=](sycl::nd_item<1> item) {
        sort(item, sycl::span<std::byte>(&scratch[0], scratch_bytes), &data[0]);
      });
    });
  }
  return values;
}

TEST(groups_sort_memory) {
  const sycl::device device;
  for (const std::size_t count : {1, 2, 37, 64, 500}) {
    const auto values = some_values<float>(2 * count);
    const std::size_t bytes = oneapi::default_sorters::joint_sorter<>::memory_required<float>(
        device, memory_scope::work_group, count);
    const auto upwards = sorted_on_device(
        values, 2, 48, bytes, [=](sycl::nd_item<1> item, auto scratch, float *data) {
          float *const own = data + item.get_group(0) * count;
          oneapi::joint_sort(oneapi::group_with_scratchpad(item.get_group(), scratch), own,
                             own + count);
        });
    const auto downwards = sorted_on_device(
        values, 1, 48, bytes, [=](sycl::nd_item<1> item, auto scratch, float *data) {
          oneapi::joint_sort(item.get_group(), data, data + count,
                             oneapi::default_sorters::joint_sorter<std::greater<>>(scratch));
        });
    auto wanted = values;
    std::sort(wanted.begin(), wanted.begin() + count);
    std::sort(wanted.begin() + count, wanted.end());
    EXPECT(upwards == wanted);
    wanted = values;
    std::sort(wanted.begin(), wanted.begin() + count, std::greater<>());
    EXPECT(downwards == wanted);
  }
}

template <class T> void expect_bits_sorted() {
  using sorter = oneapi::radix_sorters::joint_sorter<T, oneapi::sorting_order::descending>;
  constexpr std::size_t count = 300;
  const auto values = some_values<T>(count);
  const auto got =
      sorted_on_device(values, 1, 32, sorter::memory_required(memory_scope::work_group, count),
                       [=](sycl::nd_item<1> item, auto scratch, T *data) {
                         oneapi::joint_sort(item.get_group(), data, data + count, sorter(scratch));
                       });
  auto wanted = values;
  std::sort(wanted.begin(), wanted.end(), std::greater<>());
  EXPECT(got == wanted);
}
TEST(numbers_are_sorted_by_their_bits) {
  expect_bits_sorted<signed char>();
  expect_bits_sorted<std::uint16_t>();
  expect_bits_sorted<int>();
  expect_bits_sorted<float>();
  expect_bits_sorted<double>();
  expect_bits_sorted<unsigned long>();
}

TEST(some_bits_decide_and_equal_ones_stay_in_order) {
  using sorter = oneapi::radix_sorters::joint_sorter<unsigned>;
  constexpr std::size_t count = 200;
  const auto values = some_values<unsigned>(count);
  const auto got =
      sorted_on_device(values, 1, 16, sorter::memory_required(memory_scope::work_group, count),
                       [=](sycl::nd_item<1> item, auto scratch, unsigned *data) {
                         oneapi::joint_sort(item.get_group(), data, data + count,
                                            sorter(scratch, std::bitset<32>(0x38)));
                       });
  const auto places = stable_order(values, 0, count,
                                   [](unsigned a, unsigned b) { return (a & 0x38) < (b & 0x38); });
  for (std::size_t i = 0; i < count; ++i)
    EXPECT_EQ(got[i], values[places[i]]);
}

TEST(work_items_sort_what_they_hold) {
  constexpr std::size_t size = 50;
  const auto values = some_values<int>(3 * size);
  const std::size_t bytes = oneapi::default_sorters::group_sorter<int>::memory_required(
      sycl::device(), memory_scope::work_group, size);
  const auto got =
      sorted_on_device(values, 3, size, bytes, [=](sycl::nd_item<1> item, auto scratch, int *data) {
        int &own = data[item.get_global_id(0)];
        const oneapi::group_with_scratchpad with(item.get_group(), scratch);
        own = oneapi::sort_over_group(with, own, std::greater<>());
        own = oneapi::sort_over_group(with, own); // the same scratch memory again
      });
  auto wanted = values;
  for (int group = 0; group < 3; ++group)
    std::sort(wanted.begin() + group * size, wanted.begin() + (group + 1) * size);
  EXPECT(got == wanted);
}

// `got`: the keys, followed by their original indices.
void expect_sorted_in_groups_of(std::size_t lanes, const std::vector<int> &values,
                                const std::vector<int> &got) {
  for (std::size_t first = 0; first < values.size(); first += lanes) {
    const auto places = stable_order(values, first, first + lanes, std::less<>());
    for (std::size_t i = 0; i < lanes; ++i) {
      EXPECT_EQ(got[first + i], values[places[i]]);
      EXPECT_EQ(values[got[values.size() + first + i]], got[first + i]);
    }
  }
}

// Each sub-group has its own part of `size` keys, with the values after them.
template <class Sorter, class Scratch>
void sort_in_sub_groups(sycl::nd_item<1> item, const Scratch &scratch, std::size_t bytes, int *data,
                        std::size_t size) {
  const auto own_lanes = item.get_sub_group();
  const sycl::span<std::byte> own(scratch.data() + bytes * own_lanes.get_group_linear_id(), bytes);
  const std::size_t at = item.get_local_id(0);
  const auto [key, value] =
      oneapi::sort_key_value_over_group(own_lanes, data[at], data[size + at], Sorter(own));
  data[at] = key;
  data[size + at] = value;
}

TEST(sub_groups_sort_keys_with_values) {
  constexpr std::size_t size = 64;
  using sorter = oneapi::default_sorters::group_key_value_sorter<int, int>;
  const std::size_t bytes = sorter::memory_required(sycl::device(), memory_scope::sub_group, size);
  auto values = some_values<int>(size);
  auto got = values;
  for (std::size_t i = 0; i < size; ++i)
    got.push_back(int(i)); // after the keys
  got.push_back(0);        // for the sub-group size
  got = sorted_on_device(got, 1, size, bytes * size,
                         [=](sycl::nd_item<1> item, auto scratch, int *data) {
                           sort_in_sub_groups<sorter>(item, scratch, bytes, data, size);
                           if (item.get_local_id(0) == 0)
                             data[2 * size] = int(item.get_sub_group().get_max_local_range()[0]);
                         });
  const std::size_t lanes = got[2 * size];
  EXPECT(lanes > 0 && size % lanes == 0);
  expect_sorted_in_groups_of(lanes, values, got);
}

TEST(sub_groups_of_a_required_size_sort_keys_with_values) {
  constexpr std::size_t size = 64, lanes = 16;
  using sorter = oneapi::default_sorters::group_key_value_sorter<int, int>;
  const std::size_t bytes = sorter::memory_required(sycl::device(), memory_scope::sub_group, lanes);
  auto values = some_values<int>(size);
  auto got = values;
  for (std::size_t i = 0; i < size; ++i)
    got.push_back(int(i)); // after the keys
  got = sorted_on_device(got, 1, size, bytes * (size / lanes),
                         [=](sycl::nd_item<1> item, auto scratch, int *data)
                             [[sycl::reqd_sub_group_size(lanes)]] {
                               sort_in_sub_groups<sorter>(item, scratch, bytes, data, size);
                             });
  expect_sorted_in_groups_of(lanes, values, got);
}

TEST(arrays_of_work_items_are_placed) {
  constexpr std::size_t size = 24, count = 5;
  using placement = oneapi::group_algorithm_data_placement;
  using sorter = oneapi::radix_sorters::group_sorter<int, oneapi::sorting_order::ascending, count>;
  const auto values = some_values<int>(size * count);
  auto wanted = values;
  std::sort(wanted.begin(), wanted.end());
  for (const bool striped : {false, true}) {
    const auto got = sorted_on_device(
        values, 1, size, sorter::memory_required(memory_scope::work_group, size),
        [=](sycl::nd_item<1> item, auto scratch, int *data) {
          const std::size_t own = item.get_local_id(0);
          int held[count];
          for (std::size_t i = 0; i < count; ++i)
            held[i] = data[own * count + i];
          const sycl::span<int, count> all(held, count);
          if (striped)
            oneapi::sort_over_group(
                item.get_group(), all, sorter(scratch),
                oneapi::properties{oneapi::output_data_placement<placement::striped>});
          else
            oneapi::sort_over_group(item.get_group(), all, sorter(scratch));
          for (std::size_t i = 0; i < count; ++i)
            data[own * count + i] = held[i];
        });
    for (std::size_t own = 0; own < size; ++own)
      for (std::size_t i = 0; i < count; ++i)
        EXPECT_EQ(got[own * count + i], wanted[striped ? i * size + own : own * count + i]);
  }
}

// A linear function. Composition is associative, not commutative, and has no known identity.
struct linear {
  unsigned factor, term;
  friend bool operator==(const linear &a, const linear &b) {
    return a.factor == b.factor && a.term == b.term;
  }
};
struct compose {
  linear operator()(const linear &a, const linear &b) const {
    return {a.factor * b.factor, a.term * b.factor + b.term};
  }
};

TEST(reductions_with_any_function) {
  sycl::queue queue;
  constexpr std::size_t groups = 3;
  for (const std::size_t size : {1, 7, 32, 100}) {
    std::vector<linear> values(groups * size);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = {unsigned(2 * i + 3), unsigned(i * i + 1)};
    auto *results = sycl::malloc_shared<linear>(4 * values.size(), queue);
    auto *sums = sycl::malloc_shared<int>(values.size(), queue);
    {
      sycl::buffer<linear> buffer(values.data(), sycl::range<1>(values.size()));
      queue.submit([&](sycl::handler &group) {
        sycl::accessor data(buffer, group, sycl::read_only);
        const std::size_t bytes = size * sizeof(linear);
        sycl::local_accessor<std::byte, 1> scratch(bytes + 1, group); // used from an odd address on
        group.parallel_for(sycl::nd_range<1>(groups * size, size), [=](sycl::nd_item<1> item) {
          const std::size_t at = item.get_global_id(0);
          const linear *all = &data[0], init{5, 9};
          const oneapi::group_with_scratchpad helper(item.get_group(),
                                                     sycl::span<std::byte>(&scratch[1], bytes));
          results[4 * at] = oneapi::reduce_over_group(helper, data[at], compose());
          results[4 * at + 1] = oneapi::reduce_over_group(helper, data[at], init, compose());
          results[4 * at + 2] = oneapi::joint_reduce(helper, all, all + 2 * size + 1, compose());
          results[4 * at + 3] = oneapi::joint_reduce(helper, all, all + size / 2, init, compose());
          sums[at] = oneapi::reduce_over_group(helper, int(at), 1000, sycl::plus<int>());
        });
      });
    }
    auto composed = [&](std::size_t first, std::size_t last, linear of) {
      for (std::size_t i = first; i < last; ++i)
        of = {of.factor * values[i].factor, of.term * values[i].factor + values[i].term};
      return of;
    };
    const linear none{1, 0}, init{5, 9};
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t begin = i / size * size;
      EXPECT(results[4 * i] == composed(begin, begin + size, none));
      EXPECT(results[4 * i + 1] == composed(begin, begin + size, init));
      EXPECT(results[4 * i + 2] == composed(0, 2 * size + 1, none));
      EXPECT(results[4 * i + 3] == composed(0, size / 2, init));
      EXPECT_EQ(sums[i], int(1000 + begin * size + size * (size - 1) / 2));
    }
    sycl::free(results, queue);
    sycl::free(sums, queue);
  }
}

TEST(reductions_of_sub_groups_with_any_function) {
  sycl::queue queue;
  constexpr std::size_t size = 64;
  auto *results = sycl::malloc_shared<linear>(size, queue);
  auto *first = sycl::malloc_shared<std::size_t>(size, queue);
  auto *count = sycl::malloc_shared<std::size_t>(size, queue);
  queue
      .submit([&](sycl::handler &group) {
        sycl::local_accessor<std::byte, 1> scratch(size * sizeof(linear), group);
        group.parallel_for(sycl::nd_range<1>(size, size), [=](sycl::nd_item<1> item) {
          const std::size_t at = item.get_global_id(0);
          const auto lanes = item.get_sub_group();
          first[at] = at - lanes.get_local_linear_id();
          count[at] = lanes.get_local_linear_range();
          const oneapi::group_with_scratchpad helper(
              lanes, sycl::span<std::byte>(&scratch[first[at] * sizeof(linear)],
                                           count[at] * sizeof(linear)));
          results[at] = oneapi::reduce_over_group(
              helper, linear{unsigned(2 * at + 3), unsigned(at)}, compose());
        });
      })
      .wait();
  for (std::size_t i = 0; i < size; ++i) {
    linear all{1, 0};
    for (std::size_t k = first[i]; k < first[i] + count[i]; ++k)
      all = {all.factor * unsigned(2 * k + 3), all.term * unsigned(2 * k + 3) + unsigned(k)};
    EXPECT(results[i] == all);
  }
  sycl::free(results, queue);
  sycl::free(first, queue);
  sycl::free(count, queue);
}

} // namespace
