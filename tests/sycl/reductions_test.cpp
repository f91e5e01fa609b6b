// Reductions, compared with loops on the host.
#include <sycl/sycl.hpp>

#include "check.h"

#include <algorithm>
#include <array>
#include <utility>

namespace {

using sycl::nd_item;
using sycl::nd_range;
using sycl::range;
using sycl::property::reduction::initialize_to_identity;

// Small whole numbers and halves: float sums of them are exact in any order.
template <class T> T value_of(std::size_t i) {
  return static_cast<T>(static_cast<T>(i * 7 % 23) / static_cast<T>(2) + static_cast<T>(1));
}

template <class T, class Combine> T expected(std::size_t count, T start, Combine combine) {
  for (std::size_t i = 0; i < count; ++i)
    start = static_cast<T>(combine(start, value_of<T>(i)));
  return start;
}

// With both forms of parallel_for, with and without the initial value.
template <class T, class Operation> void check_operation(Operation combine) {
  sycl::queue queue;
  T *const result = sycl::malloc_shared<T>(1, queue);
  for (const std::size_t count : {1, 63, 1000, 5003}) {
    *result = T(3);
    queue
        .parallel_for(range<1>(count), sycl::reduction(result, combine),
                      [=](sycl::id<1> i, auto &all) { all.combine(value_of<T>(i[0])); })
        .wait();
    EXPECT_EQ(*result, expected(count, T(3), combine));
    *result = T(3);
    queue
        .parallel_for(
            nd_range<1>(count * 3, count % 2 ? 3 : 24),
            sycl::reduction(result, combine, initialize_to_identity()),
            [=](nd_item<1> me, auto &all) { all.combine(value_of<T>(me.get_global_id(0))); })
        .wait();
    EXPECT_EQ(*result, expected(count * 3, sycl::known_identity_v<Operation, T>, combine));
  }
  sycl::free(result, queue);
}

TEST(known_operations) {
  check_operation<int>(sycl::plus<>());
  check_operation<float>(sycl::plus<float>());
  check_operation<double>(sycl::maximum<>());
  check_operation<unsigned char>(sycl::plus<>());
  check_operation<short>(sycl::minimum<short>());
  check_operation<long>(sycl::multiplies<>());
  check_operation<unsigned>(sycl::bit_and<>());
  check_operation<unsigned long>(sycl::bit_or<>());
  check_operation<int>(sycl::bit_xor<int>());
  check_operation<bool>(sycl::logical_and<>());
}

TEST(operators) {
  sycl::queue queue;
  unsigned *const r = sycl::malloc_shared<unsigned>(6, queue);
  const unsigned starts[] = {5, 1, ~0u, 0, 9, 100};
  std::copy(starts, starts + 6, r);
  const std::size_t count = 777;
  queue
      .parallel_for(
          range<1>(count), sycl::reduction(r, sycl::plus<>()),
          sycl::reduction(r + 1, sycl::multiplies<>()), sycl::reduction(r + 2, sycl::bit_and<>()),
          sycl::reduction(r + 3, sycl::bit_or<>()), sycl::reduction(r + 4, sycl::bit_xor<>()),
          sycl::reduction(r + 5, sycl::plus<unsigned>()),
          [=](sycl::item<1> at, auto &sum, auto &product, auto &bits, auto &any, auto &odd,
              auto &number) {
            const auto i = static_cast<unsigned>(at[0]);
            sum += i;
            product *= 2 * i + 1;
            bits &= ~(i & 0x20) | 0xff00;
            any |= i << 4;
            odd ^= i * i;
            if (i % 3 == 0)
              ++number;
          })
      .wait();
  unsigned want[6];
  std::copy(starts, starts + 6, want);
  for (unsigned i = 0; i < count; ++i) {
    want[0] += i, want[1] *= 2 * i + 1, want[2] &= ~(i & 0x20) | 0xff00, want[3] |= i << 4;
    want[4] ^= i * i, want[5] += i % 3 == 0;
  }
  for (int k = 0; k < 6; ++k)
    EXPECT_EQ(r[k], want[k]);
  sycl::free(r, queue);
}

// Each work-item runs once, with its own id.
TEST(dimensions) {
  sycl::queue queue;
  using sizes = std::array<std::size_t, 3>;
  for (const sizes &size :
       {sizes{1, 1, 1}, sizes{7, 5, 3}, sizes{2, 3, 1001}, sizes{200, 1, 1}, sizes{3, 130, 65}}) {
    const std::size_t a = size[0], b = size[1], c = size[2];
    long sums[3] = {};
    std::vector<int> calls(a * b * c);
    {
      sycl::buffer<long> three(&sums[0], 1), two(&sums[1], 1), nd(&sums[2], 1);
      sycl::buffer<int> counted(calls.data(), calls.size());
      queue.submit([&](sycl::handler &group) {
        const sycl::accessor count(counted, group);
        const range<3> all(a, b, c);
        group.parallel_for(all, sycl::reduction(three, group, sycl::plus<>()),
                           [=](sycl::item<3> at, auto &sum) {
                             ++count[at.get_linear_id()];
                             sum += long(at[0] * 1000000 + at[1] * 1000 + at[2]);
                           });
      });
      queue.submit([&](sycl::handler &group) {
        group.parallel_for(range<2>(a, c), sycl::reduction(two, group, sycl::plus<>()),
                           [=](sycl::id<2> at, auto &sum) { sum += long(at[0] * 1000 + at[1]); });
      });
      queue.submit([&](sycl::handler &group) {
        group.parallel_for(nd_range<2>({a * 2, c * 3}, {2, 3}),
                           sycl::reduction(nd, group, sycl::plus<>()),
                           [=](nd_item<2> me, auto &sum) {
                             sum += long(me.get_global_id(0) * 1000 + me.get_global_id(1));
                           });
      });
    }
    const auto triangle = [](std::size_t n) { return long(n * (n - 1) / 2); };
    EXPECT_EQ(sums[0], triangle(a) * long(b * c) * 1000000 + triangle(b) * long(a * c) * 1000 +
                           triangle(c) * long(a * b));
    EXPECT_EQ(sums[1], triangle(a) * long(c) * 1000 + triangle(c) * long(a));
    EXPECT_EQ(sums[2], triangle(a * 2) * long(c * 3) * 1000 + triangle(c * 3) * long(a * 2));
    EXPECT_EQ(std::count(calls.begin(), calls.end(), 1), a * b * c);
  }
}

// A maximum and its position: not a number, no default constructor.
struct place {
  place(int value, unsigned long where) : value(value), where(where) {}
  int value;
  unsigned long where;
};
struct later_greatest {
  place operator()(const place &a, const place &b) const {
    return a.value != b.value ? (a.value > b.value ? a : b) : (a.where > b.where ? a : b);
  }
};
int height(std::size_t i) {
  return static_cast<int>(i * 7919 % 1009);
}

TEST(types_and_operators_of_the_program) {
  sycl::queue queue;
  place *const result = sycl::malloc_shared<place>(2, queue);
  for (const std::size_t count : {1, 40, 3003}) {
    place want(-1, 0);
    for (std::size_t i = 0; i < count; i += 2)
      want = later_greatest()(place(height(i), i), want);
    result[0] = result[1] = place(-1, 0);
    // Half of the work-items combine nothing: without an identity they have no value.
    queue
        .parallel_for(range<1>(count), sycl::reduction(result, later_greatest()),
                      [=](sycl::id<1> i, auto &all) {
                        if (i[0] % 2 == 0)
                          all.combine(place(height(i[0]), i[0]));
                      })
        .wait();
    result[1] = place(2000, 7); // not included
    queue
        .parallel_for(
            nd_range<1>(count * 2, 2),
            sycl::reduction(result + 1, place(-1, 0), later_greatest(), initialize_to_identity()),
            [=](nd_item<1> me, auto &all) {
              const std::size_t i = me.get_global_id(0) / 2;
              if (i % 2 == 0)
                all.combine(place(height(i), i));
            })
        .wait();
    for (int k = 0; k < 2; ++k) {
      EXPECT_EQ(result[k].value, want.value);
      EXPECT_EQ(result[k].where, want.where);
    }
  }
  sycl::free(result, queue);
}

// A pair is device copyable, but not trivially copyable.
TEST(pairs) {
  using Pair = std::pair<float, int>;
  sycl::queue queue;
  Pair *const result = sycl::malloc_shared<Pair>(2, queue);
  const auto value = [](std::size_t i) { return Pair(float(i * 37 % 1009), int(i)); };
  for (const std::size_t count : {1, 77, 2020}) {
    Pair want(2000.0f, -1);
    for (std::size_t i = 0; i < count; ++i)
      if (value(i).first < want.first)
        want = value(i);
    result[0] = result[1] = Pair(2000.0f, -1);
    queue
        .parallel_for(range<1>(count),
                      sycl::reduction(result, Pair(2000.0f, 0), sycl::minimum<Pair>()),
                      sycl::reduction(result + 1, sycl::minimum<Pair>()),
                      [=](sycl::id<1> i, auto &least, auto &same) {
                        least.combine(value(i[0]));
                        same.combine(value(i[0]));
                      })
        .wait();
    for (int k = 0; k < 2; ++k) {
      EXPECT_EQ(result[k].first, want.first);
      EXPECT_EQ(result[k].second, want.second);
    }
  }
  sycl::free(result, queue);
}

TEST(function_with_a_capture) {
  sycl::queue queue;
  int result = 1;
  const int modulus = 1000003;
  {
    sycl::buffer<int, 2> one(&result, range<2>(1, 1));
    queue.submit([&](sycl::handler &group) {
      const auto combine = [=](int a, int b) { return int(long(a) * b % modulus); };
      group.parallel_for(
          range<1>(2000), sycl::reduction(one, group, 1, combine),
          [=](sycl::id<1> i, auto &all) { all.combine(int(i[0] + 1)).combine(all.identity()); });
    });
  }
  long want = 1;
  for (int i = 1; i <= 2000; ++i)
    want = want * i % modulus;
  EXPECT_EQ(result, want);
}

TEST(variables_are_ordered_with_other_commands) {
  sycl::queue queue;
  int sum = 1000;
  {
    sycl::buffer<int> one(&sum, 1);
    for (int round = 0; round < 20; ++round) {
      queue.submit([&](sycl::handler &group) {
        group.parallel_for(100, sycl::reduction(one, group, sycl::plus<>()),
                           [=](sycl::id<1>, auto &all) { ++all; });
      });
      queue.submit([&](sycl::handler &group) {
        const sycl::accessor variable(one, group);
        group.single_task([=] { variable[0] *= 2; });
      });
    }
  }
  unsigned want = 1000; // int wraps in the same way
  for (int round = 0; round < 20; ++round)
    want = (want + 100) * 2;
  EXPECT_EQ(unsigned(sum), want);
}

TEST(an_empty_range_leaves_the_identity) {
  sycl::queue queue;
  int *const r = sycl::malloc_shared<int>(2, queue);
  r[0] = r[1] = 5;
  queue
      .parallel_for(range<1>(0), sycl::reduction(r, sycl::plus<>()),
                    sycl::reduction(r + 1, sycl::plus<>(), initialize_to_identity()),
                    [=](sycl::id<1>, auto &a, auto &b) { ++a, ++b; })
      .wait();
  EXPECT_EQ(r[0], 5);
  EXPECT_EQ(r[1], 0);
  sycl::free(r, queue);
}

#ifdef __cpp_lib_span
TEST(spans) {
  sycl::queue queue;
  int *const bins = sycl::malloc_shared<int>(8, queue);
  std::fill(bins, bins + 8, 10);
  const sycl::event first = queue.parallel_for(
      range<1>(999), sycl::reduction(sycl::span<int, 5>(bins, 5), sycl::plus<>()),
      [=](sycl::id<1> i, auto &histogram) {
        if (i[0] % 2)
          ++histogram[i[0] * i[0] % 5];
        else
          histogram[i[0] * i[0] % 5]++;
      });
  queue
      .parallel_for(nd_range<1>(90, 9), first,
                    sycl::reduction(sycl::span<int, 2>(bins + 5, 2),
                                    [](int a, int b) { return a > b ? a : b; }),
                    [=](nd_item<1> me, auto &greatest) {
                      const int i = int(me.get_global_id(0));
                      greatest[i % 2].combine(i);
                    })
      .wait();
  int want[8] = {10, 10, 10, 10, 10, 88, 89, 10};
  for (int i = 0; i < 999; ++i)
    ++want[i * i % 5];
  for (int k = 0; k < 8; ++k)
    EXPECT_EQ(bins[k], want[k]);
  sycl::free(bins, queue);
}
#endif

constexpr sycl::specialization_id<int> factor(2);

TEST(functions_that_take_a_kernel_handler) {
  sycl::queue queue;
  int *const sum = sycl::malloc_shared<int>(2, queue);
  sum[0] = sum[1] = 0;
  const sycl::event first = queue.submit([&](sycl::handler &group) {
    group.set_specialization_constant<factor>(5);
    group.parallel_for(range<1>(100), sycl::reduction(sum, sycl::plus<>()),
                       [=](sycl::item<1> me, auto &all, sycl::kernel_handler constants) {
                         all += int(me) * constants.get_specialization_constant<factor>();
                       });
  });
  queue
      .parallel_for(nd_range<1>(60, 6), first, sycl::reduction(sum + 1, sycl::plus<>()),
                    [=](nd_item<1>, auto &all, sycl::kernel_handler constants) {
                      all += constants.get_specialization_constant<factor>();
                    })
      .wait();
  EXPECT_EQ(sum[0], 4950 * 5);
  EXPECT_EQ(sum[1], 60 * 2);
  sycl::free(sum, queue);
}

TEST(items_without_offset) {
  sycl::queue queue;
  int *const sum = sycl::malloc_shared<int>(1, queue);
  *sum = 0;
  queue
      .parallel_for(range<2>(4, 5), sycl::reduction(sum, sycl::plus<>()),
                    [=](sycl::item<2, false> me, auto &all) { all += int(me.get_linear_id()); })
      .wait();
  EXPECT_EQ(*sum, 190);
  sycl::free(sum, queue);
}

// DPC++'s form before SYCL 2020. With both namespaces imported completely, `info` is unambiguous.
TEST(variables_of_accessors) {
  using namespace sycl;
  using namespace sycl::ONEAPI;
  queue queue;
  EXPECT(queue.get_device().get_info<info::device::max_compute_units>() > 0);
  int sum = 1000, least = -5;
  {
    buffer<int> of_sum(&sum, range<1>(1)), of_least(&least, range<1>(1));
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
    queue.submit([&](handler &group) {
      auto added = of_sum.get_access<access::mode::read_write>(group);
      group.parallel_for(nd_range<1>(100, 10), ONEAPI::reduction(added, 0, ONEAPI::plus<int>()),
                         [=](nd_item<1> me, auto &all) { all += int(me.get_global_id(0)); });
    });
    queue.submit([&](handler &group) { // discards the -5
      accessor<int, 0, access::mode::discard_write> lowest(of_least, group);
      group.parallel_for(
          nd_range<1>(100, 10), ONEAPI::reduction(lowest, ONEAPI::minimum<int>()),
          [=](nd_item<1> me, auto &all) { all.combine(7 + int(me.get_global_id(0))); });
    });
#pragma clang diagnostic pop
  }
  EXPECT_EQ(sum, 1000 + 4950);
  EXPECT_EQ(least, 7);
}

TEST(misuse_is_refused) {
  sycl::queue queue;
  sycl::buffer<int> two{range<1>(2)};
  int *const variable = sycl::malloc_shared<int>(1, queue);
  EXPECT_THROW(sycl::errc::invalid, "4.9.2.1", queue.submit([&](sycl::handler &group) {
    sycl::reduction(two, group, sycl::plus<>());
  }));
  EXPECT_THROW(
      sycl::errc::invalid, "4.9.2.2",
      sycl::reduction(variable, [](int a, int b) { return a + b; }, initialize_to_identity()));
  sycl::free(variable, queue);
}

} // namespace
