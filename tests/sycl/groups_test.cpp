// Group functions and algorithms, compared with the same computed on the host.
#include <sycl/sycl.hpp>

#include "check.h"

#include <algorithm>

namespace {

using sycl::nd_item;
using sycl::nd_range;

constexpr std::size_t items = 96, local = 48; // not a power of two

template <class T> T value_of(std::size_t i) {
  return static_cast<T>(i * 7 % 13 + 1);
}
template <> sycl::half value_of(std::size_t i) { // sums are exact
  return static_cast<float>(i * 7 % 13) / 2 - 2.5f;
}

template <class T, class Function> void check_collectives(Function combine) {
  sycl::queue queue;
  T *out = sycl::malloc_shared<T>(items * 4, queue);
  unsigned *lanes = sycl::malloc_shared<unsigned>(items * 2, queue);
  queue
      .parallel_for(nd_range<1>(items, local),
                    [=](nd_item<1> me) {
                      const std::size_t i = me.get_global_id(0);
                      const T own = value_of<T>(i);
                      const auto group = me.get_group();
                      out[i * 4] = sycl::reduce_over_group(group, own, combine);
                      out[i * 4 + 1] = sycl::inclusive_scan_over_group(group, own, combine);
                      out[i * 4 + 2] = sycl::exclusive_scan_over_group(group, own, combine);
                      const sycl::sub_group sub_group = me.get_sub_group();
                      out[i * 4 + 3] = sycl::reduce_over_group(sub_group, own, combine);
                      lanes[i * 2] = sub_group.get_local_linear_id();
                      lanes[i * 2 + 1] = sub_group.get_local_linear_range();
                    })
      .wait();
  for (std::size_t begin = 0; begin < items; begin += local) {
    T scanned = sycl::known_identity_v<Function, T>;
    for (std::size_t i = begin; i < begin + local; ++i) {
      EXPECT_EQ(out[i * 4 + 2], scanned);
      scanned = static_cast<T>(combine(scanned, value_of<T>(i)));
      EXPECT_EQ(out[i * 4 + 1], scanned);
    }
    for (std::size_t i = begin; i < begin + local; ++i)
      EXPECT_EQ(out[i * 4], scanned);
  }
  for (std::size_t i = 0; i < items; ++i) {
    T reduced = sycl::known_identity_v<Function, T>;
    for (std::size_t lane = 0; lane < lanes[i * 2 + 1]; ++lane)
      reduced = static_cast<T>(combine(reduced, value_of<T>(i - lanes[i * 2] + lane)));
    EXPECT_EQ(out[i * 4 + 3], reduced);
  }
  sycl::free(out, queue);
  sycl::free(lanes, queue);
}

TEST(reductions_and_scans) {
  check_collectives<int>(sycl::plus<>());
  check_collectives<short>(sycl::maximum<>());
  check_collectives<signed char>(sycl::minimum<signed char>());
  check_collectives<unsigned long>(sycl::bit_or<unsigned long>());
  check_collectives<double>(sycl::minimum<double>());
  check_collectives<unsigned>(sycl::multiplies<>());
  check_collectives<sycl::half>(sycl::plus<>());
  check_collectives<sycl::half>(sycl::minimum<sycl::half>());
  check_collectives<sycl::half>(sycl::maximum<>());
}

// Elementwise, for groups of each kind and for ranges in memory.
template <class T> T whole_of(std::size_t i) {
  T whole;
  for (std::size_t k = 0; k < T::size(); ++k)
    whole[k] = value_of<typename T::value_type>(i * (k + 3) + k);
  return whole;
}
template <class T> bool equal_wholes(const T &a, const T &b) {
  for (std::size_t k = 0; k < T::size(); ++k)
    if (a[k] != b[k])
      return false;
  return true;
}
template <class T, class Function> T combine_wholes(Function combine, const T &a, const T &b) {
  T result;
  for (std::size_t k = 0; k < T::size(); ++k)
    result[k] = static_cast<typename T::value_type>(combine(a[k], b[k]));
  return result;
}

template <class T, class Function, class OfElement>
void check_wholes(Function combine, OfElement of_element, typename T::value_type identity) {
  namespace parts = sycl::ext::oneapi::experimental;
  constexpr std::size_t size = 40, longer = 100, results = 11;
  sycl::queue queue;
  T *out = sycl::malloc_shared<T>(size * results, queue),
    *in = sycl::malloc_shared<T>(longer, queue),
    *scanned = sycl::malloc_shared<T>(longer * 2, queue);
  unsigned *lanes = sycl::malloc_shared<unsigned>(size * 2, queue);
  for (std::size_t i = 0; i < longer; ++i)
    in[i] = whole_of<T>(i);
  const T start = whole_of<T>(1000);
  queue
      .parallel_for(nd_range<1>(size, size),
                    [=](nd_item<1> me) {
                      const std::size_t i = me.get_global_id(0);
                      const auto group = me.get_group();
                      const sycl::sub_group sub_group = me.get_sub_group();
                      const auto part = parts::get_fixed_size_group<2>(sub_group);
                      T *to = out + i * results;
                      to[0] = sycl::reduce_over_group(group, in[i], combine);
                      to[1] = sycl::reduce_over_group(group, in[i], start, combine);
                      to[2] = sycl::inclusive_scan_over_group(group, in[i], combine);
                      to[3] = sycl::inclusive_scan_over_group(group, in[i], combine, start);
                      to[4] = sycl::exclusive_scan_over_group(group, in[i], combine);
                      to[5] = sycl::exclusive_scan_over_group(group, in[i], start, combine);
                      to[6] = sycl::reduce_over_group(sub_group, in[i], combine);
                      to[7] = sycl::inclusive_scan_over_group(sub_group, in[i], combine);
                      to[8] = sycl::reduce_over_group(part, in[i], combine);
                      to[9] = sycl::joint_reduce(group, in, in + longer, combine);
                      to[10] = sycl::joint_reduce(group, in, in + longer, start, combine);
                      sycl::joint_inclusive_scan(group, in, in + longer, scanned, combine);
                      sycl::joint_exclusive_scan(group, in, in + longer, scanned + longer, start,
                                                 combine);
                      lanes[i * 2] = sub_group.get_local_linear_id();
                      lanes[i * 2 + 1] = sub_group.get_local_linear_range();
                    })
      .wait();
  const auto over = [&](std::size_t begin, std::size_t end, T value) {
    for (std::size_t i = begin; i < end; ++i)
      value = combine_wholes(of_element, value, in[i]);
    return value;
  };
  const T none(identity);
  int wrong = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t first = i - lanes[i * 2], last = first + lanes[i * 2 + 1];
    const std::size_t of_part = first + (i - first) / 2 * 2;
    const T wanted[results] = {over(0, size, none),
                               over(0, size, start),
                               over(0, i + 1, none),
                               over(0, i + 1, start),
                               over(0, i, none),
                               over(0, i, start),
                               over(first, last, none),
                               over(first, i + 1, none),
                               over(of_part, std::min(of_part + 2, last), none),
                               over(0, longer, none),
                               over(0, longer, start)};
    for (std::size_t k = 0; k < results; ++k)
      wrong += !equal_wholes(out[i * results + k], wanted[k]);
  }
  for (std::size_t i = 0; i < longer; ++i)
    wrong += !equal_wholes(scanned[i], over(0, i + 1, none)) +
             !equal_wholes(scanned[longer + i], over(0, i, start));
  EXPECT_EQ(wrong, 0);
  sycl::free(out, queue);
  sycl::free(in, queue);
  sycl::free(scanned, queue);
  sycl::free(lanes, queue);
}

TEST(algorithms_of_vec_and_marray) {
  check_wholes<sycl::int4>(sycl::plus<sycl::int4>(), std::plus<int>(), 0);
  check_wholes<sycl::vec<short, 3>>(sycl::maximum<>(), sycl::maximum<short>(),
                                    std::numeric_limits<short>::lowest());
  check_wholes<sycl::marray<float, 3>>(sycl::minimum<>(), sycl::minimum<float>(),
                                       std::numeric_limits<float>::infinity());
  check_wholes<sycl::marray<unsigned long, 5>>(sycl::bit_xor<>(), std::bit_xor<unsigned long>(), 0);
}

struct Pair { // three words
  long first;
  int second;
};

TEST(moves_between_work_items) {
  sycl::queue queue;
  Pair *out = sycl::malloc_shared<Pair>(items * 4, queue);
  unsigned *places = sycl::malloc_shared<unsigned>(items * 2, queue); // lane, lanes
  queue
      .parallel_for(nd_range<2>({2, items / 2}, {1, items / 2}),
                    [=](nd_item<2> me) {
                      const std::size_t i = me.get_global_linear_id();
                      const Pair own{static_cast<long>(i) << 33, static_cast<int>(i)};
                      const sycl::sub_group lanes = me.get_sub_group();
                      places[i * 2] = lanes.get_local_linear_id();
                      places[i * 2 + 1] = lanes.get_local_linear_range();
                      out[i * 4] = sycl::group_broadcast(me.get_group(), own, sycl::id<2>(0, 5));
                      out[i * 4 + 1] = sycl::group_broadcast(lanes, own);
                      out[i * 4 + 2] = sycl::shift_group_left(lanes, own);
                      out[i * 4 + 3] = sycl::select_from_group(
                          lanes, own, lanes.get_local_linear_range() - 1 - lanes.get_local_id()[0]);
                    })
      .wait();
  for (std::size_t i = 0; i < items; ++i) {
    const std::size_t lane = places[i * 2], lanes = places[i * 2 + 1], first = i - lane;
    EXPECT_EQ(out[i * 4].second, i / (items / 2) * (items / 2) + 5);
    EXPECT_EQ(out[i * 4 + 1].second, first);
    EXPECT_EQ(out[i * 4 + 1].first, static_cast<long>(first) << 33);
    if (lane + 1 < lanes)
      EXPECT_EQ(out[i * 4 + 2].second, i + 1);
    EXPECT_EQ(out[i * 4 + 3].second, first + lanes - 1 - lane);
  }
  sycl::free(out, queue);
  sycl::free(places, queue);
}

// Group objects that kernels store have the same content on the host.
template <int Dimensions> void check_stored(nd_range<Dimensions> all) {
  using group_type = sycl::group<Dimensions>;
  const std::size_t count = all.get_group_range().size();
  sycl::queue queue;
  auto *stored =
      static_cast<group_type *>(sycl::malloc_shared(2 * count * sizeof(group_type), queue));
  auto *differ = sycl::malloc_shared<bool>(count, queue);
  queue
      .parallel_for(all,
                    [=](nd_item<Dimensions> me) {
                      const group_type own = me.get_group();
                      stored[own.get_group_linear_id()] = own;
                    })
      .wait();
  queue
      .submit([&](sycl::handler &group) {
        group.parallel_for_work_group(
            all.get_group_range(), all.get_local_range(), [=](group_type own) {
              const std::size_t i = own.get_group_linear_id();
              differ[i] = own != stored[i] || own == stored[(i + 1) % count];
              new (&stored[count + i]) group_type(own);
            });
      })
      .wait();
  for (std::size_t i = 0; i < 2 * count; ++i) {
    const group_type &one = stored[i];
    std::size_t linear = 0;
    for (int d = 0; d < Dimensions; ++d) {
      linear = linear * all.get_group_range()[d] + one.get_group_id(d);
      EXPECT_EQ(one[d], one.get_group_id()[d]);
    }
    EXPECT_EQ(linear, i % count);
    EXPECT_EQ(one.get_group_linear_id(), i % count);
    EXPECT_EQ(one.get_group_linear_range(), count);
    EXPECT_EQ(one.get_local_linear_range(), all.get_local_range().size());
    EXPECT(one.get_group_range() == all.get_group_range());
    EXPECT(one.get_local_range() == all.get_local_range());
    EXPECT(one.get_max_local_range() == all.get_local_range());
    EXPECT(one.get_global_range() == all.get_global_range());
    EXPECT(one == stored[(i + count) % (2 * count)]);
    EXPECT(one != stored[(i + 1) % (2 * count)]);
    EXPECT(!differ[i % count]);
  }
  sycl::free(differ, queue);
  sycl::free(stored, queue);
}

TEST(stored_groups) {
  check_stored(nd_range<1>(35, 5));
  check_stored(nd_range<2>({6, 8}, {3, 2}));
  check_stored(nd_range<3>({4, 6, 10}, {2, 3, 2}));
}

// As in SYCL 1.2.1 and DPC++: in groups of one sub-group, whose order is known.
TEST(old_names) {
  constexpr unsigned lanes = 8;
  sycl::queue queue;
  unsigned *out = sycl::malloc_shared<unsigned>(items * 5, queue);
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
  queue
      .submit([&](sycl::handler &group) {
        sycl::local_accessor<unsigned> seen(lanes, group);
        group.parallel_for(nd_range<1>(items, lanes),
                           [=](nd_item<1> me) [[sycl::reqd_sub_group_size(lanes)]] {
                             const sycl::sub_group all = me.get_sub_group();
                             const unsigned i = me.get_local_id(0);
                             unsigned *own = out + me.get_global_id(0) * 5;
                             own[0] = all.shuffle(i * i, lanes - 1 - i);
                             own[1] = all.shuffle_down(i, 2);
                             own[2] = all.shuffle_up(i, 1);
                             own[3] = all.shuffle_xor(i, 5);
                             seen[i] = i + 100;
                             me.mem_fence(sycl::access::fence_space::local_space);
                             me.get_group().mem_fence<sycl::access::mode::read>();
                             all.barrier();
                             own[4] = seen[(i + 3) % lanes];
                           });
      })
      .wait();
#pragma clang diagnostic pop
  for (unsigned at = 0; at < items; ++at) {
    const unsigned i = at % lanes, *own = out + at * 5;
    EXPECT_EQ(own[0], (lanes - 1 - i) * (lanes - 1 - i));
    EXPECT(i + 2 >= lanes || own[1] == i + 2);
    EXPECT(i == 0 || own[2] == i - 1);
    EXPECT_EQ(own[3], i ^ 5);
    EXPECT_EQ(own[4], (i + 3) % lanes + 100);
  }
  sycl::free(out, queue);
}

// Two values for each work-item, as if there were twice as many; and the algorithms under their
// first names.
TEST(old_names_of_extensions) {
  namespace old = sycl::ONEAPI;
  static_assert(std::is_same_v<old::sub_group, sycl::sub_group>);
  constexpr unsigned lanes = 8, results = 12;
  sycl::queue queue;
  unsigned *out = sycl::malloc_shared<unsigned>(items * results, queue);
  unsigned *numbers = sycl::malloc_shared<unsigned>(items * 2, queue);
  for (unsigned i = 0; i < items; ++i)
    numbers[i] = i * 5 % 17 + 1;
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
  queue
      .parallel_for(
          nd_range<1>(items, lanes),
          [=](nd_item<1> me) [[sycl::reqd_sub_group_size(lanes)]] {
            const sycl::sub_group all = me.get_sub_group();
            const sycl::group<1> group = me.get_group();
            const unsigned i = unsigned(me.get_local_id(0)), first = 100 + i, second = 200 + i;
            const unsigned value = numbers[me.get_global_id(0)];
            unsigned *own = out + me.get_global_id(0) * results;
            const unsigned *begin = numbers + me.get_group(0) * lanes;
            own[0] = all.shuffle(first, second, (i * 3 + 2) % (2 * lanes));
            own[1] = all.shuffle_down(first, second, 5);
            own[2] = all.shuffle_up(first, second, 3);
            own[3] = all.shuffle_xor(first, second, 9);
            own[4] = old::reduce(group, value, old::plus<>());
            own[5] = old::reduce(all, value, 50u, old::maximum<unsigned>());
            own[6] = old::reduce(group, begin, begin + lanes, old::minimum<>());
            own[7] = old::exclusive_scan(group, value, old::plus<>());
            own[8] = old::inclusive_scan(all, value, old::plus<>(), 7u);
            own[9] = old::broadcast(group, value, 3) + old::broadcast(all, value);
            own[10] = old::any_of(group, value == 3) + 2 * old::all_of(all, value > 1) +
                      4 * old::none_of(group, value > 16) + 8 * old::leader(group);
            unsigned *scanned = numbers + items + me.get_group(0) * lanes;
            own[11] = unsigned(
                old::inclusive_scan(group, begin, begin + lanes, scanned, old::plus<>()) - scanned);
          })
      .wait();
#pragma clang diagnostic pop
  for (unsigned at = 0; at < items; ++at) {
    const unsigned i = at % lanes, *own = out + at * results, *group = numbers + (at - i);
    const auto element = [](unsigned j) { return j < lanes ? 100 + j : 200 + j - lanes; };
    EXPECT_EQ(own[0], element((i * 3 + 2) % (2 * lanes)));
    EXPECT_EQ(own[1], element(i + 5));
    EXPECT_EQ(own[2], element(lanes + i - 3));
    EXPECT_EQ(own[3], element(i ^ 9));
    unsigned sum = 0, before = 0, most = 0, least = 100;
    for (unsigned j = 0; j < lanes; ++j) {
      before += j < i ? group[j] : 0;
      sum += group[j];
      most = std::max(most, group[j]);
      least = std::min(least, group[j]);
    }
    EXPECT_EQ(own[4], sum);
    EXPECT_EQ(own[5], std::max(most, 50u));
    EXPECT_EQ(own[6], least);
    EXPECT_EQ(own[7], before);
    EXPECT_EQ(own[8], before + group[i] + 7);
    EXPECT_EQ(own[9], group[3] + group[0]);
    EXPECT_EQ(own[10], (std::count(group, group + lanes, 3u) != 0) + 2 * (least > 1) +
                           4 * (most <= 16) + 8 * (i == 0));
    EXPECT_EQ(own[11], lanes);
    EXPECT_EQ(numbers[items + at], before + group[i]);
  }
  sycl::free(numbers, queue);
  sycl::free(out, queue);
}

TEST(joint_algorithms) {
  constexpr std::size_t count = 333; // several blocks, the last one partial
  sycl::queue queue;
  int *in = sycl::malloc_shared<int>(count, queue),
      *scanned = sycl::malloc_shared<int>(count, queue);
  int *results = sycl::malloc_shared<int>(4, queue);
  for (std::size_t i = 0; i < count; ++i)
    in[i] = value_of<int>(i);
  queue
      .parallel_for(nd_range<1>(local, local),
                    [=](nd_item<1> me) {
                      const auto group = me.get_group();
                      const int sum = sycl::joint_reduce(group, in, in + count, sycl::plus<>());
                      const bool any =
                          sycl::joint_any_of(group, in, in + count, [](int x) { return x == 13; });
                      const bool all =
                          sycl::joint_all_of(group, in, in + count, [](int x) { return x < 13; });
                      const bool none =
                          sycl::joint_none_of(group, in, in + count, [](int x) { return x > 13; });
                      sycl::joint_inclusive_scan(group, in, in + count, scanned, sycl::plus<>());
                      if (group.leader()) {
                        results[0] = sum;
                        results[1] = any;
                        results[2] = all;
                        results[3] = none;
                      }
                    })
      .wait();
  int sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += in[i];
    EXPECT_EQ(scanned[i], sum);
  }
  EXPECT_EQ(results[0], sum);
  EXPECT_EQ(results[1], 1);
  EXPECT_EQ(results[2], 0);
  EXPECT_EQ(results[3], 1);
  for (void *memory :
       {static_cast<void *>(in), static_cast<void *>(scanned), static_cast<void *>(results)})
    sycl::free(memory, queue);
}

// Sums of bytes can exceed a byte: the accumulator has the type of the results.
TEST(scans_into_another_type) {
  constexpr std::size_t count = 100;
  sycl::queue queue;
  auto *in = sycl::malloc_shared<unsigned char>(count, queue);
  int *out = sycl::malloc_shared<int>(count * 3, queue);
  for (std::size_t i = 0; i < count; ++i)
    in[i] = static_cast<unsigned char>(i * 37 % 200);
  queue
      .parallel_for(
          nd_range<1>(local, local),
          [=](nd_item<1> me) {
            const auto group = me.get_group();
            sycl::joint_inclusive_scan(group, in, in + count, out, sycl::plus<>());
            sycl::joint_exclusive_scan(group, in, in + count, out + count, sycl::plus<>());
            sycl::joint_exclusive_scan(group, in, in + count, out + 2 * count, sycl::maximum<>());
          })
      .wait();
  int sum = 0, most = std::numeric_limits<int>::lowest();
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(out[count + i], sum);
    EXPECT_EQ(out[2 * count + i], most);
    sum += in[i];
    most = std::max<int>(most, in[i]);
    EXPECT_EQ(out[i], sum);
  }
  sycl::free(in, queue);
  sycl::free(out, queue);
}

} // namespace
