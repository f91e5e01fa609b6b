// Order of commands: accessors, events, queues, host accessors, destruction of buffers; and the
// errors of each.
#include <sycl/sycl.hpp>

#include "check.h"

#include <atomic>
#include <thread>

namespace {

using sycl::access_mode;
using sycl::range;

// A chain of commands through two buffers; each value shows in which order they ran.
TEST(accessors_make_edges) {
  constexpr int rounds = 200;
  int a = 0, b = 0;
  {
    sycl::queue queue;
    sycl::buffer<int> of_a(&a, 1), of_b(&b, 1);
    for (int i = 0; i < rounds; ++i) {
      queue.submit([&](sycl::handler &group) { // reads what the last iteration wrote
        sycl::accessor x(of_a, group, sycl::read_only);
        sycl::accessor y(of_b, group, sycl::read_write);
        group.single_task([=] { y[0] = y[0] + x[0] + 1; });
      });
      queue.submit([&](sycl::handler &group) { // writes what the others have read
        sycl::accessor x(of_a, group, sycl::write_only);
        group.single_task([=] { x[0] = i; });
      });
    }
  }
  int expected_b = 0, expected_a = 0;
  for (int i = 0; i < rounds; ++i) {
    expected_b += expected_a + 1;
    expected_a = i;
  }
  EXPECT_EQ(a, expected_a);
  EXPECT_EQ(b, expected_b);
}

TEST(readers_do_not_wait_for_each_other) {
  sycl::queue queue;
  std::vector<int> values(16, 3);
  sycl::buffer<int> of_values(values);
  std::atomic<int> arrived = 0;
  auto meet = [&](sycl::handler &group) {
    sycl::accessor in(of_values, group, sycl::read_only_host_task);
    group.host_task([&arrived, in] {
      ++arrived;
      for (int i = 0; arrived < 2 && i < 5000; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  };
  if (queue.get_device().get_info<sycl::info::device::max_compute_units>() < 2)
    return; // no concurrency
  queue.submit(meet);
  queue.submit(meet);
  queue.wait();
  EXPECT_EQ(arrived.load(), 2);
}

TEST(sub_buffers_and_their_whole) {
  std::vector<int> values(8, 1);
  {
    sycl::queue queue;
    sycl::buffer<int> whole(values);
    sycl::buffer<int> left(whole, 0, 4), right(whole, 4, 4);
    EXPECT(left.is_sub_buffer());
    for (int factor : {2, 3}) {
      for (sycl::buffer<int> *part : {&left, &right})
        queue.submit([&](sycl::handler &group) {
          sycl::accessor out(*part, group);
          const int add = part == &right ? 1 : 0;
          group.parallel_for(4, [=](sycl::id<1> i) { out[i] = out[i] * factor + add; });
        });
      queue.submit([&](sycl::handler &group) {
        sycl::accessor out(whole, group);
        group.parallel_for(8, [=](sycl::id<1> i) { out[i] += 10; });
      });
    }
    EXPECT_THROW(sycl::errc::invalid, "sub-buffer", sycl::buffer<int>(left, 0, 2));
    EXPECT_THROW(sycl::errc::invalid, "not inside", sycl::buffer<int>(whole, 6, 3));
  }
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_EQ(values[i], i < 4 ? 46 : 50);
}

TEST(host_accessors_wait_and_block) {
  sycl::queue queue;
  sycl::buffer<int> of_values{range<1>(1000)};
  queue.submit([&](sycl::handler &group) {
    sycl::accessor out(of_values, group, sycl::write_only);
    group.parallel_for(1000, [=](sycl::id<1> i) { out[i] = static_cast<int>(i[0]); });
  });
  sycl::event later;
  {
    sycl::host_accessor values(of_values);
    for (int i = 0; i < 1000; ++i)
      EXPECT_EQ(values[static_cast<std::size_t>(i)], i);
    later = queue.submit([&](sycl::handler &group) {
      sycl::accessor out(of_values, group);
      group.parallel_for(1000, [=](sycl::id<1> i) { out[i] += 1; });
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT(later.get_info<sycl::info::event::command_execution_status>() !=
           sycl::info::event_command_status::complete);
    for (int i = 0; i < 1000; ++i)
      values[static_cast<std::size_t>(i)] = -i;
  }
  sycl::host_accessor values(of_values, sycl::read_only);
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(values[static_cast<std::size_t>(i)], 1 - i);
}

auto add_one(sycl::buffer<int> &to) {
  return [&to](sycl::handler &group) {
    sycl::accessor out(to, group);
    group.parallel_for(to.get_range(), [=](sycl::id<1> i) { out[i] += 1; });
  };
}

TEST(where_contents_go_in_the_end) {
  sycl::queue queue;
  std::vector<int> unchanged(10, 5), final_data(10), from_iterators(10, 6);
  const std::vector<int> constant(10, 7);
  {
    sycl::buffer<int> off(unchanged), elsewhere(constant.data(), range<1>(10));
    sycl::buffer<int> copied(from_iterators.begin(), from_iterators.end());
    off.set_write_back(false);
    elsewhere.set_final_data(final_data.begin());
    for (auto *one : {&off, &elsewhere, &copied})
      queue.submit(add_one(*one));
    sycl::host_accessor seen(copied, sycl::read_only);
    EXPECT_EQ(seen[9], 7);
  }
  EXPECT_EQ(unchanged[3], 5);
  EXPECT_EQ(constant[3], 7);
  EXPECT_EQ(final_data[9], 8);
  EXPECT_EQ(from_iterators[9], 6);
  auto shared = std::make_shared<int>(1);
  {
    sycl::buffer<int> of_shared(shared, range<1>(1));
    queue.submit(add_one(of_shared));
  }
  EXPECT_EQ(*shared, 2);
}

TEST(events_and_in_order_queues) {
  sycl::queue out_of_order, in_order{sycl::property::queue::in_order()};
  EXPECT(in_order.is_in_order() && !out_of_order.is_in_order());
  int *value = sycl::malloc_shared<int>(1, in_order);
  *value = 0;
  for (int i = 1; i <= 100; ++i)
    in_order.single_task([=] { *value = *value * 3 % 1000 + i; });
  in_order.wait();
  sycl::event last;
  for (int i = 1; i <= 100; ++i)
    last = out_of_order.single_task(last, [=] { *value = *value * 3 % 1000 + i; });
  last.wait();
  int expected = 0;
  for (int round = 0; round < 2; ++round)
    for (int i = 1; i <= 100; ++i)
      expected = expected * 3 % 1000 + i;
  EXPECT_EQ(*value, expected);
  sycl::free(value, in_order);
}

TEST(copies_and_fills) {
  sycl::queue queue;
  std::vector<int> values(12), column(4), dense(12, -1);
  {
    sycl::buffer<int, 2> grid(values.data(), {4, 3});
    queue.submit([&](sycl::handler &group) {
      sycl::accessor all(grid, group, sycl::write_only);
      group.fill(all, 5);
    });
    queue.submit([&](sycl::handler &group) {
      sycl::accessor middle(grid, group, range<2>(4, 1), sycl::id<2>(0, 1), sycl::write_only);
      group.fill(middle, 9);
    });
    queue.submit([&](sycl::handler &group) {
      sycl::accessor middle(grid, group, range<2>(4, 1), sycl::id<2>(0, 1), sycl::read_only);
      group.copy(middle, column.data());
    });
    queue.submit([&](sycl::handler &group) {
      sycl::accessor all(grid, group, sycl::read_only);
      group.copy(all, dense.data());
    });
    queue.wait();
  }
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(values[i], i % 3 == 1 ? 9 : 5);
    EXPECT_EQ(dense[i], values[i]);
    EXPECT_EQ(column[i / 3], 9);
  }
}

TEST(profiling) {
  sycl::queue queue{sycl::property::queue::enable_profiling()}, without;
  namespace profiling = sycl::info::event_profiling;
  sycl::event event = queue.single_task([] {});
  const auto submitted = event.get_profiling_info<profiling::command_submit>(),
             began = event.get_profiling_info<profiling::command_start>(),
             ended = event.get_profiling_info<profiling::command_end>();
  EXPECT(submitted > 0 && submitted <= began && began <= ended);
  EXPECT_THROW(sycl::errc::invalid, "enable_profiling",
               without.single_task([] {}).get_profiling_info<profiling::command_end>());
}

TEST(asynchronous_errors_reach_the_handler) {
  int errors = 0;
  sycl::queue queue{[&](sycl::exception_list list) { errors += static_cast<int>(list.size()); }};
  queue.submit([](sycl::handler &group) {
    group.host_task([] { throw std::runtime_error("a word of the task"); });
  });
  queue.wait_and_throw();
  EXPECT_EQ(errors, 1);
  queue.wait_and_throw();
  EXPECT_EQ(errors, 1);
}

TEST(errors_of_the_command_group) {
  sycl::queue queue;
  EXPECT_THROW(sycl::errc::invalid, "more than one command", queue.submit([](sycl::handler &group) {
    group.single_task([] {});
    group.single_task([] {});
  }));
  try {
    queue.submit([](sycl::handler &) { throw 42; });
    EXPECT(!"the exception comes out of submit");
  } catch (int value) {
    EXPECT_EQ(value, 42);
  }
  int outside = 0;
  EXPECT_THROW(sycl::errc::invalid, "not allocated", sycl::free(&outside, queue));
}

TEST(events_name_those_that_they_come_after) {
  sycl::queue queue;
  const sycl::event first = queue.single_task([] {}), second = queue.single_task(first, [] {});
  sycl::event last = queue.single_task({first, second}, [] {});
  const std::vector<sycl::event> before = last.get_wait_list();
  EXPECT_EQ(before.size(), 2u);
  EXPECT(before[0] == first && before[1] == second && before[0] != second && last != second);
  EXPECT_EQ(std::hash<sycl::event>()(before[1]), std::hash<sycl::event>()(second));
  EXPECT(sycl::event() != sycl::event());
  last.wait();
}

TEST(devices_and_selectors) {
  sycl::device device{sycl::cpu_selector_v};
  EXPECT(device.is_cpu() && device.has(sycl::aspect::fp64));
  EXPECT(device.get_platform().get_info<sycl::info::platform::name>() == "Lockstep");
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
  EXPECT(sycl::device(sycl::default_selector{}) == device);
#pragma clang diagnostic pop
  EXPECT(!device.get_info<sycl::info::device::sub_group_sizes>().empty());
  const sycl::range<2> sizes = device.get_info<sycl::info::device::max_work_item_sizes<2>>();
  EXPECT(sizes[0] > 0 && sizes[1] > 0);
  EXPECT_THROW(sycl::errc::runtime, "selector", sycl::queue{sycl::gpu_selector_v});
  EXPECT(sycl::context(device).get_devices().front() == device);
}

} // namespace
