// SYCL on two NVIDIA cards: a queue on each, buffers and memory of USM that both use. With --times, it
// prints how long copies between the cards take. Ends with 77 if fewer than two cards are listed.
#include <sycl/sycl.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

namespace {

int failures = 0;

void check(bool is_right, const char *what) {
  if (!is_right) {
    std::printf("FAILED: %s\n", what);
    ++failures;
  }
}

using Queues = std::array<sycl::queue, 2>;
constexpr std::size_t count = 100'000;

void step(sycl::queue &queue, int *data, int factor, const std::vector<sycl::event> &before = {}) {
  queue
      .submit([&](sycl::handler &group) {
        group.depends_on(before);
        group.parallel_for(sycl::range(count),
                           [=](sycl::id<1> i) { data[i] = data[i] * factor + 1; });
      })
      .wait();
}

void know_devices(Queues &queues) {
  const sycl::device first = queues[0].get_device(), second = queues[1].get_device();
  check(first != second && first.is_gpu() && second.is_gpu(), "two cards");
  check(queues[0].get_context() == queues[1].get_context(), "one default context");
  check(first.get_platform() == second.get_platform(), "one platform");
  check(first.get_info<sycl::ext::intel::info::device::uuid>() !=
            second.get_info<sycl::ext::intel::info::device::uuid>(),
        "two identifiers");
  check(first.get_info<sycl::info::device::partition_max_sub_devices>() == 0,
        "cards without sub-devices");
  try {
    (void)first.create_sub_devices<sycl::info::partition_property::partition_equally>(2);
    check(false, "sub-devices of a card");
  } catch (const sycl::exception &thrown) {
    check(thrown.code() == sycl::errc::feature_not_supported, "sub-devices of a card");
  }
}

// The accessors order the launches.
void share_buffer(Queues &queues) {
  sycl::buffer<int> numbers{sycl::range(count)};
  int expected = 7;
  queues[0].submit([&](sycl::handler &group) {
    group.fill(sycl::accessor(numbers, group, sycl::write_only, sycl::no_init), expected);
  });
  for (int i = 0; i < 50; ++i) {
    queues[std::size_t(i) % 2].submit([&](sycl::handler &group) {
      sycl::accessor all(numbers, group);
      group.parallel_for(sycl::range(count),
                         [=](sycl::id<1> at) { all[at] = all[at] % 1000 * 3 + i; });
    });
    expected = expected % 1000 * 3 + i;
  }
  const sycl::host_accessor all(numbers, sycl::read_only);
  check(all[0] == expected && all[count - 1] == expected, "a buffer on two cards in turns");
}

// Both cards access host and shared memory, one after the other.
void share_memory(Queues &queues) {
  int *const shared = sycl::malloc_shared<int>(count, queues[0]);
  int *const on_host = sycl::malloc_host<int>(count, queues[1]);
  for (int *data : {shared, on_host}) {
    std::iota(data, data + count, 0);
    step(queues[0], data, 2);
    step(queues[1], data, 3);
    ++data[5];
    step(queues[0], data, 1);
    check(data[5] == 5 * 6 + 3 + 1 + 1 + 1 && data[count - 1] == int(count - 1) * 6 + 3 + 1 + 1,
          data == shared ? "shared memory" : "memory of the host");
    sycl::free(data, queues[1]);
  }
}

// Memory of each card, copied from one to the other by a queue of either.
void copy_between(Queues &queues) {
  std::array<int *, 2> data{};
  for (std::size_t i : {0, 1}) {
    data[i] = sycl::malloc_device<int>(count, queues[i]);
    check(sycl::get_pointer_device(data[i], queues[1 - i].get_context()) == queues[i].get_device(),
          "the device of an allocation");
    queues[i].fill(data[i], 10 + int(i), count).wait();
  }
  std::vector<int> got(count);
  step(queues[0], data[0], 2); // 21
  queues[0].memcpy(data[1], data[0], count * sizeof(int)).wait();
  step(queues[1], data[1], 3); // 64
  queues[1].memcpy(data[0], data[1], count * sizeof(int)).wait();
  step(queues[0], data[0], 2); // 129
  queues[1].copy(data[0] + 1, data[1], count - 1).wait();
  queues[1].memcpy(got.data(), data[1], count * sizeof(int)).wait();
  std::vector<int> expected(count, 129);
  expected.back() = 64;
  check(got == expected, "copies between cards");
  // Nothing waits on the host: events order the copies with the kernels of both cards.
  sycl::event last;
  for (int i = 0; i < 10; ++i) {
    int *const one = data[0];
    sycl::event stepped =
        queues[0].parallel_for(sycl::range(count), last, [=](sycl::id<1> at) { one[at] += i; });
    last = queues[std::size_t(i) % 2].memcpy(data[1], data[0], count * sizeof(int), stepped);
    int *const other = data[1];
    last = queues[1].parallel_for(sycl::range(count), last, [=](sycl::id<1> at) { ++other[at]; });
    last = queues[1 - std::size_t(i) % 2].memcpy(data[0], data[1], count * sizeof(int), last);
  }
  queues[0].memcpy(got.data(), data[0], count * sizeof(int), last).wait();
  check(got == std::vector<int>(count, 129 + 45 + 10), "copies between cards in order of events");
  for (int *of_card : data)
    sycl::free(of_card, queues[0]);
}

void time_copies(Queues &queues) {
  const std::size_t bytes = std::size_t{256} << 20;
  std::array<char *, 2> data{};
  for (std::size_t i : {0, 1}) {
    data[i] = sycl::malloc_device<char>(bytes, queues[i]);
    queues[i].memset(data[i], 1 + int(i), bytes).wait();
  }
  for (int i = 0; i < 3; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    queues[1].memcpy(data[1], data[0], bytes).wait();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    std::printf("256 MiB from one card to the other: %.2f ms\n", time.count());
  }
  char last = 0;
  queues[1].memcpy(&last, data[1] + bytes - 1, 1).wait();
  check(last == 1, "a large copy between cards");
  for (char *of_card : data)
    sycl::free(of_card, queues[0]);
}

// A kernel cannot access the memory of the other card.
void refuse_other_memory(Queues &queues) {
  int *const other = sycl::malloc_device<int>(1, queues[1]);
  try {
    queues[0].single_task([=] { *other = 1; }).wait_and_throw();
    check(queues[0].get_device().ext_oneapi_can_access_peer(queues[1].get_device()),
          "a kernel that gets memory of the other card");
  } catch (const sycl::exception &) {
  }
  sycl::free(other, queues[1]);
}

void reduce_on_both(Queues &queues) {
  std::array<long *, 2> sums{};
  std::array<sycl::event, 2> events;
  for (std::size_t i : {0, 1}) {
    sums[i] = sycl::malloc_shared<long>(1, queues[i]);
    *sums[i] = 0;
    events[i] =
        queues[i].parallel_for(sycl::range(count), sycl::reduction(sums[i], sycl::plus<>()),
                               [=](sycl::id<1> at, auto &sum) { sum += long(at[0]) + long(i); });
  }
  for (std::size_t i : {0, 1}) {
    events[i].wait();
    check(*sums[i] == long(count) * long(count - 1) / 2 + long(i * count),
          "reductions on both cards");
    sycl::free(sums[i], queues[0]);
  }
}

sycl::ext::oneapi::experimental::device_global<int> number_of_device;

void own_variables(Queues &queues) {
  for (int i : {0, 1, 1})
    queues[std::size_t(i)].single_task([=] { number_of_device += 3; }).wait();
  for (std::size_t i : {0, 1}) {
    int got = 0;
    queues[i].memcpy(&got, number_of_device).wait();
    check(got == (i ? 6 : 3), "a device variable of each card");
  }
}

} // namespace

int main(int argc, char **argv) {
  const auto cards = sycl::device::get_devices(sycl::info::device_type::gpu);
  std::printf("%zu cards\n", cards.size());
  if (cards.size() < 2)
    return 77;
  Queues queues{sycl::queue(cards[0]), sycl::queue(cards[1])};
  try {
    know_devices(queues);
    share_buffer(queues);
    share_memory(queues);
    reduce_on_both(queues);
    own_variables(queues);
    refuse_other_memory(queues);
    copy_between(queues);
    if (argc > 1 && argv[1] == std::string("--times"))
      time_copies(queues);
  } catch (const sycl::exception &thrown) {
    std::printf("FAILED: %s\n", thrown.what());
    return 1;
  }
  std::printf(failures ? "FAILED\n" : "ok\n");
  return failures != 0;
}
