// SYCL on an NVIDIA card: buffers and accessors move between the card and the host, and what the
// device lacks is refused. Ends with 77 if no card is listed.
#include <sycl/sycl.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <optional>
#include <vector>

namespace {

namespace oneapi = sycl::ext::oneapi::experimental;

int failures = 0;

void check(bool is_right, const char *what) {
  if (!is_right) {
    std::printf("FAILED: %s\n", what);
    ++failures;
  }
}

template <class Function>
void check_refused(const char *what, Function function,
                   sycl::errc code = sycl::errc::feature_not_supported) {
  try {
    function();
    check(false, what);
  } catch (const sycl::exception &thrown) {
    check(thrown.code() == code, what);
  }
}

constexpr std::size_t count = 1000;

void check_device(const sycl::device &card) {
  using sycl::aspect;
  check(card.is_gpu() && card.has(aspect::gpu) && !card.has(aspect::cpu), "the type");
  check(card.has(aspect::fp64) && card.has(aspect::online_compiler), "aspects");
  check(card.has(aspect::usm_host_allocations) && card.has(aspect::usm_shared_allocations) &&
            card.has(aspect::usm_device_allocations),
        "USM");
  for (const aspect lacking : {aspect::usm_system_allocations, aspect::usm_atomic_host_allocations,
                               aspect::ext_intel_free_memory})
    check(!card.has(lacking), "aspects that the device lacks");
  namespace info = sycl::info::device;
  const auto scopes = card.get_info<info::atomic_memory_scope_capabilities>();
  check(std::count(scopes.begin(), scopes.end(), sycl::memory_scope::device) == 1 &&
            std::count(scopes.begin(), scopes.end(), sycl::memory_scope::system) == 0,
        "scopes");
  check(card.get_info<info::max_num_sub_groups>() * 32 ==
            card.get_info<info::max_work_group_size>(),
        "the number of sub-groups");
  check_refused("the free memory",
                [&] { (void)card.get_info<sycl::ext::intel::info::device::free_memory>(); });
  check(card.get_info<sycl::info::device::local_mem_type>() == sycl::info::local_mem_type::local,
        "the type of local memory");
}

void add_vectors(sycl::queue &queue) {
  std::vector<int> a(count), b(count, 5), sum(count);
  std::iota(a.begin(), a.end(), 0);
  {
    sycl::buffer<int> of_a(a), of_b(b), of_sum(sum);
    queue.submit([&](sycl::handler &group) {
      sycl::accessor from_a(of_a, group, sycl::read_only), from_b(of_b, group, sycl::read_only);
      sycl::accessor to(of_sum, group, sycl::write_only, sycl::no_init);
      group.parallel_for(sycl::range(count), [=](sycl::id<1> i) { to[i] = from_a[i] + from_b[i]; });
    });
  } // writes back
  for (std::size_t i = 0; i < count; ++i)
    if (sum[i] != int(i) + 5)
      return check(false, "vectors added");
}

// A buffer that commands of the card and of the host use in turns.
void take_turns(sycl::queue &queue) {
  sycl::buffer<int> numbers{sycl::range(count)};
  const auto step = [&](int factor) {
    queue.submit([&](sycl::handler &group) {
      sycl::accessor all(numbers, group);
      group.parallel_for(sycl::range(count), [=](sycl::id<1> i) { all[i] = all[i] * factor + 1; });
    });
  };
  queue.submit([&](sycl::handler &group) {
    group.fill(sycl::accessor(numbers, group, sycl::write_only, sycl::no_init), 7);
  });
  step(3); // 22
  {
    sycl::host_accessor all(numbers);
    for (int &value : all) {
      check(value == 22, "a host accessor sees what a kernel has written");
      ++value;
    }
  }
  step(2); // 47
  queue.submit([&](sycl::handler &group) {
    sycl::accessor all(numbers, group, sycl::read_write_host_task);
    group.host_task([=] {
      for (int &value : all)
        value -= 7;
    });
  });
  step(2); // 81
  std::vector<int> read(count);
  queue
      .submit([&](sycl::handler &group) {
        group.copy(sycl::accessor(numbers, group, sycl::read_only), read.data());
      })
      .wait();
  check(read == std::vector<int>(count, 81), "the card and the host in turns");
}

// Accessors of one to three dimensions, with offsets, behind other members; constants in between.
void use_boxes(sycl::queue &queue) {
  sycl::buffer<int, 1> line{sycl::range(64)};
  sycl::buffer<short, 2> plane{sycl::range(6, 10)};
  sycl::buffer<double, 3> space{sycl::range(3, 4, 5)};
  const char small = 3;
  queue.submit([&](sycl::handler &group) {
    sycl::accessor x(line, group, sycl::range(32), sycl::id(16));
    sycl::accessor y(plane, group, sycl::range(4, 8), sycl::id(1, 2));
    sycl::accessor z(space, group);
    group.single_task([=] {
      for (std::size_t i = 0; i < 32; ++i)
        x[i] = int(i) * small;
      y[2][3] = 23;
      z[2][3][4] = 234;
    });
  });
  check(sycl::host_accessor(line)[16 + 9] == 27, "a part of a line");
  check(sycl::host_accessor(plane)[3][5] == 23, "a part of a plane");
  check(sycl::host_accessor(space)[2][3][4] == 234, "a box");
  sycl::buffer<int, 1> half(line, sycl::id(32), sycl::range(32));
  queue.submit([&](sycl::handler &group) {
    sycl::accessor x(half, group);
    group.single_task([=] { x[5] = 99; });
  });
  check(sycl::host_accessor(line)[37] == 99, "a sub-buffer");
}

void use_local_memory(sycl::queue &queue) {
  constexpr std::size_t local = 64, groups = 10;
  sycl::buffer<int> sums{sycl::range(groups)};
  queue.submit([&](sycl::handler &group) {
    sycl::accessor to(sums, group, sycl::write_only, sycl::no_init);
    sycl::local_accessor<int> own(sycl::range(local), group);
    group.parallel_for(sycl::nd_range<1>(groups * local, local), [=](sycl::nd_item<1> item) {
      const std::size_t l = item.get_local_id(0);
      own[l] = int(item.get_global_id(0));
      sycl::group_barrier(item.get_group());
      for (std::size_t step = local / 2; step; step /= 2) {
        if (l < step)
          own[l] += own[l + step];
        sycl::group_barrier(item.get_group());
      }
      if (l == 0)
        to[item.get_group(0)] = own[0];
    });
  });
  sycl::host_accessor all(sums);
  for (std::size_t g = 0; g < groups; ++g)
    check(all[g] == int(local * (local * g) + local * (local - 1) / 2), "local memory");
}

// Pointers in function objects and in memory, from host and shared allocations.
void use_usm(sycl::queue &queue) {
  struct Node {
    int value;
    Node *next;
  };
  Node *nodes = sycl::malloc_shared<Node>(count, queue);
  int *sum = sycl::malloc_host<int>(2, queue);
  check(nodes && sum, "allocations");
  queue.parallel_for(sycl::range(count), [=](sycl::id<1> i) {
    nodes[i] = {int(i[0]), i + 1 < count ? nodes + i + 1 : nullptr};
  });
  queue.wait();
  check(nodes[5].value == 5 && nodes[5].next == nodes + 6,
        "the host sees what a kernel has written");
  nodes[7].value = 1007;
  queue.single_task([=] {
    sum[0] = 0;
    for (const Node *node = nodes; node; node = node->next)
      sum[0] += node->value;
  });
  queue.memcpy(sum + 1, &nodes[7].value, sizeof(int)).wait();
  queue.wait();
  check(sum[0] == int(count * (count - 1) / 2) + 1000, "a list through shared memory");
  check(sum[1] == 1007, "a copy between allocations");
  sycl::free(nodes, queue);
  sycl::free(sum, queue);
}

// Memory of the card, whose addresses the program has: in function objects and in memory.
void use_device_usm(sycl::queue &queue) {
  struct Node {
    int value;
    const Node *next;
  };
  Node *nodes = sycl::malloc_device<Node>(count, queue);
  int *sum = sycl::malloc_device<int>(2, queue);
  int *seen = sycl::malloc_shared<int>(2, queue);
  check(nodes && sum && seen, "allocations of the device");
  check(sycl::get_pointer_type(nodes + 3, queue.get_context()) == sycl::usm::alloc::device &&
            sycl::get_pointer_device(nodes + 3, queue.get_context()) == queue.get_device(),
        "what an allocation of the device says of itself");
  queue.parallel_for(sycl::range(count), [=](sycl::id<1> i) {
    nodes[i] = {int(i[0]), i + 1 < count ? nodes + i + 1 : nullptr};
  });
  const int changed = 1007;
  queue.wait();
  queue.memcpy(&nodes[7].value, &changed, sizeof changed).wait();
  queue.fill(sum, -5, 2).wait();
  queue.single_task([=] {
    for (const Node *node = nodes; node; node = node->next)
      sum[0] += node->value;
  });
  queue.wait();
  queue.prefetch(sum, 2 * sizeof(int));
  queue.memcpy(seen, sum, 2 * sizeof(int)).wait(); // from the card to pinned memory
  check(seen[0] == int(count * (count - 1) / 2) + 1000 - 5 && seen[1] == -5,
        "a list through memory of the device");
  seen[1] = 12;
  queue.memcpy(sum + 1, seen + 1, sizeof(int)).wait(); // back
  queue.memcpy(sum, sum + 1, sizeof(int)).wait();      // on the card
  int both[2] = {};
  queue.memcpy(both, sum, sizeof both).wait();
  check(both[0] == 12 && both[1] == 12, "copies of memory of the device");
  // Nothing waits in between: kernels see what the copies before them have written.
  sycl::queue in_order(queue.get_context(), queue.get_device(), sycl::property::queue::in_order());
  for (int i = 0; i < 20; ++i) {
    in_order.single_task([=] { sum[0] += 1; });
    in_order.memcpy(seen, sum, sizeof(int));
    in_order.single_task([=] { seen[0] *= 2; });
    in_order.memcpy(sum + 1, seen, sizeof(int));
  }
  in_order.memcpy(both, sum, sizeof both).wait();
  check(both[0] == 32 && both[1] == 64, "copies and kernels in turns");
  sycl::free(nodes, queue);
  sycl::free(sum, queue);
  sycl::free(seen, queue);
}

// Copies and fills of accessors, with memory of the host and of the card.
void copy_accessors(sycl::queue &queue) {
  sycl::buffer<int> numbers{sycl::range(count)}, other{sycl::range(count)};
  int *of_card = sycl::malloc_device<int>(count, queue);
  std::vector<int> expected(count, 3), got(count);
  const auto step = [&] {
    queue.submit([&](sycl::handler &group) {
      sycl::accessor all(numbers, group);
      group.parallel_for(sycl::range(count), [=](sycl::id<1> i) { all[i] += int(i[0]); });
    });
    for (std::size_t i = 0; i < count; ++i)
      expected[i] += int(i);
  };
  queue.submit([&](sycl::handler &group) {
    group.fill(sycl::accessor(numbers, group, sycl::write_only, sycl::no_init), 3);
  });
  step();
  queue.submit([&](sycl::handler &group) { // a part, which the card fills
    group.fill(sycl::accessor(numbers, group, sycl::range(100), sycl::id(50), sycl::write_only), 9);
  });
  std::fill_n(expected.begin() + 50, 100, 9);
  step();
  queue.submit([&](sycl::handler &group) {
    group.copy(sycl::accessor(numbers, group, sycl::read_only),
               sycl::accessor(other, group, sycl::write_only, sycl::no_init));
  });
  queue.submit([&](sycl::handler &group) {
    group.copy(sycl::accessor(other, group, sycl::range(count - 7), sycl::id(7), sycl::read_only),
               of_card);
  });
  queue.wait();
  queue.memcpy(got.data(), of_card, (count - 7) * sizeof(int)).wait();
  check(std::equal(got.begin(), got.end() - 7, expected.begin() + 7), "accessors to the card");
  step();
  queue.submit([&](sycl::handler &group) {
    group.copy(of_card,
               sycl::accessor(numbers, group, sycl::range(20), sycl::id(5), sycl::write_only));
  });
  std::copy_n(got.begin(), 20, expected.begin() + 5);
  queue.submit([&](sycl::handler &group) {
    group.copy(sycl::accessor(numbers, group, sycl::read_only), got.data());
  });
  queue.wait();
  check(got == expected, "accessors to the host");
  std::iota(expected.begin(), expected.end(), 4);
  queue.submit([&](sycl::handler &group) {
    group.copy(expected.data(), sycl::accessor(numbers, group, sycl::write_only));
  });
  step();
  check(std::equal(expected.begin(), expected.end(), sycl::host_accessor(numbers).begin()),
        "memory of the host to an accessor");
  sycl::free(of_card, queue);
}

// Fills at addresses that the driver's units do not fit, and large transfers.
void move_device_usm(sycl::queue &queue) {
  const std::size_t large = std::size_t{5} << 20; // more than a part of a transfer
  auto *bytes = sycl::malloc_device<unsigned char>(large, queue);
  struct Three {
    unsigned char all[3];
  };
  struct Six {
    unsigned short all[3];
  };
  std::vector<unsigned char> expected(large, 9), got(large);
  queue.memset(bytes, 9, large).wait();
  queue.fill(reinterpret_cast<Three *>(bytes + 1), Three{{1, 2, 3}}, 5).wait();
  queue.fill(reinterpret_cast<Six *>(bytes + 22), Six{{0x0504, 0x0706, 0x0908}}, 4).wait();
  for (int i = 0; i < 15; ++i)
    expected[1 + i] = (unsigned char)(1 + i % 3);
  for (int i = 0; i < 24; ++i)
    expected[22 + i] = (unsigned char)(4 + i % 6);
  queue.memcpy(got.data(), bytes, large).wait();
  check(got == expected, "fills of memory of the device");
  std::iota(expected.begin(), expected.end(), 3);
  queue.memcpy(bytes, expected.data(), large).wait();
  queue.memcpy(got.data(), bytes, large).wait();
  check(got == expected, "large copies of memory of the device");
  check_refused(
      "a copy beyond an allocation", [&] { queue.memcpy(bytes + 1, expected.data(), large); },
      sycl::errc::invalid);
  check_refused(
      "a fill beyond an allocation", [&] { queue.memset(bytes + large - 1, 0, 2); },
      sycl::errc::invalid);
  for (const sycl::device &other : sycl::device::get_devices(sycl::info::device_type::cpu)) {
    sycl::queue cpu(other);
    std::vector<unsigned char> three = {1, 2, 3};
    cpu.memcpy(bytes + 5, three.data(), 3).wait();
    cpu.memcpy(got.data(), bytes + 4, 5).wait();
    check(std::equal(three.begin(), three.end(), got.begin() + 1) && got[0] == expected[4] &&
              got[4] == expected[8],
          "copies of memory of the card by the CPU");
    check_refused("memory of the card filled by the CPU", [&] { cpu.memset(bytes, 0, 4); });
  }
  sycl::free(bytes, queue);
  check(sycl::malloc_device<char>(std::size_t{1} << 60, queue) == nullptr,
        "an allocation that is too large");
}

// Boxes of memory that only the card has, and patterns that are longer than OpenCL's.
void move_boxes(sycl::queue &queue) {
  struct Row {
    int all[50];
  };
  constexpr std::size_t width = 60, height = 30, wide = 300'000; // ints; `wide` is more than 1 MiB
  std::vector<int> expected(width * height), got(width * height), other(wide * 3);
  int *const box = sycl::malloc_device<int>(width * height, queue);
  int *const rows = sycl::malloc_device<int>(wide * 3, queue);
  queue.fill(box, 0, width * height).wait();
  queue.fill(reinterpret_cast<Row *>(box + 5), Row{{1, 2, 3}}, 2).wait();
  for (const std::size_t at : {5, 55})
    for (int i = 0; i < 3; ++i)
      expected[at + std::size_t(i)] = i + 1;
  const auto expect = [&](const char *what) {
    queue.memcpy(got.data(), box, sizeof(int) * got.size()).wait();
    check(got == expected, what);
  };
  expect("a fill with a long pattern");
  queue.ext_oneapi_fill2d(box + 7, width, 4, 11, height - 1).wait();
  for (std::size_t y = 0; y < height - 1; ++y)
    std::fill_n(expected.begin() + std::ptrdiff_t(y * width + 7), 11, 4);
  expect("a fill of a box");
  std::iota(other.begin(), other.end(), 1);
  queue.ext_oneapi_copy2d(other.data() + 2, 40, box + width, width, 33, 20).wait();
  for (std::size_t y = 0; y < 20; ++y)
    std::copy_n(other.begin() + std::ptrdiff_t(2 + 40 * y), 33,
                expected.begin() + std::ptrdiff_t((y + 1) * width));
  expect("a box from the host to the card");
  std::vector<int> read(25 * 10, -1), wanted = read;
  queue.ext_oneapi_copy2d(box + 1, width, read.data(), 25, 24, 10).wait();
  for (std::size_t y = 0; y < 10; ++y)
    std::copy_n(expected.begin() + std::ptrdiff_t(1 + width * y), 24,
                wanted.begin() + std::ptrdiff_t(25 * y));
  check(read == wanted, "a box from the card to the host");
  int *const pinned = sycl::malloc_host<int>(25 * 10, queue);
  std::fill_n(pinned, 25 * 10, -1);
  queue.ext_oneapi_copy2d(box + 1, width, pinned, 25, 24, 10).wait();
  check(std::equal(wanted.begin(), wanted.end(), pinned), "a box to a host allocation");
  queue.memcpy(rows, other.data(), sizeof(int) * other.size()).wait();
  queue.ext_oneapi_copy2d(other.data() + wide, wide, rows, wide, wide - 1, 2).wait();
  std::vector<int> all(other.size());
  queue.ext_oneapi_copy2d(rows, wide, all.data(), wide, wide, 3).wait();
  std::copy_n(other.begin() + wide, wide - 1, other.begin());
  const auto second = std::ptrdiff_t(wide);
  std::copy_n(other.begin() + 2 * second, wide - 1, other.begin() + second);
  check(all == other, "boxes with long rows");
  sycl::free(pinned, queue);
  sycl::free(rows, queue);
  sycl::free(box, queue);
}

// A box of a buffer in three dimensions, filled and copied, while the card has the contents.
void fill_box_of_buffer(sycl::queue &queue) {
  const sycl::range size(6, 7, 8);
  sycl::buffer<short, 3> numbers(size);
  int *const sums = sycl::malloc_shared<int>(2, queue);
  queue.submit([&](sycl::handler &group) {
    sycl::accessor all(numbers, group, sycl::write_only, sycl::no_init);
    group.parallel_for(size, [=](sycl::id<3> at) { all[at] = 1; });
  });
  queue.submit([&](sycl::handler &group) {
    group.fill(
        sycl::accessor(numbers, group, sycl::range(3, 4, 5), sycl::id(2, 1, 3), sycl::write_only),
        short(100));
  });
  queue.submit([&](sycl::handler &group) {
    sycl::accessor all(numbers, group, sycl::read_only);
    group.single_task([=] {
      sums[0] = sums[1] = 0;
      for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t j = 0; j < 7; ++j)
          for (std::size_t k = 0; k < 8; ++k) {
            const bool is_inside = i >= 2 && i < 5 && j >= 1 && j < 5 && k >= 3;
            sums[is_inside] += all[i][j][k];
          }
    });
  });
  queue.wait();
  check(sums[0] == 6 * 7 * 8 - 60 && sums[1] == 6000, "a fill of a box of a buffer");
  sycl::free(sums, queue);
}

// Groups of the program's size, groups that the library chooses, operators without identity.
void reduce(sycl::queue &queue) {
  const std::size_t all = 100'000;
  std::vector<std::size_t> got(3);
  std::size_t *const sum = sycl::malloc_device<std::size_t>(1, queue);
  struct Least {
    std::size_t operator()(std::size_t a, std::size_t b) const { return a < b ? a : b; }
  };
  {
    sycl::buffer<std::size_t> total(got.data(), sycl::range(1)),
        least(got.data() + 1, sycl::range(1));
    got[1] = all;
    for (int i = 0; i < 2; ++i)
      queue.submit([&](sycl::handler &group) {
        group.parallel_for(sycl::range(all), sycl::reduction(total, group, sycl::plus<>()),
                           sycl::reduction(least, group, Least()),
                           [=](sycl::id<1> at, auto &add, auto &smallest) {
                             add += at[0];
                             smallest.combine(at[0] + 7);
                           });
      });
  }
  check(got[0] == all * (all - 1) && got[1] == 7, "reductions of a range");
  queue
      .parallel_for(
          sycl::nd_range<1>(all, 32),
          sycl::reduction(sum, sycl::plus<>(), sycl::property::reduction::initialize_to_identity()),
          [=](sycl::nd_item<1> at, auto &add) { add += at.get_global_id(0) * 3; })
      .wait();
  queue.memcpy(got.data() + 2, sum, sizeof *sum).wait();
  check(got[2] == all * (all - 1) / 2 * 3, "a reduction of many groups");
  sycl::free(sum, queue);
}

// Each launch passes three barriers of all groups.
void meet_all_groups(sycl::queue &queue) {
  constexpr std::size_t items = 32 * 40;
  int *const data = sycl::malloc_device<int>(items, queue);
  std::vector<int> got(items), expected(items);
  for (int launch = 0; launch < 3; ++launch)
    queue
        .parallel_for(sycl::nd_range<1>(items, 32), oneapi::properties{oneapi::use_root_sync},
                      [=](sycl::nd_item<1> at) {
                        const std::size_t own = at.get_global_id(0);
                        const auto root = at.ext_oneapi_get_root_group();
                        data[own] = int(own) + launch;
                        sycl::group_barrier(root);
                        const int other = data[(own + 777) % items];
                        sycl::group_barrier(root);
                        data[own] = other;
                        sycl::group_barrier(root);
                      })
        .wait();
  queue.memcpy(got.data(), data, items * sizeof(int)).wait();
  for (std::size_t i = 0; i < items; ++i)
    expected[i] = int((i + 777) % items) + 2;
  check(got == expected, "barriers of all groups");
  sycl::free(data, queue);
}

oneapi::device_global<std::array<int, 2>> numbers_of_device{std::array<int, 2>{5, 6}};

// Each device has an instance with the initial contents.
void own_variables(sycl::queue &card) {
  const auto has = [](sycl::queue &queue, int first, int second) {
    int got[2] = {};
    queue.memcpy(got, numbers_of_device).wait();
    return got[0] == first && got[1] == second;
  };
  const auto add = [](sycl::queue &queue) {
    queue.single_task([] { numbers_of_device[0] += 10; }).wait();
  };
  std::vector<sycl::queue> others;
  for (const sycl::device &device : sycl::device::get_devices(sycl::info::device_type::cpu))
    others.emplace_back(device);
  for (sycl::queue &cpu : others)
    add(cpu);
  check(has(card, 5, 6), "the initial contents of a device variable");
  add(card);
  const int seven = 7;
  card.memcpy(numbers_of_device, &seven, sizeof seven, sizeof seven).wait();
  add(card);
  check(has(card, 25, 7), "a device variable that kernels and copies change");
  for (sycl::queue &cpu : others)
    check(has(cpu, 15, 6), "a device variable on the CPU");
}

// A kernel of OpenCL C gets accessors of parts of a buffer, an allocation, a null pointer, and the
// address of memory that the card cannot access.
void set_arguments(sycl::queue &queue) {
  const auto bundle = oneapi::build(oneapi::create_kernel_bundle_from_source(
      queue.get_context(), oneapi::source_language::opencl,
      "kernel void add(global int *to, global const int *by, global int *none) {"
      "  to[get_global_id(0)] += by[get_global_id(0)] + (none ? 1000 : 0); }"));
  const sycl::kernel add = bundle.ext_oneapi_get_kernel("add");
  sycl::buffer<int> numbers{sycl::range(count)};
  int *const by = sycl::malloc_device<int>(100, queue);
  queue.fill(by, 4, 100).wait();
  queue.submit([&](sycl::handler &group) {
    group.fill(sycl::accessor(numbers, group, sycl::write_only, sycl::no_init), 1);
  });
  const auto submit = [&](auto source) {
    queue.submit([&](sycl::handler &group) {
      sycl::accessor part(numbers, group, sycl::range(count - 1), sycl::id(1), sycl::read_write);
      sycl::accessor first(numbers, group, sycl::range(1), sycl::read_write);
      group.set_args(part, source, static_cast<int *>(nullptr));
      group.parallel_for(sycl::range(50), add);
    });
  };
  submit(by);
  std::vector<int> on_host(100, 1);
  check_refused("the address of memory of the host", [&] { submit(on_host.data()); });
  submit(by + 50);
  // The kernel gets the address of the whole buffer, as get_pointer() gives it.
  const sycl::host_accessor got(numbers, sycl::read_only);
  check(got[0] == 9 && got[49] == 9 && got[50] == 1, "arguments of OpenCL C");
  sycl::free(by, queue);
}

// The card and the CPU add to one buffer in turns, where both are listed.
void share_with_cpu(sycl::queue &card) {
  for (const sycl::device &other : sycl::device::get_devices(sycl::info::device_type::cpu)) {
    sycl::queue cpu(other);
    sycl::buffer<int> numbers{sycl::range(count)};
    {
      sycl::host_accessor all(numbers, sycl::write_only);
      std::fill(all.begin(), all.end(), 1);
    }
    for (int i = 0; i < 10; ++i)
      (i % 2 ? cpu : card).submit([&](sycl::handler &group) {
        sycl::accessor all(numbers, group);
        group.parallel_for(sycl::range(count), [=](sycl::id<1> at) { all[at] = all[at] * 2 + 1; });
      });
    check(sycl::host_accessor(numbers)[count - 1] == 2047, "the card and the CPU in turns");
  }
}

// Shared memory that the CPU has used before a queue of the card was made. `head` has addresses of
// the other allocations, which the card's kernel finds there only.
class UsedBefore {
public:
  struct Head {
    int *small, *large;
  };
  explicit UsedBefore(const sycl::device &cpu) : cpu_(cpu) {
    head_ = sycl::malloc_shared<Head>(1, cpu_);
    *head_ = {sycl::malloc_shared<int>(count, cpu_), sycl::malloc_host<int>(large_count, cpu_)};
    std::iota(head_->small, head_->small + count, 0);
    std::fill(head_->large, head_->large + large_count, 0);
    step(cpu_);
  }
  void use(sycl::queue &card) {
    check(card.get_context() == cpu_.get_context(), "one default context");
    step(card);
    step(cpu_);
    int *on_card = sycl::malloc_device<int>(large_count, card);
    card.copy(head_->large, on_card, large_count).wait(); // as one copy, since it is pinned
    card.copy(on_card, head_->large, large_count).wait();
    sycl::free(on_card, card);
    check(head_->small[count - 1] == 8 * int(count - 1), "memory used on the CPU before");
    check(head_->large[large_count - 1] == 3, "much memory used on the CPU before");
    sycl::free(head_->small, card);
    sycl::free(head_->large, card);
    sycl::free(head_, card);
  }

private:
  static constexpr std::size_t large_count = 1 << 20;

  void step(sycl::queue &queue) {
    const Head *head = head_;
    queue
        .parallel_for(sycl::range(large_count),
                      [=](sycl::id<1> i) {
                        if (i < count)
                          head->small[i] *= 2;
                        head->large[i] += 1;
                      })
        .wait();
  }

  sycl::queue cpu_;
  Head *head_ = nullptr;
};

} // namespace

int main() {
  std::optional<UsedBefore> used_before;
  if (const auto cpus = sycl::device::get_devices(sycl::info::device_type::cpu); !cpus.empty())
    used_before.emplace(cpus[0]);
  if (sycl::device::get_devices(sycl::info::device_type::gpu).empty()) {
    std::printf("Lockstep lists no NVIDIA card\n");
    return 77;
  }
  sycl::queue queue{sycl::gpu_selector_v};
  std::printf("card: %s\n", queue.get_device().get_info<sycl::info::device::name>().c_str());
  if (used_before)
    used_before->use(queue);
  check_device(queue.get_device());
  add_vectors(queue);
  take_turns(queue);
  use_boxes(queue);
  use_local_memory(queue);
  use_usm(queue);
  use_device_usm(queue);
  move_device_usm(queue);
  copy_accessors(queue);
  move_boxes(queue);
  fill_box_of_buffer(queue);
  reduce(queue);
  meet_all_groups(queue);
  own_variables(queue);
  set_arguments(queue);
  share_with_cpu(queue);
  std::printf(failures ? "FAILED\n" : "ok\n");
  return failures != 0;
}
