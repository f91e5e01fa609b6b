// SYCL on an NVIDIA card: buffers and accessors move between the card and the host, and what the
// device lacks is refused. Ends with 77 if no card is listed.
#include <sycl/sycl.hpp>

#include <cstdio>
#include <numeric>
#include <vector>

namespace {

int failures = 0;

void check(bool is_right, const char *what) {
  if (!is_right) {
    std::printf("FAILED: %s\n", what);
    ++failures;
  }
}

template <class Function> void check_refused(const char *what, Function function) {
  try {
    function();
    check(false, what);
  } catch (const sycl::exception &thrown) {
    check(thrown.code() == sycl::errc::feature_not_supported, what);
  }
}

constexpr std::size_t count = 1000;

void check_device(const sycl::device &card) {
  using sycl::aspect;
  check(card.is_gpu() && card.has(aspect::gpu) && !card.has(aspect::cpu), "the type");
  check(card.has(aspect::fp64) && card.has(aspect::online_compiler), "aspects");
  check(card.has(aspect::usm_host_allocations) && card.has(aspect::usm_shared_allocations), "USM");
  for (const aspect lacking : {aspect::usm_device_allocations, aspect::usm_system_allocations,
                               aspect::usm_atomic_host_allocations, aspect::image})
    check(!card.has(lacking), "aspects that the device lacks");
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

void refuse(sycl::queue &queue) {
  check_refused("USM of the device", [&] { (void)sycl::malloc_device<int>(10, queue); });
  sycl::buffer<int> sum{sycl::range(1)};
  check_refused("a reduction", [&] {
    queue.submit([&](sycl::handler &group) {
      group.parallel_for(sycl::range(count), sycl::reduction(sum, group, sycl::plus<int>()),
                         [=](sycl::id<1>, auto &value) { value += 1; });
    });
  });
  check_refused("a stream", [&] {
    queue.submit([&](sycl::handler &group) {
      sycl::stream out(100, 10, group);
      group.single_task([=] { out << 1; });
    });
  });
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

} // namespace

int main() {
  if (sycl::device::get_devices(sycl::info::device_type::gpu).empty()) {
    std::printf("Lockstep lists no NVIDIA card\n");
    return 77;
  }
  sycl::queue queue{sycl::gpu_selector_v};
  std::printf("card: %s\n", queue.get_device().get_info<sycl::info::device::name>().c_str());
  check_device(queue.get_device());
  add_vectors(queue);
  take_turns(queue);
  use_boxes(queue);
  use_local_memory(queue);
  use_usm(queue);
  refuse(queue);
  share_with_cpu(queue);
  std::printf(failures ? "FAILED\n" : "ok\n");
  return failures != 0;
}
