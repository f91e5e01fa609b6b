// Which devices SYCL programs find on a machine with a card, and when its driver is loaded and a
// context is made. Each case is a process of its own, on the fake driver, which runs no kernels.
#include <sycl/sycl.hpp>

#include "tests/nvidia/in_child.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using lockstep::test::count_of;
using lockstep::test::driver_is_loaded;
using lockstep::test::Variables;

bool all_right = true;

void check(bool is_right, const char *what, int line) {
  if (is_right)
    return;
  std::printf("FAILED, line %d: %s\n", line, what);
  all_right = false;
}
#define CHECK(condition) check(condition, #condition, __LINE__)

template <class Body> void in_child(const char *name, const Variables &more, Body body) {
  Variables variables = {{"LOCKSTEP_CUDA_LIBRARY", FAKE_CUDA_LIBRARY},
                         {"LOCKSTEP_NVIDIA", ""},
                         {"ONEAPI_DEVICE_SELECTOR", ""}};
  for (const auto &[variable, value] : more)
    variables[variable] = value;
  const bool is_right = lockstep::test::in_child(variables, [&] {
    all_right = true;
    body();
    return all_right;
  });
  std::printf("%s: %s\n", name, is_right ? "ok" : "FAILED");
  all_right &= is_right;
}

bool is_pinned(const void *memory, std::size_t bytes) {
  void *library = dlopen(FAKE_CUDA_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
  return library && reinterpret_cast<bool (*)(const void *, std::size_t)>(
                        dlsym(library, "fake_cuda_is_pinned"))(memory, bytes);
}

std::size_t contexts() {
  return count_of("fake_cuda_contexts");
}

constexpr std::size_t count = 1000;

void double_all(sycl::queue &queue, int *numbers) {
  queue.parallel_for(sycl::range(count), [=](sycl::id<1> i) { numbers[i] *= 2; }).wait();
}

void programs_on_the_cpu_load_no_driver() {
  sycl::queue queue{sycl::cpu_selector_v};
  int *shared = sycl::malloc_shared<int>(count, queue);
  int *on_host = sycl::malloc_host<int>(count, queue);
  int *on_device = sycl::malloc_device<int>(count, queue);
  for (std::size_t i = 0; i < count; ++i)
    shared[i] = int(i);
  double_all(queue, shared);
  queue.copy(shared, on_device, count).wait();
  queue.copy(on_device, on_host, count).wait();
  CHECK(on_host[count - 1] == 2 * int(count - 1));
  {
    sycl::buffer<int> numbers(on_host, count);
    queue.submit([&](sycl::handler &group) {
      sycl::accessor all(numbers, group);
      group.parallel_for(sycl::range(count), [=](sycl::id<1> i) { all[i] += 1; });
    });
  }
  CHECK(on_host[7] == 15);
  CHECK(sycl::get_pointer_type(shared, queue.get_context()) == sycl::usm::alloc::shared);
  CHECK(sycl::get_pointer_device(shared, queue.get_context()) == queue.get_device());
  for (int *memory : {shared, on_host, on_device})
    sycl::free(memory, queue);
  CHECK(sycl::device::get_devices(sycl::info::device_type::cpu).size() == 1);
  CHECK(sycl::device(sycl::cpu_selector_v) == queue.get_device());
  CHECK(sycl::context(queue.get_device()).get_devices().size() == 1);
  CHECK(!driver_is_loaded());

  const auto all = queue.get_context().get_devices();
  CHECK(all.size() == 2 && all[0] == queue.get_device() && all[1].is_gpu());
  CHECK(all == sycl::device::get_devices());
  CHECK(count_of("fake_cuda_inits") == 1 && contexts() == 0);
}

struct PrefersNothing {
  int operator()(const sycl::device &) const { return 1; }
};

template <class Selector> bool selects_card(const Selector &selector) {
  return sycl::device(selector).is_gpu();
}

void selectors_find_the_card() {
  CHECK(selects_card(sycl::gpu_selector_v));
  CHECK(!selects_card(sycl::cpu_selector_v));
  CHECK(selects_card(sycl::default_selector_v));
  CHECK(selects_card(&sycl::default_selector_v));
  CHECK(!selects_card(PrefersNothing()));
  CHECK(selects_card([](const sycl::device &one) { return sycl::default_selector_v(one); }));
  CHECK(selects_card(sycl::aspect_selector(sycl::aspect::gpu)));
  CHECK(!selects_card(sycl::aspect_selector(sycl::aspect::usm_system_allocations)));
  CHECK(selects_card(sycl::aspect_selector()) &&
        selects_card(sycl::aspect_selector<sycl::aspect::fp64>()));
  CHECK(sycl::device().is_gpu());
  CHECK(sycl::queue().get_device().is_gpu());
  CHECK(sycl::context().get_devices() == std::vector{sycl::device()});
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
  CHECK(selects_card(sycl::default_selector()) && selects_card(sycl::gpu_selector()));
  CHECK(!selects_card(sycl::cpu_selector()) && sycl::cpu_selector().select_device().is_cpu());
#pragma clang diagnostic pop
  CHECK(sycl::device::get_devices().size() == 2);
  CHECK(sycl::device::get_devices(sycl::info::device_type::gpu).size() == 1);
  CHECK(sycl::device::get_devices(sycl::info::device_type::accelerator).empty());
  CHECK(sycl::platform().get_devices(sycl::info::device_type::automatic).size() == 2);
}

void selectors_of_cpus_load_no_driver() {
  CHECK(!selects_card(sycl::aspect_selector(sycl::aspect::cpu)));
  CHECK(!selects_card(sycl::aspect_selector<sycl::aspect::fp64, sycl::aspect::cpu>()));
  CHECK(!selects_card(sycl::aspect_selector({sycl::aspect::cpu}, {sycl::aspect::emulated})));
  const auto finds_nothing = [](const auto &selector) {
    try {
      const sycl::device found(selector);
      return false;
    } catch (const sycl::exception &thrown) {
      return thrown.code() == sycl::errc::runtime;
    }
  };
  CHECK(finds_nothing(sycl::accelerator_selector_v));
  CHECK(finds_nothing(sycl::aspect_selector(sycl::aspect::accelerator)));
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
  CHECK(finds_nothing(sycl::accelerator_selector()));
  CHECK(!selects_card(sycl::host_selector()));
#pragma clang diagnostic pop
  CHECK(!driver_is_loaded());
}

// Which devices a value of ONEAPI_DEVICE_SELECTOR accepts: 'c' is the CPU, and 'n' the card.
std::string listed() {
  std::string all;
  for (const sycl::device &one : sycl::device::get_devices())
    all += one.is_cpu() ? 'c' : 'n';
  return all;
}

void accepts(const char *value, const std::string &expected, bool loads_driver = true,
             const Variables &more = {}) {
  Variables variables = more;
  variables["ONEAPI_DEVICE_SELECTOR"] = value;
  in_child(value, variables, [&] {
    CHECK(listed() == expected);
    CHECK(driver_is_loaded() == loads_driver);
    CHECK(sycl::device::get_devices(sycl::info::device_type::cpu).size() ==
          std::size_t(std::count(expected.begin(), expected.end(), 'c')));
    CHECK(sycl::device::get_devices(sycl::info::device_type::gpu).size() ==
          std::size_t(std::count(expected.begin(), expected.end(), 'n')));
    try {
      CHECK(sycl::queue().get_device().is_gpu() == (expected.find('n') != std::string::npos));
      CHECK(!expected.empty());
    } catch (const sycl::exception &thrown) {
      CHECK(expected.empty() && thrown.code() == sycl::errc::runtime &&
            std::string(thrown.what()).find(value) != std::string::npos);
    }
  });
}

void the_variable_of_dpcpp_chooses_devices() {
  accepts("opencl:cpu", "c", false);
  accepts("*:cpu", "c", false);
  accepts("OpenCL:CPU", "c", false);
  accepts("native_cpu:*", "c", false);
  accepts("opencl:0", "c", false);
  accepts("!cuda:*", "c", false);
  accepts("!*:gpu", "c", false);
  accepts("opencl:cpu;opencl:cpu,fpga", "c", false);
  accepts("cuda:gpu", "n");
  accepts("cuda:*", "n");
  accepts("cuda:0", "n");
  accepts("opencl:1", "n");
  accepts("*:gpu", "n");
  accepts("!*:cpu", "n");
  accepts("opencl:*", "cn");
  accepts("*:*", "cn");
  accepts("*:0", "cn");
  accepts("opencl:gpu,cpu", "cn");
  accepts("cuda:gpu;opencl:cpu", "cn");
  accepts("*:*;!opencl:1", "c");
  accepts("cuda:1", "");
  accepts("cuda:cpu", "", false);
  accepts("level_zero:gpu", "", false);
  accepts("*:gpu", "", false, {{"LOCKSTEP_NVIDIA", "0"}});
  accepts("opencl:0", "n", true, {{"LOCKSTEP_NVIDIA", "first"}});
}

void is_refused(const char *value, const char *why) {
  in_child(value, {{"ONEAPI_DEVICE_SELECTOR", value}}, [&] {
    for (int i = 0; i < 2; ++i)
      try {
        (void)sycl::device::get_devices();
        CHECK(!"a wrong value");
      } catch (const sycl::exception &thrown) {
        const std::string text = thrown.what();
        CHECK(thrown.code() == sycl::errc::invalid && text.find(why) != std::string::npos &&
              text.find("ONEAPI_DEVICE_SELECTOR") != std::string::npos);
      }
    CHECK(!driver_is_loaded());
  });
}

void wrong_values_are_refused() {
  is_refused("gpu", "'gpu' has no colon");
  is_refused("opencl:cpu;", "'' has no colon");
  is_refused("opencl", "'opencl' has no colon");
  is_refused("vulkan:gpu", "'vulkan' is none of the backends");
  is_refused("opencl:card", "'card' is none of *, cpu, gpu, fpga and a number");
  is_refused("opencl:", "'' is none of *");
  is_refused("opencl:cpu,", "'' is none of *");
  is_refused("opencl:-1", "'-1' is none of *");
  is_refused("opencl:99999999999999999999", "is none of *");
  is_refused("level_zero:0.1", "'0.1' names sub-devices");
  is_refused("!opencl:cpu;cuda:gpu", "'cuda:gpu' accepts devices, and is behind");
}

void the_default_is_the_cpu() {
  CHECK(!sycl::device().is_gpu());
  CHECK(!selects_card(sycl::default_selector_v));
  CHECK(!selects_card([](const sycl::device &one) { return sycl::default_selector_v(one); }));
}

// Memory that was allocated while only the CPU was used is pinned when the card's first queue is
// made.
void a_card_pins_what_exists() {
  sycl::queue on_cpu{sycl::cpu_selector_v};
  std::vector<char *> memory; // small ones share pages
  for (std::size_t bytes : {1, 100, 3000, 100, 5000, 200'000, 3'000'000})
    memory.push_back(sycl::malloc_shared<char>(bytes, on_cpu));
  char *freed = sycl::malloc_host<char>(100, on_cpu);
  sycl::free(freed, on_cpu);
  const sycl::context cpu_only(on_cpu.get_device());
  char *of_cpu_only = sycl::malloc_shared<char>(5000, on_cpu.get_device(), cpu_only);
  CHECK(!driver_is_loaded());
  (void)sycl::device::get_devices();
  char *listed = sycl::malloc_host<char>(100, on_cpu);
  CHECK(contexts() == 0 && !is_pinned(memory[0], 1));

  sycl::queue on_card{sycl::gpu_selector_v};
  CHECK(contexts() > 0);
  CHECK(is_pinned(memory[0], 1) && is_pinned(memory[1], 100) && is_pinned(memory[4], 5000));
  CHECK(is_pinned(memory[5], 200'000) && is_pinned(memory[6], 3'000'000) && is_pinned(listed, 100));
  CHECK(!is_pinned(of_cpu_only, 5000));
  char *later = sycl::malloc_shared<char>(100, on_cpu);
  char *aligned = static_cast<char *>(
      sycl::aligned_alloc_shared(1 << 16, 100, on_cpu.get_device(), on_cpu.get_context()));
  CHECK(is_pinned(later, 100) && is_pinned(aligned, 100));

  // Copies to the card use each part of them.
  char *on_device = sycl::malloc_device<char>(3'000'000, on_card);
  for (std::size_t i = 0; i < 3'000'000; ++i)
    memory[6][i] = char(i * 7);
  on_card.copy(memory[6], on_device, 3'000'000).wait();
  on_card.copy(on_device + 10, memory[5], 200'000).wait();
  on_card.copy(on_device + 5, memory[2], 3000).wait();
  CHECK(memory[5][1234] == char(1244 * 7) && memory[2][2999] == char(3004 * 7));

  sycl::queue second{sycl::gpu_selector_v};
  const std::size_t pins = count_of("fake_cuda_pins");
  char *const last = memory[6];
  for (char *each : memory)
    sycl::free(each, on_card);
  CHECK(!is_pinned(last, 3'000'000));
  CHECK(count_of("fake_cuda_pins") == pins);
  for (char *each : {listed, later, aligned, on_device})
    sycl::free(each, on_card);
  sycl::free(of_cpu_only, cpu_only);
}

void a_child_of_fork_has_the_card_that_its_parent_has_not_listed() {
  sycl::queue on_cpu{sycl::cpu_selector_v};
  in_child("  child", {}, [] {
    sycl::queue queue;
    CHECK(queue.get_device().is_gpu());
    queue.fill(sycl::malloc_device<int>(10, queue), 3, 10).wait();
  });
  CHECK(!driver_is_loaded());
}

void a_child_of_fork_uses_the_cpu_if_its_parent_has_listed_the_card() {
  CHECK(sycl::queue().get_device().is_gpu());
  in_child("  child", {}, [] {
    sycl::queue queue;
    CHECK(!queue.get_device().is_gpu());
    int *numbers = sycl::malloc_shared<int>(count, queue);
    numbers[9] = 4;
    double_all(queue, numbers);
    CHECK(numbers[9] == 8);
    try {
      sycl::queue on_card{sycl::gpu_selector_v};
      CHECK(!"a queue of the card");
    } catch (const sycl::exception &thrown) {
      CHECK(std::string(thrown.what()).find("forked") != std::string::npos);
    }
  });
}

} // namespace

int main() {
  in_child("programs on the CPU load no driver", {}, programs_on_the_cpu_load_no_driver);
  in_child("selectors find the card", {}, selectors_find_the_card);
  in_child("selectors find the first card", {{"LOCKSTEP_NVIDIA", "first"}}, [] {
    CHECK(selects_card(sycl::default_selector_v) && selects_card(PrefersNothing()));
    CHECK(!selects_card(sycl::cpu_selector_v));
    CHECK(sycl::device::get_devices()[0].is_gpu());
    CHECK(sycl::device::get_devices(sycl::info::device_type::cpu).size() == 1);
  });
  in_child("no card", {{"LOCKSTEP_NVIDIA", "0"}}, [] {
    the_default_is_the_cpu();
    CHECK(sycl::device::get_devices().size() == 1 && !driver_is_loaded());
  });
  in_child("the CPU as a GPU", {{"LOCKSTEP_DEVICE_TYPE", "gpu"}}, [] {
    const sycl::device chosen;
    CHECK(chosen.is_gpu() && chosen.has(sycl::aspect::usm_system_allocations));
    CHECK(sycl::device::get_devices(sycl::info::device_type::gpu).size() == 2);
  });
  in_child("a check", {{"LOCKSTEP_CHECK", "1"}}, [] {
    the_default_is_the_cpu();
    CHECK(sycl::device::get_devices().size() == 1);
  });
  in_child("a check, with the card", {{"LOCKSTEP_CHECK", "1"}, {"LOCKSTEP_NVIDIA", "1"}}, [] {
    the_default_is_the_cpu();
    CHECK(selects_card(sycl::gpu_selector_v));
  });
  in_child("selectors of CPUs", {}, selectors_of_cpus_load_no_driver);
  the_variable_of_dpcpp_chooses_devices();
  wrong_values_are_refused();
  in_child("a card pins what exists", {}, a_card_pins_what_exists);
  in_child("a child of fork() has the card", {},
           a_child_of_fork_has_the_card_that_its_parent_has_not_listed);
  in_child("a child of fork() uses the CPU", {},
           a_child_of_fork_uses_the_cpu_if_its_parent_has_listed_the_card);
  return all_right ? 0 : 1;
}
