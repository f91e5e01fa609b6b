// Extensions of oneAPI: properties, root groups, forward progress, free functions for commands,
// sub-group masks, two-dimensional copies; and the free functions of khr.
#include <sycl/sycl.hpp>

#include "check.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

namespace oneapi = sycl::ext::oneapi::experimental;
using scope = oneapi::execution_scope;
using guarantee = oneapi::forward_progress_guarantee;

TEST(property_lists_of_any_order_are_one_type) {
  oneapi::properties a{oneapi::sub_group_size<8>, oneapi::work_group_size<4, 16>};
  oneapi::properties b{oneapi::work_group_size<4, 16>, oneapi::sub_group_size<8>};
  oneapi::properties c{oneapi::sub_group_size<16>, oneapi::work_group_size<4, 16>};
  static_assert(std::is_same_v<decltype(a), decltype(b)>);
  static_assert(!std::is_same_v<decltype(a), decltype(c)>);
  static_assert(a.has_property<oneapi::sub_group_size_key>());
  static_assert(!a.has_property<oneapi::use_root_sync_key>());
  static_assert(a.get_property<oneapi::sub_group_size_key>().value == 8);
  static_assert(a.get_property<oneapi::work_group_size_key>()[1] == 16);
  static_assert(a.get_property<oneapi::sub_group_size_key>() == oneapi::sub_group_size<8>);
  static_assert(a.get_property<oneapi::sub_group_size_key>() != oneapi::sub_group_size<16>);
  static_assert(oneapi::is_property_list_v<decltype(a)> && !oneapi::is_property_list_v<int>);
  static_assert(std::is_same_v<oneapi::empty_properties_t, decltype(oneapi::properties{})>);
  static_assert(sycl::is_device_copyable_v<decltype(a)>);
}

struct sized_kernel {
  int *lanes;
  void operator()(sycl::nd_item<2> item) const {
    lanes[item.get_global_linear_id()] = int(item.get_sub_group().get_max_local_range()[0]);
  }
  auto get(oneapi::properties_tag) const {
    return oneapi::properties{oneapi::work_group_size<2, 16>, oneapi::sub_group_size<8>};
  }
};

template <class T> void expect_weak(const T &a, const T &b) {
  namespace ext = sycl::ext::oneapi;
  ext::weak_object<T> none, of_a(a), of_b, same(of_a);
  of_b = b;
  const ext::owner_less<T> less;
  EXPECT(none.expired() && !of_a.expired() && !none.try_lock());
  EXPECT(of_a.lock() == a && *of_b.try_lock() == b);
  EXPECT_THROW(sycl::errc::invalid, "stands for nothing", none.lock());
  EXPECT(!of_a.owner_before(a) && !a.ext_oneapi_owner_before(of_a) && !same.owner_before(of_a));
  EXPECT(of_a.owner_before(of_b) != of_b.owner_before(of_a));
  EXPECT_EQ(a.ext_oneapi_owner_before(b), of_a.owner_before(of_b));
  EXPECT_EQ(less(a, of_b), less(of_a, b));
  EXPECT(less(none, a) && !less(none, none));
  none.swap(of_b);
  EXPECT(none.lock() == b && of_b.expired());
  none.reset();
  EXPECT(none.expired());
}

template <class T, class Make> void expect_expired(Make make) {
  sycl::ext::oneapi::weak_object<T> weak;
  {
    const T object = make(), copy = object;
    weak = object;
    EXPECT(!weak.expired());
  }
  EXPECT(weak.expired() && !weak.try_lock());
}

TEST(weak_objects) {
  using placeholder = sycl::accessor<int>;
  sycl::buffer<int> a{sycl::range<1>(4)}, b{sycl::range<1>(4)};
  sycl::queue queue;
  expect_weak(sycl::queue(), sycl::queue());
  expect_weak(sycl::event(), sycl::event());
  expect_weak(sycl::context(), sycl::context());
  expect_weak(a, b);
  expect_weak(placeholder(a), placeholder(a));
  expect_weak(sycl::host_accessor<int>(a), sycl::host_accessor<int>(b));
  queue.submit([&](sycl::handler &group) {
    expect_weak(sycl::stream(100, 10, group), sycl::stream(100, 10, group));
    expect_weak(sycl::local_accessor<int>(1, group), sycl::local_accessor<int>(1, group));
  });
  expect_expired<sycl::buffer<int>>([] { return sycl::buffer<int>(sycl::range<1>(1)); });
  expect_expired<placeholder>([&] { return placeholder(a); });
  expect_expired<sycl::host_accessor<int>>([&] { return sycl::host_accessor<int>(a); });
  expect_expired<sycl::queue>([] { return sycl::queue(); });
  expect_expired<sycl::event>([] { return sycl::event(); });
  // A locked object is used like any other, and the buffer is written back without the lock.
  std::vector<int> host(4);
  sycl::ext::oneapi::weak_object<sycl::buffer<int>> weak;
  {
    sycl::buffer<int> buffer(host);
    weak = buffer;
    queue.submit([&](sycl::handler &group) {
      sycl::buffer<int> locked = weak.lock();
      sycl::accessor all(locked, group);
      group.parallel_for(locked.get_range(), [=](sycl::id<1> i) { all[i] = int(i) + 1; });
    });
  }
  EXPECT(weak.expired());
  EXPECT_EQ(host[3], 4);
}

TEST(no_device_is_composite) {
  const sycl::device device;
  EXPECT(oneapi::get_composite_devices().empty());
  EXPECT(device.get_platform().ext_oneapi_get_composite_devices().empty());
  EXPECT(device.get_info<oneapi::info::device::component_devices>().empty());
  EXPECT(!device.has(sycl::aspect::ext_oneapi_is_composite));
  EXPECT(!device.has(sycl::aspect::ext_oneapi_is_component));
  static_assert(!sycl::any_device_has_v<sycl::aspect::ext_oneapi_is_component>);
  EXPECT_THROW(sycl::errc::invalid, "component",
               device.get_info<oneapi::info::device::composite_device>());
}

TEST(properties_of_kernels_are_required) {
  sycl::queue queue;
  int *lanes = sycl::malloc_shared<int>(8 * 32, queue);
  std::fill_n(lanes, 8 * 32, 0);
  queue.parallel_for(sycl::nd_range<2>({8, 32}, {2, 16}), sized_kernel{lanes}).wait();
  for (int i = 0; i < 8 * 32; ++i)
    EXPECT_EQ(lanes[i], 8);
  EXPECT_THROW(sycl::errc::nd_range, "requires",
               queue.parallel_for(sycl::nd_range<2>({8, 32}, {1, 16}), sized_kernel{lanes}));
  // Exceeds a limit of the launch.
  const auto fours = [=](sycl::nd_item<1> item) {
    lanes[item.get_global_linear_id()] = int(item.get_sub_group().get_max_local_range()[0]);
  };
  queue
      .parallel_for(sycl::nd_range<1>(32, 16), oneapi::properties{oneapi::sub_group_size<4>}, fours)
      .wait();
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(lanes[i], 4);
  // No device supports this size: the kernel is reported, although the range would be an error too.
  constexpr std::size_t huge = std::size_t{1} << 32;
  EXPECT_THROW(sycl::errc::kernel_not_supported, "requires",
               queue.parallel_for(sycl::nd_range<1>(huge, huge),
                                  oneapi::properties{oneapi::work_group_size<huge>}, fours));
  EXPECT_THROW(sycl::errc::kernel_not_supported, "requires",
               queue.parallel_for(sycl::nd_range<2>({huge, huge}, {huge, huge}),
                                  oneapi::properties{oneapi::work_group_size<huge, huge>},
                                  [=](sycl::nd_item<2>) {}));
  EXPECT_THROW(sycl::errc::nd_range, "max_work_group_size",
               queue.parallel_for(sycl::nd_range<1>(huge, huge), fours));
  int *sum = sycl::malloc_shared<int>(1, queue);
  *sum = 0;
  queue
      .parallel_for(sycl::nd_range<1>(64, 32), oneapi::properties{oneapi::work_group_size<32>},
                    sycl::reduction(sum, sycl::plus<>()),
                    [=](sycl::nd_item<1> item, auto &all) { all += int(item.get_global_id(0)); })
      .wait();
  EXPECT_EQ(*sum, 63 * 64 / 2);
  queue.single_task(oneapi::properties{oneapi::device_has<sycl::aspect::cpu>}, [=] { *sum = 7; })
      .wait();
  EXPECT_EQ(*sum, 7);
  EXPECT_THROW(sycl::errc::kernel_not_supported, "aspect",
               queue.single_task(oneapi::properties{oneapi::device_has<sycl::aspect::gpu>},
                                 [=] { *sum = 8; }));
  sycl::free(sum, queue);
  sycl::free(lanes, queue);
}

// Between two root-group barriers, each work-item reads what a distant group's item has written.
TEST(root_groups_have_barriers_of_any_number_of_groups) {
  constexpr std::size_t rows = 60, columns = 96, all = rows * columns, far = 2000;
  sycl::queue queue;
  int *data = sycl::malloc_shared<int>(all, queue), *wrong = sycl::malloc_shared<int>(all, queue);
  for (int launch = 0; launch < 3; ++launch) {
    queue
        .parallel_for(sycl::nd_range<2>({rows, columns}, {2, 4}),
                      oneapi::properties{oneapi::use_root_sync},
                      [=](sycl::nd_item<2> item) {
                        const auto root = item.ext_oneapi_get_root_group();
                        const std::size_t own = root.get_local_linear_id();
                        data[own] = int(own) + launch;
                        sycl::group_barrier(root);
                        const int other = data[(own + far) % all];
                        sycl::group_barrier(root);
                        data[own] = other;
                        sycl::group_barrier(root);
                        wrong[own] = data[(own + far) % all] != int((own + 2 * far) % all) + launch;
                      })
        .wait();
    EXPECT_EQ(std::accumulate(wrong, wrong + all, 0), 0);
  }
  sycl::free(data, queue);
  sycl::free(wrong, queue);
}

TEST(root_groups_know_their_parts) {
  sycl::queue queue;
  int *wrong = sycl::malloc_shared<int>(24 * 32, queue);
  queue
      .parallel_for(sycl::nd_range<2>({24, 32}, {4, 8}),
                    [=](sycl::nd_item<2> item) {
                      const auto root = oneapi::this_work_item::get_root_group<2>();
                      const std::size_t lanes = item.get_sub_group().get_group_linear_range();
                      wrong[item.get_global_linear_id()] =
                          (root.get_local_id() != item.get_global_id()) |
                          (root.get_id<scope::work_item>() != item.get_global_id()) << 1 |
                          (root.get_id<scope::work_group>() != item.get_group().get_group_id())
                              << 2 |
                          (root.get_linear_id<scope::sub_group>() !=
                           (item.get_group(0) * 4 + item.get_group(1)) * lanes +
                               item.get_sub_group().get_group_linear_id())
                              << 3 |
                          (root.get_range<scope::work_group>() != sycl::range<2>(6, 4)) << 4 |
                          (root.get_linear_range<scope::sub_group>() != 24 * lanes) << 5 |
                          (root.get_linear_range<scope::work_item>() != 24 * 32) << 6 |
                          (root.leader() != (item.get_global_linear_id() == 0)) << 7 |
                          (root.get_group_linear_range() != 1 || root.get_group_range().size() != 1)
                              << 8;
                    })
      .wait();
  for (int i = 0; i < 24 * 32; ++i)
    EXPECT_EQ(wrong[i], 0);
  sycl::free(wrong, queue);
}

class launches;
TEST(kernels_are_asked_about_launches) {
  namespace query = oneapi::info::kernel_queue_specific;
  sycl::queue queue;
  int *data = sycl::malloc_shared<int>(1, queue);
  queue.single_task<launches>([=] { *data = 3; }).wait();
  const auto kernel = sycl::get_kernel_bundle<sycl::bundle_state::executable>(queue.get_context())
                          .get_kernel<launches>();
  const std::size_t groups =
      kernel.ext_oneapi_get_info<query::max_num_work_groups>(queue, sycl::range<1>(4), 0);
  EXPECT_EQ(groups, queue.get_device().get_info<sycl::info::device::max_compute_units>());
  EXPECT_EQ(groups,
            (queue.get_device().get_info<sycl::ext::oneapi::info::device::num_compute_units>()));
  namespace of_device = sycl::ext::oneapi::experimental::info::device;
  const sycl::id<2> most = queue.get_device().get_info<of_device::max_work_groups<2>>();
  for (int d = 0; d < 2; ++d) // programs convert it to an int
    EXPECT(most[d] >= 65536 && static_cast<int>(most[d]) > 0 &&
           std::size_t(static_cast<int>(most[d])) == most[d]);
  EXPECT(queue.get_device().get_info<of_device::max_global_work_groups>() >= most[0]);
  const std::size_t lanes =
      kernel.ext_oneapi_get_info<query::max_sub_group_size>(queue, sycl::range<1>(100));
  EXPECT_EQ(kernel.ext_oneapi_get_info<query::num_sub_groups>(queue, sycl::range<1>(100)),
            (100 + lanes - 1) / lanes);
  EXPECT(kernel.ext_oneapi_get_info<query::max_work_group_size>(queue) >= 64);
  sycl::free(data, queue);
}

// Each work-item waits for the next one, through all groups: the first one of all continues last.
TEST(progress_is_concurrent) {
  sycl::queue queue;
  const sycl::device device = queue.get_device();
  namespace query = oneapi::info::device;
  for (const auto &answer :
       {device.get_info<query::work_group_progress_capabilities<scope::root_group>>(),
        device.get_info<query::sub_group_progress_capabilities<scope::work_group>>(),
        device.get_info<query::work_item_progress_capabilities<scope::sub_group>>()})
    EXPECT(std::count(answer.begin(), answer.end(), guarantee::concurrent) == 1);
  constexpr int all = 256;
  int *order = sycl::malloc_shared<int>(all + 1, queue),
      *count = sycl::malloc_shared<int>(1, queue);
  std::fill_n(order, all + 1, -1);
  *count = order[all] = 0;
  queue
      .parallel_for(
          sycl::nd_range<1>(all, 16),
          oneapi::properties{oneapi::work_item_progress<guarantee::concurrent, scope::root_group>},
          [=](sycl::nd_item<1> item) {
            using atomic =
                sycl::atomic_ref<int, sycl::memory_order::acq_rel, sycl::memory_scope::device>;
            const std::size_t own = item.get_global_id(0);
            while (atomic(order[own + 1]).load() < 0) {
            }
            atomic(order[own]).store(atomic(*count).fetch_add(1) + 1);
          })
      .wait();
  for (int i = 0; i < all; ++i)
    EXPECT_EQ(order[i], all - i);
  EXPECT_THROW(
      sycl::errc::feature_not_supported, "lock step",
      queue.parallel_for(
          sycl::nd_range<1>(all, 16),
          oneapi::properties{oneapi::sub_group_size<8>,
                             oneapi::work_item_progress<guarantee::parallel, scope::sub_group>},
          [=](sycl::nd_item<1>) {}));
  sycl::free(order, queue);
  sycl::free(count, queue);
}

// The expected results of the functions below, in queue order.
template <class Launch> void expect_sums(sycl::queue &queue, Launch launch) {
  constexpr int size = 96;
  int *data = sycl::malloc_shared<int>(size, queue), *sum = sycl::malloc_shared<int>(2, queue);
  std::fill_n(data, size, -1);
  sum[0] = sum[1] = 0;
  launch(data, sum, size);
  queue.wait();
  for (int i = 0; i < size; ++i)
    EXPECT_EQ(data[i], 2 * i + 1);
  EXPECT_EQ(sum[0], size * (size - 1) / 2);
  EXPECT_EQ(sum[1], size * (size - 1) / 2);
  sycl::free(data, queue);
  sycl::free(sum, queue);
}

const auto numbers = [](int *data) { return [=](sycl::item<1> i) { data[i] = int(i); }; };
const auto doubled = [](int *data) {
  return [=](sycl::nd_item<1> i) { data[i.get_global_id(0)] *= 2; };
};
const auto sum_of = [](auto at) { return [=](auto i, auto &sum) { sum += int(at(i)); }; };

TEST(commands_by_functions_of_oneapi) {
  sycl::queue queue{sycl::property::queue::in_order()};
  const auto launches = [](auto &to, int *data, int *sum, int size) {
    const sycl::range<1> all(size), of_group(size / 4);
    const sycl::nd_range<1> groups(all, of_group);
    oneapi::parallel_for(to(), oneapi::launch_config(all), numbers(data));
    oneapi::nd_launch(to(),
                      oneapi::launch_config(groups, oneapi::properties{oneapi::use_root_sync}),
                      doubled(data));
    oneapi::single_task(to(), [=] {
      for (int i = 0; i < size; ++i)
        ++data[i];
    });
    oneapi::parallel_for(to(), all, sum_of([](sycl::item<1> i) { return i.get_linear_id(); }),
                         sycl::reduction(sum, sycl::plus<>()));
    oneapi::nd_launch(to(), groups,
                      sum_of([](sycl::nd_item<1> i) { return i.get_global_linear_id(); }),
                      sycl::reduction(sum + 1, sycl::plus<>()));
  };
  expect_sums(queue, [&](int *data, int *sum, int size) {
    const auto to = [&]() -> sycl::queue & { return queue; };
    launches(to, data, sum, size);
  });
  int *a = sycl::malloc_shared<int>(8, queue), *b = sycl::malloc_shared<int>(8, queue);
  oneapi::submit(queue, [&](sycl::handler &group) { oneapi::fill(group, a, 5, 8); });
  oneapi::barrier(queue);
  const sycl::event copied =
      oneapi::submit_with_event(queue, [&](sycl::handler &group) { oneapi::copy(group, a, b, 8); });
  oneapi::partial_barrier(queue, {copied});
  oneapi::memset(queue, a, 1, 4);
  oneapi::memcpy(queue, b + 1, a, 4);
  oneapi::prefetch(queue, a, 4, oneapi::prefetch_type::host);
  queue.wait();
  EXPECT_EQ(b[0], 5);
  EXPECT_EQ(b[1], 0x01010101);
  EXPECT_EQ(b[7], 5);
  sycl::free(a, queue);
  sycl::free(b, queue);
}

TEST(commands_by_functions_of_khr) {
  sycl::queue queue{sycl::property::queue::in_order()};
  expect_sums(queue, [&](int *data, int *sum, int size) {
    const sycl::range<1> all(size), of_group(size / 4);
    sycl::khr::launch(queue, all, numbers(data));
    sycl::khr::submit(queue, [&](sycl::handler &group) {
      sycl::khr::launch_grouped(group, all, of_group, doubled(data));
    });
    sycl::khr::launch_task(queue, [=] {
      for (int i = 0; i < size; ++i)
        ++data[i];
    });
    sycl::khr::launch_reduce(queue, all, sum_of([](sycl::item<1> i) { return i.get_linear_id(); }),
                             sycl::reduction(sum, sycl::plus<>()));
    sycl::khr::launch_grouped_reduce(
        queue, all, of_group, sum_of([](sycl::nd_item<1> i) { return i.get_global_linear_id(); }),
        sycl::reduction(sum + 1, sycl::plus<>()));
  });
  std::vector<int> to(6, 0), from{1, 2, 3, 4, 5, 6};
  {
    sycl::buffer<int> buffer(to.data(), 6);
    sycl::accessor<int> placeholder(buffer);
    sycl::khr::copy(queue, from.data(), placeholder);
    sycl::khr::fill(queue, sycl::accessor<int>(buffer, 2, 1), 9);
    sycl::khr::update_host(queue, placeholder);
    sycl::khr::event_barrier(queue, {sycl::khr::submit_tracked(queue, [&](sycl::handler &group) {
                               sycl::khr::command_barrier(group);
                             })});
  }
  EXPECT(to == (std::vector<int>{1, 9, 9, 4, 5, 6}));
}

TEST(copies_of_rows) {
  sycl::queue queue{sycl::property::queue::in_order()};
  constexpr std::size_t height = 5, from_pitch = 7, to_pitch = 9, width = 4;
  short *from = sycl::malloc_shared<short>(from_pitch * height, queue),
        *to = sycl::malloc_shared<short>(to_pitch * height, queue);
  std::iota(from, from + from_pitch * height, short(100));
  std::fill_n(to, to_pitch * height, short(-1));
  queue.ext_oneapi_copy2d(from + 1, from_pitch, to + 2, to_pitch, width, height - 1);
  queue.ext_oneapi_fill2d<short>(to + 6, to_pitch, 7, 2, 2);
  queue.ext_oneapi_memset2d(to, to_pitch * 2, 0, 3, height - 1);
  queue.ext_oneapi_memcpy2d(to + to_pitch * 4, to_pitch * 2, from, from_pitch * 2, 2 * 2, 1).wait();
  const sycl::event first = queue.ext_oneapi_fill2d<short>(to, 1, 3, 1, 1);
  queue.ext_oneapi_fill2d<short>(to, 1, 5, 1, 1, {first, sycl::event()}); // overwritten by the copy
  queue.ext_oneapi_copy2d<short>(to + to_pitch, 1, to, 1, 1, 1, first).wait();
  for (std::size_t row = 0; row < height; ++row)
    for (std::size_t column = 0; column < to_pitch; ++column) {
      int wanted = -1;
      if (row < 4 && column >= 2 && column < 6)
        wanted = int(100 + row * from_pitch + column - 1);
      if (row < 2 && (column == 6 || column == 7))
        wanted = 7;
      if (row < 4 && column == 0)
        wanted = 0;
      if (row < 4 && column == 1) // its lower byte
        wanted = short(0xff00);
      if (row == 4 && column < 2)
        wanted = int(100 + column);
      EXPECT_EQ(int(to[row * to_pitch + column]), wanted);
    }
  EXPECT(queue.ext_oneapi_empty());
  EXPECT_THROW(sycl::errc::invalid, "width", queue.ext_oneapi_copy2d(from, 3, to, to_pitch, 4, 1));
  sycl::free(from, queue);
  sycl::free(to, queue);
}

// A barrier for all commands, or for one event, in an out-of-order queue. A long command before it
// does not end until the host allows it, and no later command begins.
TEST(barriers_of_queues_without_order) {
  sycl::queue queue, other;
  using atomic = sycl::atomic_ref<int, sycl::memory_order::acq_rel, sycl::memory_scope::system>;
  int *state = sycl::malloc_shared<int>(3, queue);
  for (int way = 0; way < 4; ++way) {
    std::fill_n(state, 3, 0);
    const sycl::event slow = (way < 2 ? queue : other).single_task([=] {
      while (atomic(state[0]).load() == 0) {
      }
      atomic(state[1]).store(1);
    });
    sycl::event barrier;
    if (way == 0)
      barrier = queue.ext_oneapi_submit_barrier();
    else if (way == 1)
      oneapi::barrier(queue);
    else if (way == 2)
      barrier = queue.ext_oneapi_submit_barrier({slow});
    else
      barrier = queue.submit([&](sycl::handler &group) { group.ext_oneapi_barrier({slow}); });
    const sycl::event after =
        queue.single_task([=] { atomic(state[2]).store(1 + atomic(state[1]).load()); });
    const auto complete = sycl::info::event_command_status::complete;
    using status = sycl::info::event::command_execution_status;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT(after.get_info<status>() != complete);
    EXPECT(way == 1 || barrier.get_info<status>() != complete);
    atomic(state[0]).store(1);
    barrier.wait();
    EXPECT(way == 1 || atomic(state[1]).load() == 1);
    queue.wait();
    EXPECT_EQ(state[2], 2);
    other.wait();
  }
  sycl::free(state, queue);
}

TEST(small_extensions) {
  sycl::queue queue;
  constexpr std::size_t size = 1000;
  int *sizes = sycl::malloc_shared<int>(size, queue);
  std::fill_n(sizes, size, 0);
  queue
      .parallel_for(sycl::nd_range<1>(size, oneapi::auto_range<1>()),
                    [=](sycl::nd_item<1> item) {
                      const int one = 1;
                      sizes[item.get_global_id(0)] =
                          sycl::reduce_over_group(item.get_group(), one, sycl::plus<>());
                    })
      .wait();
  double groups = 0; // each has one for the sum of its items
  for (std::size_t i = 0; i < size; ++i) {
    EXPECT(sizes[i] > 0);
    groups += 1.0 / sizes[i];
  }
  EXPECT(std::abs(groups - std::round(groups)) < 1e-9);
  sycl::free(sizes, queue);

  namespace thread = oneapi::this_thread;
  const sycl::device device = queue.get_device();
  EXPECT(thread::get_current_device() == sycl::device(sycl::default_selector_v));
  const auto parts =
      device.create_sub_devices<sycl::info::partition_property::partition_equally>(1);
  thread::set_current_device(parts[0]);
  EXPECT(thread::get_current_device() == parts[0]);
  std::thread([&] { EXPECT(thread::get_current_device() == device); }).join();
  thread::set_current_device(device);
}

TEST(what_intel_asks_devices) {
  namespace intel = sycl::ext::intel::info::device;
  const sycl::device device;
  const std::uint64_t all = device.get_info<sycl::info::device::global_mem_size>();
  EXPECT(device.has(sycl::aspect::ext_intel_free_memory));
  const std::uint64_t free = device.get_info<intel::free_memory>();
  EXPECT(free > 0 && free <= all);
  EXPECT(device.has(sycl::aspect::ext_intel_device_info_uuid));
  const auto uuid = device.get_info<intel::uuid>();
  EXPECT(uuid == sycl::device().get_info<intel::uuid>());
  EXPECT(std::count(uuid.begin(), uuid.end(), 0) < 8);
  EXPECT(!device.has(sycl::aspect::ext_intel_gpu_eu_count));
  EXPECT_THROW(sycl::errc::feature_not_supported, "aspect", device.get_info<intel::gpu_eu_count>());
  EXPECT_THROW(sycl::errc::feature_not_supported, "aspect", device.get_info<intel::pci_address>());
}

// As code from SYCLomatic prints aspects.
std::string name_of_aspect(sycl::aspect what) {
  switch (what) {
#define __SYCL_ASPECT(name, number)                                                                \
  case sycl::aspect::name:                                                                         \
    static_assert(int(sycl::aspect::name) == number);                                              \
    return #name;
#define __SYCL_ASPECT_DEPRECATED(name, number, message) __SYCL_ASPECT(name, number)
#define __SYCL_ASPECT_DEPRECATED_ALIAS(name, number, message)
#include <sycl/info/aspects.def>
#include <sycl/info/aspects_deprecated.def>
#undef __SYCL_ASPECT_DEPRECATED_ALIAS
#undef __SYCL_ASPECT_DEPRECATED
#undef __SYCL_ASPECT
  default:
    return "unknown";
  }
}

TEST(aspects_have_names) {
  EXPECT_EQ(name_of_aspect(sycl::aspect::cpu), std::string("cpu"));
  EXPECT_EQ(name_of_aspect(sycl::aspect::usm_atomic_shared_allocations),
            std::string("usm_atomic_shared_allocations"));
  EXPECT_EQ(name_of_aspect(sycl::aspect(1 << 20)), std::string("unknown"));
  EXPECT(!sycl::device().has(sycl::aspect::ext_intel_matrix));
  static_assert(!sycl::any_device_has_v<sycl::aspect::ext_oneapi_virtual_mem>);
  static_assert(sycl::any_device_has_v<sycl::aspect::ext_oneapi_tangle_group>);
  for (sycl::aspect one : sycl::device().get_info<sycl::info::device::aspects>())
    EXPECT(name_of_aspect(one) != "unknown");
}

TEST(architectures) {
  const sycl::device device;
  const auto what = device.get_info<oneapi::info::device::architecture>();
#if defined(__x86_64__)
  EXPECT(what == oneapi::architecture::x86_64);
#endif
  EXPECT(device.ext_oneapi_architecture_is(what));
  EXPECT(!device.ext_oneapi_architecture_is(oneapi::architecture::intel_gpu_pvc));
  EXPECT(!device.ext_oneapi_architecture_is(oneapi::arch_category::intel_gpu));
  EXPECT(!device.ext_oneapi_architecture_is(oneapi::arch_category::nvidia_gpu));
  static_assert(oneapi::architecture::intel_gpu_12_10_0 == oneapi::architecture::intel_gpu_dg1);
}

TEST(devices_of_the_host_are_peers) {
  const sycl::device device;
  EXPECT(device.ext_oneapi_can_access_peer(device));
  EXPECT(
      device.ext_oneapi_can_access_peer(device, sycl::ext::oneapi::peer_access::atomics_supported));
  device.ext_oneapi_enable_peer_access(device);
  device.ext_oneapi_disable_peer_access(device);
}

// Names of DPC++ that programs use, sometimes without a check for the extension.
TEST(names_of_dpcpp) {
  static_assert(__SYCL_UNNAMED_LAMBDA__ && __LIBSYCL_MAJOR_VERSION >= 5);
  static_assert(__SYCL_COMPILER_VERSION >= 20230101); // GROMACS prints it
  static_assert(sycl::backend::ext_oneapi_level_zero != sycl::backend::opencl);
  static_assert(sycl::backend::ext_oneapi_cuda != sycl::backend::ext_oneapi_hip);
  std::stringstream text;
  text << sycl::backend::opencl << ' ' << sycl::backend::ext_oneapi_cuda;
  EXPECT_EQ(text.str(), std::string("opencl ext_oneapi_cuda"));

  const sycl::device device;
  const sycl::context context(device);
  sycl::queue queue(context, device,
                    {sycl::property::queue::in_order(),
                     sycl::ext::intel::property::queue::immediate_command_list()});
  EXPECT(queue.has_property<sycl::ext::intel::property::queue::immediate_command_list>());
  EXPECT(device.get_info<sycl::info::device::reference_count>() >= 1);
  const std::uint32_t before = context.get_info<sycl::info::context::reference_count>();
  const sycl::context copy = context;
  EXPECT_EQ(context.get_info<sycl::info::context::reference_count>(), before + 1);
  EXPECT(queue.get_info<sycl::info::queue::reference_count>() >= 1);
  EXPECT(device.get_platform().ext_oneapi_get_default_context() ==
         device.get_platform().khr_get_default_context());

  float *values = sycl::malloc_device<float>(2, queue);
  queue.single_task([=] {
    const sycl::ext::intel::device_ptr<float> pointer(values);
    const sycl::ext::intel::host_ptr<float> other(values + 1);
    pointer[0] = 3;
    *other = 4;
  });
  float seen[2] = {};
  queue.copy(values, seen, 2).wait();
  EXPECT_EQ(seen[0] + seen[1] * 10, 43.0f);
  sycl::free(values, queue);

  // DPC++'s header brings these headers of the standard library.
  std::unordered_map<int, int> map{{1, 2}};
  std::recursive_mutex mutex;
  const std::unique_lock<std::recursive_mutex> lock(mutex);
  EXPECT_EQ(map[1], 2);
  const sycl::nd_range<3> nothing;
  EXPECT_EQ(nothing.get_global_range().size(), 0u);
}

TEST(functions_of_bfloat16) {
  using sycl::ext::oneapi::bfloat16;
  namespace maths = sycl::ext::oneapi::experimental;
  sycl::queue queue;
  bfloat16 *out = sycl::malloc_shared<bfloat16>(8, queue);
  queue
      .single_task([=] {
        const sycl::marray<bfloat16, 2> both{bfloat16(-2.25f), bfloat16(3.0f)};
        out[0] = maths::sqrt(bfloat16(2.0f));
        out[1] = maths::fma(bfloat16(3.0f), bfloat16(5.0f), bfloat16(0.5f));
        out[2] = maths::fmax(both, -both)[0];
        out[3] = maths::floor(both)[0];
        out[4] = maths::isnan(both)[1] || maths::isnan(maths::log2(bfloat16(8.0f))) ? 1.0f : 0.0f;
        out[5] = maths::exp2(bfloat16(3.0f));
      })
      .wait();
  const float wanted[] = {float(bfloat16(std::sqrt(2.0f))), 15.5f, 2.25f, -3, 0, 8};
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(float(out[i]), wanted[i]);
  EXPECT(maths::isnan(bfloat16(NAN)) && !maths::isnan(bfloat16(INFINITY)));
  sycl::free(out, queue);
}

TEST(priorities_of_queues) {
  using sycl::ext::oneapi::property::queue::priority_high;
  using sycl::ext::oneapi::property::queue::priority_low;
  const sycl::queue low{{priority_low(), sycl::property::queue::in_order()}};
  EXPECT(low.has_property<priority_low>() && !low.has_property<priority_high>());
  EXPECT(low.is_in_order());
  EXPECT_THROW(sycl::errc::invalid, "one priority", sycl::queue({priority_low(), priority_high()}));
}

// Each work-item computes with masks, and with its own arrays of bool.
template <int Lanes> void expect_masks() {
  using sycl::ext::oneapi::sub_group_mask;
  constexpr int items = 64;
  sycl::queue queue;
  int *wrong = sycl::malloc_shared<int>(items, queue);
  queue
      .parallel_for(
          sycl::nd_range<1>(items, items), oneapi::properties{oneapi::sub_group_size<Lanes>},
          [=](sycl::nd_item<1> item) {
            const sycl::sub_group lanes = item.get_sub_group();
            const std::size_t own = lanes.get_local_linear_id();
            const auto holds = [](std::size_t i) { return i * i % 7 < 3; };
            const sub_group_mask mask = sycl::ext::oneapi::group_ballot(lanes, holds(own));
            int bad = 0;
            std::uint32_t count = 0;
            std::size_t low = Lanes, high = Lanes;
            for (std::size_t i = 0; i < Lanes; ++i) {
              bad |= mask[i] != holds(i);
              bad |= ((mask << 3)[i] != (i >= 3 && holds(i - 3))) << 1;
              bad |= ((mask >> 3)[i] != (i + 3 < Lanes && holds(i + 3))) << 2;
              bad |= ((~mask)[i] == holds(i)) << 3;
              count += holds(i);
              low = low == Lanes && holds(i) ? i : low;
              high = holds(i) ? i : high;
            }
            bad |= (mask.count() != count || mask.size() != Lanes) << 4;
            bad |= (mask.find_low() != low || mask.find_high() != high) << 5;
            sub_group_mask other = mask;
            other.reset_low();
            other[high].flip();
            bad |= (other.count() != count - 2 || (other | mask) != mask) << 6;
            bad |= ((mask & ~mask).any() || !(mask | ~mask).all() || (mask ^ mask) != 0) << 7;
            std::uint16_t bits = 0;
            mask.extract_bits(bits, 2);
            for (std::size_t i = 0; i < 16; ++i)
              bad |= ((bits >> i & 1) != (i + 2 < Lanes && holds(i + 2))) << 8;
            other.reset();
            other.insert_bits(sycl::marray<unsigned char, 2>{0x0f, 0xf0}, 4);
            for (std::size_t i = 0; i < Lanes; ++i)
              bad |= (other.test(i) != ((i >= 4 && i < 8) || (i >= 16 && i < 20))) << 9;
            wrong[item.get_global_linear_id()] = bad;
          })
      .wait();
  for (int i = 0; i < items; ++i)
    EXPECT_EQ(wrong[i], 0);
  sycl::free(wrong, queue);
}
TEST(masks_of_sub_groups) {
  expect_masks<8>();
  expect_masks<16>();
  expect_masks<32>();
  expect_masks<64>();
}

// If the condition holds, prints once for each work-item; a float is printed as in C.
TEST(dot_products_of_bytes) {
  using sycl::ext::oneapi::dot_acc;
  sycl::queue queue;
  int *of = sycl::malloc_shared<int>(5 * 32, queue);
  queue
      .parallel_for(32,
                    [=](sycl::id<1> i) {
                      const std::int32_t a = 0x7f80ff01;  // 127, -128, -1, 1
                      const std::uint32_t b = 0x02ff0003; // 2, 255, 0, 3
                      int *to = of + 5 * i[0];
                      const int sum = int(i[0]);
                      to[0] = dot_acc(a, a, sum);
                      to[1] = dot_acc(a, b, sum);
                      to[2] = dot_acc(b, a, sum);
                      to[3] = dot_acc(b, b, sum);
                      to[4] = dot_acc(sycl::vec<std::int8_t, 4>(1, -1, -128, 127),
                                      sycl::vec<std::uint8_t, 4>(3, 0, 255, 2), sum);
                    })
      .wait();
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(of[5 * i], 127 * 127 + 128 * 128 + 1 + 1 + i);
    for (int k : {1, 2, 4})
      EXPECT_EQ(of[5 * i + k], 127 * 2 - 128 * 255 + 3 + i);
    EXPECT_EQ(of[5 * i + 3], 2 * 2 + 255 * 255 + 9 + i);
  }
  sycl::free(of, queue);
}

TEST(printf_in_kernels) {
  namespace experimental = sycl::ext::oneapi::experimental;
  std::fflush(stdout);
  const int terminal = ::dup(1);
  std::FILE *const file = std::tmpfile();
  ::dup2(::fileno(file), 1);
  sycl::queue queue;
  queue
      .parallel_for(sycl::range<1>(10),
                    [=](sycl::id<1> i) {
                      if (i[0] % 3 == 0)
                        experimental::printf("item %d: %.2f %s %zu%%\n", int(i[0]), float(i[0]) / 4,
                                             "of ten", i[0] + (1UL << 40));
                    })
      .wait();
  std::fflush(stdout);
  ::dup2(terminal, 1);
  ::close(terminal);
  std::rewind(file);
  std::set<std::string> lines;
  char line[100];
  while (std::fgets(line, sizeof line, file))
    lines.insert(line);
  std::fclose(file);
  const std::set<std::string> wanted = {
      "item 0: 0.00 of ten 1099511627776%\n", "item 3: 0.75 of ten 1099511627779%\n",
      "item 6: 1.50 of ten 1099511627782%\n", "item 9: 2.25 of ten 1099511627785%\n"};
  EXPECT(lines == wanted);
}

} // namespace
