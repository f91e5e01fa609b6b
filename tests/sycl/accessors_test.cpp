// Accessors and buffers beyond plain element access: types, single elements, SYCL 1.2.1 atomics,
// final data, allocation.
#include <sycl/sycl.hpp>

#include "check.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <tuple>
#include <variant>

// Deprecated features are tested, too.
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
  // The types may be kernel names.
  using writing = sycl::accessor<int, 1>;
  static_assert(!std::is_same_v<writing::iterator, local::iterator>);
  static_assert(!std::is_same_v<writing::const_iterator, local::const_iterator>);
}

// Read-only accessors can be constructed from read-write ones, with or without `const`.
TEST(accessors_that_read_are_made_of_others) {
  using sycl::accessor;
  using sycl::host_accessor;
  using reading = accessor<int, 1, access_mode::read>;
  using reading_const = accessor<const int, 1, access_mode::read>;
  static_assert(std::is_convertible_v<reading, reading_const>);
  static_assert(std::is_convertible_v<reading_const, reading>);
  static_assert(std::is_convertible_v<accessor<int, 1>, reading_const>);
  static_assert(std::is_convertible_v<accessor<int, 1>, reading>);
  static_assert(!std::is_convertible_v<reading, accessor<int, 1>>);
  static_assert(!std::is_convertible_v<accessor<int, 1, access_mode::write>, reading>);
  static_assert(std::is_convertible_v<host_accessor<int, 1>, host_accessor<const int, 1>>);
  static_assert(!std::is_convertible_v<host_accessor<const int, 1>, host_accessor<int, 1>>);
  static_assert(
      std::is_convertible_v<sycl::local_accessor<int, 1>, sycl::local_accessor<const int, 1>>);
  static_assert(
      !std::is_convertible_v<sycl::local_accessor<const int, 1>, sycl::local_accessor<int, 1>>);
  int data[2] = {3, 0};
  {
    sycl::queue queue;
    sycl::buffer<int> buffer(data, 2);
    queue.submit([&](sycl::handler &group) {
      accessor all(buffer, group);
      const reading_const in = all;
      sycl::local_accessor<int, 1> local(4, group);
      const sycl::local_accessor<const int, 1> read_local = local;
      group.parallel_for(sycl::nd_range<1>(4, 4), [=](sycl::nd_item<1> item) {
        local[item.get_local_id()] = in[0] + int(item.get_local_id(0));
        sycl::group_barrier(item.get_group());
        if (item.get_local_id(0) == 0)
          all[1] = read_local[3] * int(read_local.size());
      });
    });
    const host_accessor<const int, 1> host = host_accessor<int, 1>(buffer);
    EXPECT_EQ(host[1], 24);
  }
  EXPECT_EQ(data[1], 24);
}

TEST(host_accessors_of_sycl_1) {
  int data[6] = {1, 2, 3, 4, 5, 6};
  sycl::buffer<int, 2> buffer(data, {2, 3});
  {
    auto all = buffer.get_access<sycl::access::mode::read_write>();
    static_assert(
        std::is_same_v<decltype(all),
                       sycl::accessor<int, 2, access_mode::read_write, target::host_buffer>>);
    all[1][2] += 10;
    EXPECT(!all.is_placeholder());
  }
  int *first = buffer.get_access<sycl::access::mode::read>().get_pointer(); // not const here
  EXPECT_EQ(*first, 1);
  sycl::accessor<int, 2, access_mode::read, target::host_buffer> part(buffer, sycl::range<2>(1, 2),
                                                                      sycl::id<2>(1, 1));
  EXPECT_EQ(part[0][1], 16);
  EXPECT_EQ(part.size(), 2u);
}

TEST(accessors_deduced_of_host_accessors) { // as in DPC++
  int data[3] = {1, 2, 3};
  sycl::buffer<int> buffer(data, 3);
  sycl::accessor all = buffer.get_host_access(sycl::read_only);
  static_assert(std::is_same_v<decltype(all),
                               sycl::accessor<int, 1, access_mode::read, target::host_buffer>>);
  EXPECT_EQ(all[2], 3);
}

// Between boxes of different dimensions, elements are copied in their linear order.
TEST(copies_between_dimensions) {
  int line[12], plane[4][5];
  std::iota(line, line + 12, 100);
  for (auto &row : plane)
    std::fill(std::begin(row), std::end(row), -1);
  int back[6] = {};
  {
    sycl::queue queue;
    sycl::buffer<int, 1> of_line(line, 12), of_back(back, 6);
    sycl::buffer<int, 2> of_plane(&plane[0][0], {4, 5});
    queue.submit([&](sycl::handler &group) {
      sycl::accessor from(of_line, group, sycl::range<1>(6), sycl::id<1>(3), sycl::read_only);
      sycl::accessor to(of_plane, group, sycl::range<2>(3, 2), sycl::id<2>(1, 2), sycl::write_only);
      group.copy(from, to);
    });
    queue.submit([&](sycl::handler &group) {
      sycl::accessor from(of_plane, group, sycl::range<2>(3, 2), sycl::id<2>(1, 2),
                          sycl::read_only);
      sycl::accessor to(of_back, group, sycl::write_only);
      group.copy(from, to);
    });
    EXPECT_THROW(sycl::errc::invalid, "smaller than the source",
                 queue.submit([&](sycl::handler &group) {
                   sycl::accessor from(of_line, group, sycl::read_only);
                   sycl::accessor to(of_plane, group, sycl::range<2>(3, 3), sycl::write_only);
                   group.copy(from, to);
                 }));
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 5; ++j)
      EXPECT_EQ(plane[i][j], i >= 1 && (j == 2 || j == 3) ? 103 + (i - 1) * 2 + j - 2 : -1);
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(back[i], 103 + i);
}

TEST(empty_accessors) {
  sycl::buffer<int> nothing{sycl::range<1>(0)};
  const sycl::accessor<int, 0> element(nothing);
  const sycl::host_accessor<int, 0> host(nothing);
  EXPECT(element.empty() && element.byte_size() == 0 && element.begin() == element.end());
  EXPECT(host.empty() && host.size() == 0);
  EXPECT(element.is_placeholder());
  EXPECT((!sycl::accessor<int, 1>().is_placeholder()));
}

TEST(local_memory_needs_work_groups) {
  sycl::queue queue;
  EXPECT_THROW(sycl::errc::kernel_argument, "no work-groups",
               queue.submit([&](sycl::handler &group) {
                 sycl::local_accessor<int, 1> local(4, group);
                 group.single_task([=] { local[0] = 1; });
               }));
  EXPECT_THROW(sycl::errc::kernel_argument, "no work-groups",
               queue.submit([&](sycl::handler &group) {
                 sycl::local_accessor<int, 1> local(4, group);
                 group.parallel_for(4, [=](sycl::id<1> i) { local[i] = 1; });
               }));
}

// The bytes of an accessor, as stale padding may contain them.
template <class Accessor> auto words_of(const Accessor &accessor) {
  std::array<std::uint64_t, sizeof(Accessor) / sizeof(std::uint64_t)> words;
  std::memcpy(words.data(), static_cast<const void *>(&accessor), sizeof words);
  return words;
}

TEST(what_only_looks_like_an_accessor_is_left_alone) {
  sycl::queue queue;
  sycl::buffer<int> other(sycl::range<1>(4));
  const auto of_other = words_of(sycl::accessor<int, 1>(other));
  std::array<std::uint64_t, of_other.size()> got_other{};
  std::array<std::uint64_t, 8> wanted_local{}, got_local{};
  int sum = 0;
  {
    sycl::buffer<std::uint64_t> to_other(got_other.data(), got_other.size());
    sycl::buffer<std::uint64_t> to_local(got_local.data(), got_local.size());
    sycl::buffer<int> to_sum(&sum, 1);
    queue.submit([&](sycl::handler &group) {
      sycl::accessor other_words(to_other, group), local_words(to_local, group);
      sycl::accessor of_sum(to_sum, group);
      const sycl::local_accessor<int, 1> local(4, group);
      const auto of_local = words_of(local);
      std::copy(of_local.begin(), of_local.end(), wanted_local.begin());
      group.parallel_for(sycl::nd_range<1>(4, 4), [=](sycl::nd_item<1> item) {
        local[item.get_local_id()] = int(item.get_local_id(0)) + 1;
        sycl::group_barrier(item.get_group());
        if (item.get_local_id(0) != 0)
          return;
        for (std::size_t i = 0; i < of_other.size(); ++i)
          other_words[i] = of_other[i];
        for (std::size_t i = 0; i < of_local.size(); ++i)
          local_words[i] = of_local[i];
        for (int i = 0; i < 4; ++i)
          of_sum[0] += local[i];
      });
    });
  }
  EXPECT(got_other == of_other);
  EXPECT(got_local == wanted_local);
  EXPECT_EQ(sum, 10);
}

// Accessors in base classes, arrays, structures, and the unions of std::optional and std::variant.
struct in_base {
  sycl::local_accessor<int, 1> base;
  char odd;
};
struct many_places : in_base {
  struct pair {
    short before;
    sycl::local_accessor<int, 2> matrix;
    sycl::accessor<int, 1> out;
  } pairs[2];
  std::tuple<char, sycl::local_accessor<short, 1>> tuple;
  std::array<std::array<sycl::local_accessor<long, 1>, 2>, 2> array;
  std::optional<sycl::local_accessor<int, 1>> here, nothing;
  std::variant<std::uint64_t, sycl::local_accessor<int, 1>> number, accessor;
  sycl::local_accessor<int, 1> none;

  void operator()(sycl::nd_item<1> item) const {
    const int i = int(item.get_local_id(0));
    base[i] = i;
    pairs[0].matrix[1][i] = 10 + i;
    pairs[1].matrix[2][i] = 20 + i;
    std::get<1>(tuple)[i] = short(30 + i);
    for (int k = 0; k < 4; ++k)
      array[k / 2][k % 2][i] = 40 + 10 * k + i;
    (*here)[i] = 80 + i;
    (*std::get_if<1>(&accessor))[i] = 90 + i;
    sycl::group_barrier(item.get_group());
    const int j = 7 - i;
    pairs[0].out[i] = base[j] + pairs[0].matrix[1][j] + pairs[1].matrix[2][j];
    int sum = std::get<1>(tuple)[j] + (*here)[j] + (*std::get_if<1>(&accessor))[j];
    for (int k = 0; k < 4; ++k)
      sum += int(array[k / 2][k % 2][j]);
    pairs[1].out[i] = sum + nothing.has_value() + int(none.size()) + int(*std::get_if<0>(&number));
  }
};
} // namespace
template <> struct sycl::is_device_copyable<many_places> : std::true_type {};
namespace {

TEST(accessors_anywhere_in_a_function_object) {
  int first[8] = {}, second[8] = {};
  {
    sycl::buffer<int> of_first(first, 8), of_second(second, 8);
    sycl::queue().submit([&](sycl::handler &group) {
      many_places kernel{};
      kernel.base = {8, group};
      kernel.pairs[0].matrix = {{2, 8}, group};
      kernel.pairs[1].matrix = {{3, 8}, group};
      kernel.pairs[0].out = {of_first, group};
      kernel.pairs[1].out = {of_second, group};
      std::get<1>(kernel.tuple) = {8, group};
      for (auto &row : kernel.array)
        for (auto &one : row)
          one = {8, group};
      kernel.here.emplace(8, group);
      kernel.number = 1000u;
      kernel.accessor.emplace<1>(8, group);
      group.parallel_for(sycl::nd_range<1>(8, 8), kernel);
    });
  }
  for (int i = 0; i < 8; ++i) {
    const int j = 7 - i;
    EXPECT_EQ(first[i], 3 * j + 30);
    EXPECT_EQ(second[i], 1000 + 30 + 80 + 90 + 40 + 50 + 60 + 70 + 7 * j);
  }
}

TEST(local_accessors_of_other_command_groups) {
  sycl::queue queue;
  std::optional<sycl::local_accessor<int, 1>> kept;
  queue.submit([&](sycl::handler &group) { kept.emplace(4, group); });
  EXPECT_THROW(
      sycl::errc::kernel_argument, "made for another one", queue.submit([&](sycl::handler &group) {
        const sycl::local_accessor<int, 1> own(4, group);
        group.parallel_for(sycl::nd_range<1>(4, 4), [own, local = *kept](sycl::nd_item<1> item) {
          own[item.get_local_id()] = local[item.get_local_id()] = 1;
        });
      }));
}

// Local memory of dimension 0 is assigned and read without an index.
TEST(local_memory_of_kernels_that_wait) {
  sycl::queue queue;
  int *seen = sycl::malloc_shared<int>(1, queue);
  *seen = 0;
  queue
      .submit([&](sycl::handler &group) {
        const sycl::local_accessor<int, 1> flag(1, group), message(1, group);
        group.parallel_for(sycl::nd_range<1>(2, 2), [=](sycl::nd_item<1> item) {
          const sycl::atomic_ref<int, sycl::memory_order::acq_rel, sycl::memory_scope::work_group>
              shared(flag[0]);
          shared.store(0);
          sycl::group_barrier(item.get_group());
          if (item.get_local_id(0) == 0) {
            message[0] = 42;
            shared.store(1);
          } else {
            while (shared.load() != 1) {
            }
            *seen = message[0];
          }
        });
      })
      .wait_and_throw();
  EXPECT_EQ(*seen, 42);
  sycl::free(seen, queue);
}

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

// Every expression for an element in mode `atomic` gives an atomic.
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

// Runs a kernel that sets the elements of a buffer to 1, 2, 3, ..., and destroys the buffer.
template <class Set> void count_in_buffer(std::size_t size, Set set_final_data) {
  sycl::queue queue;
  sycl::buffer<int> buffer{sycl::range<1>(size)};
  set_final_data(buffer);
  queue.submit([&](sycl::handler &group) {
    sycl::accessor out(buffer, group, sycl::write_only, sycl::no_init);
    group.parallel_for(size, [=](sycl::id<1> i) { out[i] = int(i[0]) + 1; });
  });
}

// An iterator of the program whose last copy calls the program when it is destroyed.
struct IteratorWithEnd {
  using iterator_category = std::output_iterator_tag;
  using value_type = int;
  using difference_type = std::ptrdiff_t;
  using pointer = int *;
  using reference = int &;
  int &operator*() const { return *place; }
  IteratorWithEnd &operator++() {
    ++place;
    return *this;
  }
  int *place;
  std::shared_ptr<void> end;
};

TEST(a_destination_that_is_replaced_may_use_the_buffer) {
  sycl::buffer<int> buffer{sycl::range(4)};
  int data[4] = {}, ended = 0;
  buffer.set_final_data(IteratorWithEnd{data, std::shared_ptr<void>(nullptr, [&](void *) {
                                          ++ended;
                                          buffer.set_write_back(true);
                                        })});
  EXPECT_EQ(ended, 0);
  buffer.set_final_data(nullptr);
  EXPECT_EQ(ended, 1);
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
  count_in_buffer(size, [&](auto &buffer) { // a weak pointer retains nothing
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

// SYCL 1.2.1: copies only the elements of the accessor to the memory that the buffer was made of.
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
  // Kernels use memory without a mutex directly, and a constant is not written.
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

TEST(buffers_of_nothing) {
  sycl::queue queue;
  const sycl::buffer<int> none{0};
  EXPECT_EQ(none.size(), std::size_t(0));
  sycl::buffer<int> also_none(sycl::range<1>(0));
  queue.submit([&](sycl::handler &group) {
    sycl::accessor numbers(also_none, group);
    group.parallel_for(sycl::range<1>(0), [=](sycl::id<1> i) { numbers[i] = 1; });
  });
  queue.wait_and_throw();
}

} // namespace
