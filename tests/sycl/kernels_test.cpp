// Kernels with a range or an ND-range: ids of work-items, and all kinds of memory.
#include <sycl/sycl.hpp>

#include "check.h"

#include <algorithm>
#include <array>

namespace {

using sycl::id;
using sycl::nd_item;
using sycl::nd_range;
using sycl::range;

struct Add {
  sycl::accessor<float, 1, sycl::access_mode::read> a, b;
  sycl::accessor<float, 1, sycl::access_mode::write> sum;
  void operator()(id<1> i) const { sum[i] = a[i] + b[i]; }
};

std::vector<float> counted(std::size_t size, float step) {
  std::vector<float> values(size);
  for (std::size_t i = 0; i < size; ++i)
    values[i] = static_cast<float>(i) * step;
  return values;
}

TEST(vector_add_by_function_object) {
  std::vector<float> a = counted(1000, 1), b = counted(1000, 2), sum(1000);
  {
    sycl::buffer<float> of_a(a), of_b(b), of_sum(sum);
    sycl::queue().submit([&](sycl::handler &group) {
      group.parallel_for(range(1000), Add{{of_a, group}, {of_b, group}, {of_sum, group}});
    });
  }
  for (std::size_t i = 0; i < 1000; ++i)
    EXPECT_EQ(sum[i], 3 * static_cast<float>(i));
}

TEST(vector_add_by_lambda_over_a_prime_number_of_items) {
  constexpr std::size_t count = 1009;
  std::vector<float> a = counted(count, 1), b = counted(count, 2), sum(count);
  {
    sycl::buffer of_a(a), of_b(b), of_sum(sum);
    sycl::queue().submit([&](sycl::handler &group) {
      sycl::accessor x(of_a, group, sycl::read_only), y(of_b, group, sycl::read_only);
      sycl::accessor z(of_sum, group, sycl::write_only, sycl::no_init);
      group.parallel_for<class named>(count, [=](auto i) { z[i] = x[i] + y[i]; });
    });
  }
  for (std::size_t i = 0; i < count; ++i)
    EXPECT_EQ(sum[i], 3 * static_cast<float>(i));
}

// The sign of char and wchar_t and the size of long double depend on the architecture of the host.
std::array<std::size_t, 4> fundamental_types(int minus_one) {
  return {char(minus_one) < 0, wchar_t(minus_one) < wchar_t(0), sizeof(long double),
          sizeof(wchar_t)};
}

TEST(fundamental_types_are_those_of_the_host) {
  std::array<std::size_t, 4> in_kernel{};
  {
    sycl::buffer<std::array<std::size_t, 4>> of_kernel(&in_kernel, 1);
    sycl::queue().submit([&](sycl::handler &group) {
      sycl::accessor to(of_kernel, group, sycl::write_only, sycl::no_init);
      group.parallel_for(1, [=](id<1> i) { to[i] = fundamental_types(int(i[0]) - 1); });
    });
  }
  EXPECT(in_kernel == fundamental_types(-1));
}

// The last dimension is contiguous.
TEST(items_of_three_dimensions) {
  const range<3> size(3, 5, 7);
  std::vector<int> linear(size.size()), packed(size.size());
  {
    sycl::buffer<int, 3> of_linear(linear.data(), size), of_packed(packed.data(), size);
    sycl::queue().submit([&](sycl::handler &group) {
      sycl::accessor to_linear(of_linear, group), to_packed(of_packed, group);
      group.parallel_for(size, [=](sycl::item<3> one) {
        to_linear[one] = static_cast<int>(one.get_linear_id());
        to_packed[one[0]][one[1]][one[2]] =
            static_cast<int>(one[0] * 100 + one[1] * 10 + one.get_id(2) + one.get_range(0));
      });
    });
  }
  for (std::size_t x = 0, at = 0; x < 3; ++x)
    for (std::size_t y = 0; y < 5; ++y)
      for (std::size_t z = 0; z < 7; ++z, ++at) {
        EXPECT_EQ(linear[at], at);
        EXPECT_EQ(packed[at], x * 100 + y * 10 + z + 3);
      }
}

TEST(groups_of_two_dimensions) {
  const range<2> global(6, 8), local(3, 4);
  std::vector<std::array<int, 4>> seen(global.size());
  {
    sycl::buffer<std::array<int, 4>, 2> of_seen(seen.data(), global);
    sycl::queue().submit([&](sycl::handler &group) {
      sycl::accessor out(of_seen, group);
      group.parallel_for(nd_range<2>(global, local), [=](nd_item<2> me) {
        auto number = [](std::size_t n) { return static_cast<int>(n); };
        out[me.get_global_id()] = {
            number(me.get_global_linear_id()), number(me.get_group_linear_id()),
            number(me.get_local_linear_id()), number(me.get_group(0) * 10 + me.get_local_range(1))};
      });
    });
  }
  for (std::size_t x = 0; x < 6; ++x)
    for (std::size_t y = 0; y < 8; ++y) {
      const auto &[linear, group, in_group, rest] = seen[x * 8 + y];
      EXPECT_EQ(linear, x * 8 + y);
      EXPECT_EQ(group, x / 3 * 2 + y / 4);
      EXPECT_EQ(in_group, x % 3 * 4 + y % 4);
      EXPECT_EQ(rest, x / 3 * 10 + 4);
    }
}

TEST(matrix_product_with_local_tiles) {
  constexpr std::size_t size = 64, tile = 8;
  std::vector<float> a = counted(size * size, 0.5f), b = counted(size * size, 0.25f);
  std::vector<float> product(size * size);
  for (float &value : a)
    value = static_cast<float>(static_cast<int>(value) % 7);
  for (float &value : b)
    value = static_cast<float>(static_cast<int>(value) % 5);
  {
    sycl::buffer<float, 2> of_a(a.data(), {size, size}), of_b(b.data(), {size, size});
    sycl::buffer<float, 2> of_product(product.data(), {size, size});
    sycl::queue().submit([&](sycl::handler &group) {
      sycl::accessor left(of_a, group, sycl::read_only), right(of_b, group, sycl::read_only);
      sycl::accessor out(of_product, group, sycl::write_only, sycl::no_init);
      sycl::local_accessor<float, 2> rows({tile, tile}, group), columns({tile, tile}, group);
      group.parallel_for(nd_range<2>({size, size}, {tile, tile}), [=](nd_item<2> me) {
        const std::size_t row = me.get_local_id(0), column = me.get_local_id(1);
        float sum = 0;
        for (std::size_t at = 0; at < size; at += tile) {
          rows[row][column] = left[me.get_global_id(0)][at + column];
          columns[row][column] = right[at + row][me.get_global_id(1)];
          sycl::group_barrier(me.get_group());
          for (std::size_t k = 0; k < tile; ++k)
            sum += rows[row][k] * columns[k][column];
          sycl::group_barrier(me.get_group());
        }
        out[me.get_global_id()] = sum;
      });
    });
  }
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) {
      float sum = 0;
      for (std::size_t k = 0; k < size; ++k)
        sum += a[i * size + k] * b[k * size + j];
      EXPECT_EQ(product[i * size + j], sum);
    }
}

// Local memory whose size is known only at launch, reached through a struct in the function object.
struct Tiles {
  sycl::local_accessor<int> first;
  sycl::local_accessor<char> bytes;
  sycl::local_accessor<long> second;
};
TEST(local_accessors_in_a_struct) {
  sycl::queue queue;
  for (std::size_t size : {4, 64}) {
    std::vector<long> result(128);
    {
      sycl::buffer<long> of_result(result);
      queue.submit([&](sycl::handler &group) {
        sycl::accessor out(of_result, group);
        Tiles tiles{{range(size), group}, {range(size), group}, {range(size), group}};
        group.parallel_for(nd_range<1>(128, size), [=](nd_item<1> me) {
          const std::size_t own = me.get_local_id(0), other = me.get_local_range(0) - 1 - own;
          tiles.first[own] = static_cast<int>(me.get_global_id(0));
          tiles.bytes[own] = static_cast<char>(own);
          tiles.second[own] = -static_cast<long>(own);
          sycl::group_barrier(me.get_group());
          out[me.get_global_id()] =
              tiles.first[other] * 1000 + tiles.bytes[other] + tiles.second[other];
        });
      });
    }
    for (std::size_t i = 0; i < 128; ++i)
      EXPECT_EQ(result[i], (i / size * size + size - 1 - i % size) * 1000);
  }
}

TEST(local_accessor_as_sycl_1_2_1_spells_it) {
  std::vector<int> result(32);
  {
    sycl::buffer<int> of_result(result);
    sycl::queue().submit([&](sycl::handler &group) {
      auto out = of_result.get_access<sycl::access::mode::write>(group);
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
      sycl::accessor<int, 1, sycl::access::mode::read_write, sycl::access::target::local> shared(
          range<1>(16), group);
#pragma clang diagnostic pop
      group.parallel_for(nd_range<1>(32, 16), [=](nd_item<1> me) {
        shared[me.get_local_id(0)] = static_cast<int>(me.get_local_id(0));
        sycl::group_barrier(me.get_group());
        out[me.get_global_id()] = shared[15 - me.get_local_id(0)];
      });
    });
  }
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(result[static_cast<std::size_t>(i)], 15 - i % 16);
}

TEST(ranged_accessors) {
  std::vector<int> values(100, 1);
  {
    sycl::buffer<int, 2> of_values(values.data(), {10, 10});
    sycl::queue().submit([&](sycl::handler &group) {
      sycl::accessor part(of_values, group, range<2>(2, 3), id<2>(4, 5), sycl::write_only);
      group.parallel_for(range<2>(2, 3), [=](id<2> i) { part[i] = 7; });
      EXPECT_EQ(part.get_offset()[1], 5);
      EXPECT_EQ(part.size(), 6);
      EXPECT_EQ(static_cast<std::size_t>(part.end() - part.begin()), 6);
    });
  }
  for (int i = 0; i < 100; ++i) {
    const bool is_inside = i / 10 >= 4 && i / 10 < 6 && i % 10 >= 5 && i % 10 < 8;
    EXPECT_EQ(values[static_cast<std::size_t>(i)], is_inside ? 7 : 1);
  }
}

TEST(shared_memory_and_atomics) {
  sycl::queue queue;
  int *counts = sycl::malloc_shared<int>(4, queue);
  float *sum = sycl::malloc_device<float>(1, queue);
  queue.fill(counts, 0, 4).wait();
  queue.memset(sum, 0, sizeof *sum).wait();
  queue
      .parallel_for(
          1000,
          [=](id<1> i) {
            using sycl::memory_order;
            using sycl::memory_scope;
            sycl::atomic_ref<int, memory_order::relaxed, memory_scope::device> all(counts[0]),
                most(counts[1]), flags(counts[2]);
            const int me = static_cast<int>(i[0]);
            ++all;
            most.fetch_max(me);
            flags |= 1 << (me % 10);
            sycl::atomic_ref<float, memory_order::acq_rel, memory_scope::device> total(*sum);
            total += 0.5f;
          })
      .wait();
  float result = 0;
  queue.copy(sum, &result, 1).wait();
  EXPECT_EQ(counts[0], 1000);
  EXPECT_EQ(counts[1], 999);
  EXPECT_EQ(counts[2], 1023);
  EXPECT_EQ(result, 500.0f);
  EXPECT(sycl::get_pointer_type(counts + 3, queue.get_context()) == sycl::usm::alloc::shared);
  EXPECT(sycl::get_pointer_type(&result, queue.get_context()) == sycl::usm::alloc::unknown);
  sycl::free(counts, queue);
  sycl::free(sum, queue);
}

TEST(sub_groups_fill_their_group) {
  sycl::queue queue;
  auto *items = sycl::malloc_shared<unsigned>(64, queue);
  queue
      .parallel_for(nd_range<1>(64, 32),
                    [=](nd_item<1> me) {
                      const sycl::sub_group own = me.get_sub_group();
                      items[me.get_global_id(0)] =
                          own.get_group_linear_id() * own.get_max_local_range()[0] +
                          own.get_local_linear_id();
                      sycl::group_barrier(own);
                    })
      .wait();
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(items[i], i % 32);
  sycl::free(items, queue);
}

TEST(standard_library_in_kernels) {
  sycl::queue queue;
  int *out = sycl::malloc_shared<int>(10, queue);
  queue
      .single_task([=] {
        std::array<int, 10> values{5, 3, 9, 1, 7, 0, 8, 2, 6, 4};
        std::sort(values.begin(), values.end());
        std::copy(values.begin(), values.end(), out);
      })
      .wait();
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(out[i], i);
  sycl::free(out, queue);
}

TEST(offsets_of_accessors_as_numbers) { // numbers are not tags
  sycl::queue queue;
  std::vector<int> values(6, 0);
  {
    sycl::buffer<int> buffer(values.data(), 6);
    queue.submit([&](sycl::handler &group) {
      sycl::accessor<int> part(buffer, group, 2, 1);
      group.single_task([=] { part[0] = 7; });
    });
    queue.fill(sycl::accessor<int>(buffer, 2, 3), 9);
  }
  EXPECT(values == (std::vector<int>{0, 7, 0, 9, 9, 0}));
}

TEST(wrong_nd_ranges) {
  sycl::queue queue;
  auto launch = [&](nd_range<1> size) { queue.parallel_for(size, [](nd_item<1>) {}); };
  EXPECT_THROW(sycl::errc::nd_range, "not a multiple", launch({100, 3}));
  EXPECT_THROW(sycl::errc::nd_range, "max_work_group_size", launch({1 << 20, 1 << 20}));
  EXPECT_THROW(sycl::errc::nd_range, "no work-items", launch({8, 0}));
  EXPECT_THROW(sycl::errc::nd_range, "no work-items",
               queue.parallel_for(nd_range<2>({8, 8}, {4, 0}), [](nd_item<2>) {}));
  launch({0, 4}); // empty ranges
  launch({0, 0});
  queue.parallel_for(nd_range<2>({8, 0}, {3, 0}), [](nd_item<2>) {});
  queue.wait_and_throw();
}

} // namespace

enum class Named : int;
union NamedToo;
TEST(kernels_with_names_that_are_no_classes) {
  sycl::queue queue(sycl::property::queue::in_order{});
  int *sum = sycl::malloc_shared<int>(1, queue);
  *sum = 0;
  queue.single_task<bool>([=] { *sum += 1; });
  queue.single_task<int *>([=] { *sum += 2; });
  queue.single_task<Named>([=] { *sum += 4; });
  queue.single_task<NamedToo>([=] { *sum += 8; });
  queue.wait();
  EXPECT_EQ(*sum, 15);
  EXPECT(sycl::get_kernel_id<bool>() != sycl::get_kernel_id<int *>());
  sycl::free(sum, queue);
}
