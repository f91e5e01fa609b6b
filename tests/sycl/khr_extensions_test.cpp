// khr extensions of the specification, the headers of sycl_khr_split_headers, span, and types of
// SYCL 1.2.1.
#include <sycl/khr/split_headers/span.hpp>
#include <sycl/khr/split_headers/version.hpp>

#include "check.h"

#include <sycl/sycl.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <thread>
#include <variant>

namespace {

using space = sycl::access::address_space;

TEST(who_the_work_item_is) {
  constexpr std::size_t groups = 6, size = 16;
  sycl::queue queue;
  auto *wrong = sycl::malloc_shared<int>(groups * size, queue);
  queue
      .parallel_for(sycl::nd_range<2>({groups, size}, {2, size / 2}),
                    [=](sycl::nd_item<2> item) {
                      namespace khr = sycl::khr;
                      const khr::work_group<2> group = khr::this_group<2>();
                      const auto member = khr::get_member_item(group);
                      const khr::sub_group lanes = khr::this_sub_group();
                      const auto lane = khr::get_member_item(lanes);
                      const auto same = khr::this_nd_item<2>();
                      const std::size_t y = group.id()[0] * 2 + member.id()[0],
                                        x = group.id()[1] * (size / 2) + member.id()[1];
                      const std::size_t at = y * size + x;
                      wrong[at] =
                          (same.get_global_id() != item.get_global_id()) |
                          (at != item.get_global_linear_id()) << 1 |
                          (group.size() != size || member.size() != 1) << 2 |
                          (group.linear_id() != group.id()[0] * 2 + group.id()[1]) << 3 |
                          (khr::leader_of(group) != (member.linear_id() == 0)) << 4 |
                          (lane.linear_id() >= lanes.size() || lanes.size() > lanes.max_size())
                              << 5 |
                          (khr::leader_of(lanes) != (lane.id() == 0)) << 6 |
                          (group.range() != sycl::range<2>(groups / 2, 2)) << 7;
                    })
      .wait();
  for (std::size_t i = 0; i < groups * size; ++i)
    EXPECT_EQ(wrong[i], 0);
  sycl::free(wrong, queue);
}

TEST(address_spaces_are_found) {
  sycl::queue queue;
  auto *found = sycl::malloc_shared<int>(9, queue);
  queue
      .submit([&](sycl::handler &group) {
        sycl::local_accessor<int, 1> local(1, group);
        group.parallel_for(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1> item) {
          int own = int(item.get_local_linear_id());
          int *const pointers[3] = {found, &local[0], &own};
          if (own == 5)
            for (int i = 0; i < 3; ++i) {
              namespace khr = sycl::khr;
              int *const p = pointers[i];
              found[3 * i] = khr::dynamic_addrspace_cast<space::global_space>(p).get() == p;
              found[3 * i + 1] = khr::dynamic_addrspace_cast<space::local_space>(p).get() == p;
              found[3 * i + 2] =
                  khr::dynamic_addrspace_cast<space::private_space>(sycl::generic_ptr<int>(p))
                      .get_raw() == p;
            }
        });
      })
      .wait();
  for (int i = 0; i < 9; ++i)
    EXPECT_EQ(found[i], int(i / 3 == i % 3));
  sycl::free(found, queue);
}

TEST(queues_say_when_they_are_empty) {
  for (const sycl::property_list &properties :
       {sycl::property_list(), sycl::property_list(sycl::property::queue::in_order())}) {
    sycl::queue queue(properties);
    EXPECT(queue.khr_empty());
    std::atomic<bool> may_end{false};
    queue.submit([&](sycl::handler &group) {
      group.host_task([&] {
        while (!may_end)
          std::this_thread::yield();
      });
    });
    queue.khr_flush();
    EXPECT(!queue.khr_empty());
    may_end = true;
    queue.wait();
    EXPECT(queue.khr_empty());
  }
}

// After a wait for the last command of a queue, the queue is empty at once.
TEST(queues_are_empty_once_their_commands_have_ended) {
  for (const sycl::property_list &properties :
       {sycl::property_list(), sycl::property_list(sycl::property::queue::in_order())}) {
    sycl::queue queue(properties);
    int wrong = 0;
    for (int i = 0; i < 500; ++i) {
      sycl::event last = queue.single_task([] {});
      if (i % 2)
        last = queue.submit([&](sycl::handler &group) {
          group.depends_on(last);
          group.host_task([] {});
        });
      last.wait();
      wrong += !queue.khr_empty();
    }
    EXPECT_EQ(wrong, 0);
    for (int i = 0; i < 500; ++i) { // and the commands of an empty queue have ended
      const sycl::event last = queue.single_task([] {});
      while (!queue.khr_empty())
        std::this_thread::yield();
      wrong += last.get_info<sycl::info::event::command_execution_status>() !=
               sycl::info::event_command_status::complete;
    }
    EXPECT_EQ(wrong, 0);
  }
}

TEST(default_context_and_limits) {
  const sycl::queue queue;
  EXPECT(queue.get_device().get_platform().khr_get_default_context() == queue.get_context());
  namespace info = sycl::khr::info::device;
  EXPECT(queue.get_device().get_info<info::max_work_group_range<3>>()[0] >= 65536);
  EXPECT(queue.get_device().get_info<info::max_work_group_range_size>() >= 65536);
}

TEST(spans) {
  int numbers[4] = {1, 2, 3, 4};
  std::array<int, 3> others = {5, 6, 7};
  const std::vector<int> more = {8, 9};
  sycl::span all(numbers);
  static_assert(all.extent == 4);
  sycl::span<const int> view = all;
  EXPECT_EQ(view.last(2).front(), 3);
  EXPECT_EQ(all.subspan<1>().size(), 3u);
  EXPECT_EQ(all.subspan(1, 2).back(), 3);
  view = others;
  EXPECT_EQ(view.size_bytes(), 3 * sizeof(int));
  view = more;
  EXPECT_EQ(*view.rbegin(), 9);
  int sum = 0;
  for (int number : all.first<3>())
    sum += number;
  EXPECT_EQ(sum, 6);
  EXPECT(sycl::span<int>().empty());
}

struct WithoutOffset {
  int *to;
  void operator()(sycl::item<2, false> item) const { to[item.get_linear_id()] = int(item[1]); }
};

TEST(kernels_take_items_without_offset) {
  sycl::queue queue;
  int *to = sycl::malloc_shared<int>(6, queue);
  queue.parallel_for(sycl::range<2>(2, 3), WithoutOffset{to}).wait();
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(to[i], i % 3);
  sycl::free(to, queue);
}

TEST(numbers_of_opencl) {
  EXPECT_EQ(sizeof(sycl::opencl::cl_half) + sizeof(sycl::opencl::cl_ulong), 10u);
  static_assert(std::is_same_v<sycl::opencl::cl_uint, std::uint32_t>);
}

TEST(atomics_of_sycl_1) {
  sycl::queue queue;
  int sum = 0;
  {
    sycl::buffer<int> buffer(&sum, 1);
    queue.submit([&](sycl::handler &group) {
      sycl::accessor to(buffer, group);
      group.parallel_for(sycl::range<1>(100), [=](sycl::id<1> i) {
        sycl::atomic<int> all{sycl::global_ptr<int>(to)};
        all.fetch_add(int(i[0]));
        int expected = -1;
        all.compare_exchange_strong(expected, 7);
      });
    });
  }
  EXPECT_EQ(sum, 4950);
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
  {
    sycl::buffer<int> buffer(&sum, 1);
    queue.submit([&](sycl::handler &group) {
      auto to = buffer.get_access<sycl::access::mode::atomic>(group);
      group.parallel_for(sycl::range<1>(10), [=](sycl::id<1>) { to[0].fetch_sub(1); });
    });
  }
#pragma clang diagnostic pop
  EXPECT_EQ(sum, 4940);
}

TEST(groups_broadcast_from_a_number) {
  sycl::queue queue;
  int *to = sycl::malloc_shared<int>(8, queue);
  queue
      .parallel_for(sycl::nd_range<1>(8, 4),
                    [=](sycl::nd_item<1> item) {
                      const auto at = item.get_global_linear_id();
                      to[at] = sycl::group_broadcast(item.get_group(), int(at), std::size_t{3});
                    })
      .wait();
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(to[i], i / 4 * 4 + 3);
  sycl::free(to, queue);
}

TEST(function_objects_of_vectors) {
  const sycl::int4 a(1, 9, -3, 4), b(2, 8, -4, 4);
  const sycl::int4 least = sycl::minimum<>()(a, b), most = sycl::maximum<sycl::int4>()(a, b);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(least[i], std::min<int>(a[i], b[i]));
    EXPECT_EQ(most[i], std::max<int>(a[i], b[i]));
  }
}

TEST(accessors_and_buffers_of_arrays) {
  const std::shared_ptr<int[]> data(new int[3]{4, 5, 6});
  sycl::buffer<int> buffer(data, sycl::range<1>(3), sycl::buffer_allocator<int>());
  const sycl::host_accessor first(buffer), same = first;
  EXPECT_EQ(first[2], 6);
  using hash = std::hash<std::remove_const_t<decltype(first)>>;
  EXPECT_EQ(hash()(first), hash()(same));
  EXPECT_EQ(sycl::exception_list().size(), 0u);
}

template <sycl::aspect... Aspects> void expect_traits_of(const sycl::device &device) {
  const bool agree[] = {sycl::any_device_has_v<Aspects> == device.has(Aspects)...};
  for (bool one : agree)
    EXPECT(one);
  static_assert((std::is_base_of_v<std::bool_constant<sycl::all_devices_have_v<Aspects>>,
                                   sycl::all_devices_have<Aspects>> &&
                 ...));
}

TEST(aspects_are_known_when_programs_are_compiled) {
  using sycl::aspect;
  expect_traits_of<aspect::cpu, aspect::gpu, aspect::accelerator, aspect::custom, aspect::emulated,
                   aspect::host_debuggable, aspect::fp16, aspect::fp64, aspect::atomic64,
                   aspect::image, aspect::online_compiler, aspect::online_linker,
                   aspect::queue_profiling, aspect::usm_device_allocations,
                   aspect::usm_host_allocations, aspect::usm_atomic_host_allocations,
                   aspect::usm_shared_allocations, aspect::usm_atomic_shared_allocations,
                   aspect::usm_system_allocations>(sycl::device());
}

TEST(queries_of_devices) {
  const sycl::device device;
  namespace info = sycl::info::device;
  EXPECT(device.get_info<info::built_in_kernel_ids>().empty());
  EXPECT_EQ(device.get_info<info::native_vector_width_long_long>(),
            device.get_info<info::native_vector_width_long>());
  static_assert(std::is_same_v<info::platform::return_type, sycl::platform>);
}

struct OwnCopies {
  OwnCopies(const OwnCopies &) {}
};
struct Declared {
  Declared(const Declared &) {}
};

} // namespace

template <> struct sycl::is_device_copyable<Declared> : std::true_type {};

namespace {

TEST(types_that_kernels_may_be_given) {
  using sycl::is_device_copyable_v;
  static_assert(is_device_copyable_v<int> && is_device_copyable_v<const Declared[3]>);
  static_assert(!is_device_copyable_v<OwnCopies>);
  static_assert(is_device_copyable_v<std::tuple<int, std::pair<float, Declared>>>);
  static_assert(!is_device_copyable_v<std::array<OwnCopies, 2>>);
  static_assert(is_device_copyable_v<const std::optional<Declared>>);
  static_assert(!is_device_copyable_v<std::variant<int, OwnCopies>>);
  sycl::queue queue;
  const int *memory = sycl::malloc_shared<int>(1, queue);
  queue.prefetch(memory, sizeof(int), {queue.single_task([] {})}).wait();
  sycl::free(const_cast<int *>(memory), queue);
}

} // namespace
