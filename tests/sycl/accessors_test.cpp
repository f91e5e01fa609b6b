// What accessors and buffers offer beside elements: types, single elements, atomics of SYCL 1.2.1, final data, allocation.
#include <sycl/sycl.hpp>

#include "check.h"

#include <array>
#include <deque>
#include <memory>
#include <numeric>

// What is deprecated is tested, too.
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

namespace {

using sycl::access::decorated;
using space = sycl::access::address_space;
using sycl::access_mode;
using sycl::target;

TEST(types_of_accessors) {
  using device = sycl::accessor<int, 1, access_mode::read>;
  using local = sycl::local_accessor<int, 1>;
  static_assert(std::is_same_v<device::accessor_ptr<decorated::yes>,
                               sycl::multi_ptr<const int, space::global_space, decorated::yes>>);
  static_assert(std::is_same_v<local::accessor_ptr<decorated::no>,
                               sycl::multi_ptr<int, space::local_space, decorated::no>>);
  static_assert(std::is_same_v<device::iterator, device::const_iterator>);
  // Kernels may be named by them.
  using writing = sycl::accessor<int, 1>;
  static_assert(!std::is_same_v<writing::iterator, local::iterator>);
  static_assert(!std::is_same_v<writing::const_iterator, local::const_iterator>);
}

// Of dimension 0: assigned and read without an index.
TEST(single_elements) {
  int data = 5, copy = 0;
  {
    sycl::queue queue;
    sycl::buffer<int> of(&data, 1), to(&copy, 1);
    queue.submit([&](sycl::handler &group) {
      sycl::accessor<int, 0> element(of, group);
      sycl::accessor<int, 0, access_mode::write> out(to, group, sycl::write_only);
      sycl::local_accessor<int, 0> local(group);
      group.parallel_for(sycl::nd_range<1>(1, 1), [=](sycl::nd_item<1>) {
        local = element * 3;
        element = local + 1;
        const int &read = element;
        out = read * 10;
      });
    });
    sycl::host_accessor<int, 0, access_mode::write> element(to);
    const int before = element;
    element = before + 1;
  }
  EXPECT_EQ(data, 16);
  EXPECT_EQ(copy, 161);
}

// Every way to an element of mode `atomic` gives an atomic.
TEST(subscripts_of_atomics) {
  constexpr int items = 64;
  int counts[4] = {}, local_count = -1;
  {
    sycl::queue queue;
    sycl::buffer<int, 2> buffer(counts, sycl::range<2>(2, 2));
    sycl::buffer<int> to(&local_count, 1);
    queue.submit([&](sycl::handler &group) {
      auto all = buffer.get_access<sycl::access::mode::atomic>(group);
      sycl::accessor out(to, group, sycl::write_only);
      sycl::accessor<int, 0, access_mode::atomic, target::local> sum(group);
      sycl::accessor<int, 2, access_mode::atomic, target::local> sums(sycl::range<2>(2, 3), group);
      static_assert(std::is_same_v<decltype(all[0][0]), sycl::atomic<int>>);
      static_assert(std::is_same_v<decltype(sums[0][0]), sycl::atomic<int, space::local_space>>);
      group.parallel_for(sycl::nd_range<1>(items, items), [=](sycl::nd_item<1> item) {
        const int i = int(item.get_local_linear_id());
        const sycl::atomic<int, space::local_space> one = sum;
        if (i == 0) {
          sycl::atomic<int, space::local_space>(one).store(0);
          sums[1][2].store(0);
        }
        sycl::group_barrier(item.get_group());
        all[i % 2][i / 2 % 2].fetch_add(i);
        sycl::atomic<int, space::local_space>(one).fetch_add(1);
        sums[1][2].fetch_add(i);
        sycl::group_barrier(item.get_group());
        if (i == 0)
          out[0] = one.load() * 10000 + sums[1][2].load();
      });
    });
  }
  for (int k = 0; k < 4; ++k) {
    int wanted = 0;
    for (int i = 0; i < items; ++i)
      wanted += i % 2 * 2 + i / 2 % 2 == k ? i : 0;
    EXPECT_EQ(counts[k], wanted);
  }
  EXPECT_EQ(local_count, items * 10000 + items * (items - 1) / 2);
}

// Runs a kernel that makes 1, 2, 3, ... of the elements of a buffer that is then destroyed.
template <class Set> void count_in_buffer(std::size_t size, Set set_final_data) {
  sycl::queue queue;
  sycl::buffer<int> buffer{sycl::range<1>(size)};
  set_final_data(buffer);
  queue.submit([&](sycl::handler &group) {
    sycl::accessor out(buffer, group, sycl::write_only, sycl::no_init);
    group.parallel_for(size, [=](sycl::id<1> i) { out[i] = int(i[0]) + 1; });
  });
}

TEST(final_data) {
  constexpr std::size_t size = 5;
  std::array<int, size> wanted{};
  std::iota(wanted.begin(), wanted.end(), 1);
  const auto holds = [&](const auto &got) {
    return std::equal(wanted.begin(), wanted.end(), &got[0]);
  };

  std::array<int, size> plain{}, unused{};
  count_in_buffer(size, [&](auto &buffer) { buffer.set_final_data(plain.data()); });
  EXPECT(holds(plain));
  count_in_buffer(size, [&](auto &buffer) {
    buffer.set_final_data(unused.data());
    buffer.set_final_data(static_cast<int *>(nullptr));
  });
  count_in_buffer(size, [&](auto &buffer) {
    buffer.set_final_data(unused.data());
    buffer.set_final_data(nullptr);
  });
  EXPECT(!holds(unused));

  std::shared_ptr<int[]> array(new int[size]());
  std::shared_ptr<int> first(new int[size](), std::default_delete<int[]>());
  count_in_buffer(size, [&](auto &buffer) { buffer.set_final_data(std::weak_ptr(array)); });
  EXPECT(holds(array));
  count_in_buffer(size, [&](auto &buffer) { buffer.set_final_data(std::weak_ptr(first)); });
  EXPECT(holds(first.get()));
  std::fill_n(array.get(), size, 0);
  count_in_buffer(size, [&](auto &buffer) { buffer.set_final_data(array); });
  EXPECT(holds(array));
  count_in_buffer(size, [&](auto &buffer) { // nothing is kept alive for it
    std::shared_ptr<int[]> gone(new int[size]());
    buffer.set_final_data(gone);
  });

  std::array<long, size> converted{};
  count_in_buffer(size, [&](auto &buffer) { buffer.set_final_data(converted.begin()); });
  EXPECT(holds(converted));
  std::deque<int> appended;
  count_in_buffer(size, [&](auto &buffer) { buffer.set_final_data(std::back_inserter(appended)); });
  EXPECT(appended.size() == size && std::equal(appended.begin(), appended.end(), wanted.begin()));
}

// Of SYCL 1.2.1: the elements of the accessor are copied to the memory that the buffer was made of, and no others.
TEST(update_host) {
  std::mutex mutex;
  constexpr std::size_t rows = 4, columns = 5;
  std::vector<int> host(rows * columns, -1);
  sycl::queue queue;
  sycl::buffer<int, 2> buffer(host.data(), {rows, columns},
                              {sycl::property::buffer::use_mutex(mutex)});
  queue.submit([&](sycl::handler &group) {
    sycl::accessor out(buffer, group, sycl::write_only);
    group.parallel_for(sycl::range<2>(rows, columns),
                       [=](sycl::id<2> i) { out[i] = int(i[0] * 10 + i[1]); });
  });
  queue
      .submit([&](sycl::handler &group) {
        sycl::accessor in(buffer, group, sycl::range<2>(2, 3), sycl::id<2>(1, 1), sycl::read_only);
        group.update_host(in);
      })
      .wait();
  {
    std::lock_guard lock(mutex);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j)
        EXPECT_EQ(host[i * columns + j], i / 3 || !i || !j || j == 4 ? -1 : int(i * 10 + j));
  }
  // Kernels work on memory without a mutex, and a constant is not written.
  const int constant = 3;
  int plain = 3;
  sycl::buffer<int> of_constant(&constant, 1), of_plain(&plain, 1);
  for (auto *of : {&of_constant, &of_plain}) {
    queue.submit([&](sycl::handler &group) {
      sycl::accessor to(*of, group);
      group.single_task([=] { to[0] *= 7; });
    });
    queue
        .submit([&](sycl::handler &group) {
          group.update_host(sycl::accessor(*of, group, sycl::read_only));
        })
        .wait();
  }
  EXPECT_EQ(constant, 3);
  EXPECT_EQ(plain, 21);
}

TEST(properties_of_buffers) {
  std::mutex mutex;
  const sycl::context context;
  namespace given = sycl::property::buffer;
  static_assert(sycl::is_property_v<given::use_mutex> && sycl::is_property_v<given::context_bound>);
  const sycl::buffer<int> buffer(
      sycl::range<1>(1),
      sycl::property_list(given::use_mutex(mutex), given::context_bound(context)));
  EXPECT(buffer.get_property<given::use_mutex>().get_mutex_ptr() == &mutex);
  EXPECT(buffer.get_property<given::context_bound>().get_context() == context);
  EXPECT(!buffer.has_property<given::use_host_ptr>());
}

TEST(aligned_memory_of_a_device_and_a_context) {
  const sycl::queue queue;
  for (std::size_t alignment : {1, 64, 4096}) {
    auto *memory = sycl::aligned_alloc<double>(alignment, 3, queue.get_device(),
                                               queue.get_context(), sycl::usm::alloc::shared);
    EXPECT(memory != nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % std::max(alignment, alignof(double)), 0);
    EXPECT(sycl::get_pointer_type(memory, queue.get_context()) == sycl::usm::alloc::shared);
    sycl::free(memory, queue);
  }
}

} // namespace
