// Kernels that use undefined values, and correct ones: undefined CASE; ../check_test.py has the
// verdicts.
#include <sycl/sycl.hpp>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

constexpr std::size_t many = 256, few = 64;

// The program itself writes memory that it shares with kernels.
void decide_by_shared(std::size_t written) {
  sycl::queue queue;
  int *in = sycl::malloc_shared<int>(many, queue), *out = sycl::malloc_shared<int>(many, queue);
  for (std::size_t i = 0; i < written; ++i)
    in[i] = int(i);
  queue
      .parallel_for(many,
                    [=](sycl::id<1> i) {
                      if (in[i] % 2) // SHARED
                        out[i] = 1;
                    })
      .wait();
  sycl::free(in, queue);
  sycl::free(out, queue);
}

void add_to_host_accessor(bool writes, bool is_held) {
  sycl::queue queue;
  sycl::buffer<int> buffer{sycl::range<1>(few)};
  auto add = [&] {
    queue.submit([&](sycl::handler &handler) {
      sycl::accessor all(buffer, handler);
      handler.parallel_for(few, [=](sycl::id<1> i) { all[i] += 1; }); // ADDED
    });
  };
  if (writes) {
    sycl::host_accessor first(buffer, sycl::write_only);
    for (std::size_t i = 0; i < few; ++i)
      first[i] = int(i);
    if (is_held)
      add();
  } else {
    sycl::host_accessor only_read(buffer, sycl::read_only);
  }
  add();
  queue.wait();
}

void add_to_what_a_host_task_wrote() {
  sycl::queue queue;
  sycl::buffer<int> buffer{sycl::range<1>(few)};
  queue.submit([&](sycl::handler &handler) {
    sycl::accessor first(buffer, handler, sycl::write_only_host_task);
    handler.host_task([=] {
      for (std::size_t i = 0; i < few; ++i)
        first[i] = int(i);
    });
  });
  queue.submit([&](sycl::handler &handler) {
    sycl::accessor all(buffer, handler);
    handler.parallel_for(few, [=](sycl::id<1> i) { all[i] += 1; });
  });
  queue.wait();
}

void add_to_what_iterators_gave() {
  sycl::queue queue;
  const std::vector<int> values(few, 5), none;
  sycl::buffer<int> buffer(values.begin(), values.end()), empty(none.begin(), none.end());
  queue.submit([&](sycl::handler &handler) {
    sycl::accessor all(buffer, handler);
    handler.parallel_for(few, [=](sycl::id<1> i) { all[i] += 1; });
  });
  queue.wait();
}

// Two accessors of the same local memory; the stored values come from other memory.
void turn_in_local_memory(std::size_t written) {
  sycl::queue queue;
  int *all = sycl::malloc_device<int>(few, queue);
  queue.fill(all, 5, few).wait();
  queue.submit([&](sycl::handler &handler) {
    sycl::local_accessor<int, 1> local(few, handler);
    const sycl::local_accessor<const int, 1> read = local;
    handler.parallel_for(sycl::nd_range<1>(few, few), [=](sycl::nd_item<1> item) {
      const std::size_t me = item.get_local_id(0);
      if (me < written)
        local[me] = all[me];
      sycl::group_barrier(item.get_group());
      all[me] = read[few - 1 - me] * int(read.size()); // TURNED
    });
  });
  queue.wait();
  sycl::free(all, queue);
}

// All work-items of a group read its variable by reference.
void compare_with_variable_of_group(bool is_written) {
  sycl::queue queue;
  int *out = sycl::malloc_device<int>(1, queue);
  queue.submit([&](sycl::handler &handler) {
    handler.parallel_for_work_group(
        sycl::range<2>(3, 4), sycl::range<2>(6, 8), [=](sycl::group<2> group) {
          std::size_t sizes[2];
          if (is_written)
            sizes[0] = group[0] * 4 + 3;
          sizes[1] = group[1] * 3 + 2;
          const sycl::range<2> logical(group[0] * 4 + 3, group[1] * 3 + 2);
          group.parallel_for_work_item(logical, [&](sycl::h_item<2> me) {
            const std::size_t *wanted = sizes;
            if (me.get_local_range() != logical || me.get_local_range(0) != wanted[0]) // OF GROUP
              *out = 1;
          });
        });
  });
  queue.wait();
  sycl::free(out, queue);
}

// Large enough for the launches that do not track read-only memory if all of it is defined.
constexpr std::size_t large = 8192;

struct Large {
  explicit Large(sycl::usm::alloc kind, std::size_t written = large)
      : in(sycl::malloc<int>(large, queue, kind)) {
    const std::vector<int> values(large, 5);
    if (kind == sycl::usm::alloc::shared)
      std::copy_n(values.begin(), written, in);
    else
      queue.copy(values.data(), in, written).wait();
  }
  ~Large() {
    for (int *memory : {in, out, junk})
      sycl::free(memory, queue);
  }
  Large(const Large &) = delete;
  Large &operator=(const Large &) = delete;
  sycl::queue queue{sycl::property::queue::in_order()};
  int *in, *out = sycl::malloc_device<int>(large, queue),
           *junk = sycl::malloc_device<int>(large, queue);

  void decide() {
    queue
        .parallel_for(large,
                      [in = in, out = out](sycl::id<1> i) {
                        if (in[i] % 2) // LARGE
                          out[i] = 1;
                      })
        .wait();
  }
};

void decide_by_large(sycl::usm::alloc kind, std::size_t written) {
  Large all(kind, written);
  for (int round = 0; round < 2; ++round)
    all.decide();
}

enum class Way { member, address_in_memory, command };

// Memory that is known to be defined gets other values.
void decide_again(Way way, bool are_defined) {
  Large all(sycl::usm::alloc::device);
  all.decide();
  if (are_defined)
    all.queue.fill(all.junk, 5, large).wait();
  int **place = sycl::malloc_shared<int *>(1, all.queue);
  *place = all.in;
  switch (way) {
  case Way::member:
    all.queue.parallel_for(large,
                           [to = all.in, from = all.junk](sycl::id<1> i) { to[i] = from[i]; });
    break;
  case Way::address_in_memory:
    all.queue.parallel_for(large,
                           [place, from = all.junk](sycl::id<1> i) { (*place)[i] = from[i]; });
    break;
  case Way::command:
    all.queue.memcpy(all.in, all.junk, large * sizeof(int));
  }
  all.queue.wait();
  all.decide();
  all.decide();
  sycl::free(place, all.queue);
}

// Two pointers into one allocation; the kernel writes through only one of them.
void decide_by_what_another_pointer_writes(bool is_same) {
  Large all(sycl::usm::alloc::device);
  int *to = is_same ? all.in + 1 : all.out;
  for (int round = 0; round < 2; ++round)
    all.queue
        .parallel_for(large - 1,
                      [in = all.in, to, junk = all.junk](sycl::id<1> i) {
                        to[i] = junk[i];
                        if (in[i + 1] % 2) // WRITTEN BY ANOTHER
                          to[i] = 1;
                      })
        .wait();
}

void decide_by_accessor(std::size_t written) {
  sycl::queue queue;
  sycl::buffer<int> in{sycl::range<1>(large)}, out{sycl::range<1>(large)};
  queue.submit([&](sycl::handler &handler) {
    sycl::accessor to(in, handler, sycl::write_only);
    handler.parallel_for(written, [=](sycl::id<1> i) { to[i] = 7; });
  });
  for (int round = 0; round < 2; ++round)
    queue.submit([&](sycl::handler &handler) {
      sycl::accessor from(in, handler, sycl::read_only);
      sycl::accessor to(out, handler, sycl::write_only);
      handler.parallel_for(large, [=](sycl::id<1> i) {
        to[i] = 0;
        if (from[i] % 2) // BY ACCESSOR
          to[i] = 1;
      });
    });
  queue.wait();
}

const std::map<std::string, std::function<void()>> cases = {
    {"large_shared_written", [] { decide_by_large(sycl::usm::alloc::shared, large); }},
    {"large_shared_half_written", [] { decide_by_large(sycl::usm::alloc::shared, large / 2); }},
    {"large_device_written", [] { decide_by_large(sycl::usm::alloc::device, large); }},
    {"large_device_half_written", [] { decide_by_large(sycl::usm::alloc::device, large / 2); }},
    {"large_written_again_by_kernel", [] { decide_again(Way::member, true); }},
    {"large_spoilt_by_kernel", [] { decide_again(Way::member, false); }},
    {"large_written_again_by_address", [] { decide_again(Way::address_in_memory, true); }},
    {"large_spoilt_by_address", [] { decide_again(Way::address_in_memory, false); }},
    {"large_written_again_by_command", [] { decide_again(Way::command, true); }},
    {"large_spoilt_by_command", [] { decide_again(Way::command, false); }},
    {"large_other_written", [] { decide_by_what_another_pointer_writes(false); }},
    {"large_same_written", [] { decide_by_what_another_pointer_writes(true); }},
    {"large_accessor_written", [] { decide_by_accessor(large); }},
    {"large_accessor_half_written", [] { decide_by_accessor(large / 2); }},
    {"shared_written", [] { decide_by_shared(many); }},
    {"shared_half_written", [] { decide_by_shared(many / 2); }},
    {"host_accessor_written", [] { add_to_host_accessor(true, false); }},
    {"host_accessor_written_and_held", [] { add_to_host_accessor(true, true); }},
    {"host_accessor_read", [] { add_to_host_accessor(false, false); }},
    {"host_task_written", add_to_what_a_host_task_wrote},
    {"iterators_given", add_to_what_iterators_gave},
    {"local_written", [] { turn_in_local_memory(few); }},
    {"local_half_written", [] { turn_in_local_memory(few / 2); }},
    {"group_written", [] { compare_with_variable_of_group(true); }},
    {"group_half_written", [] { compare_with_variable_of_group(false); }},
};

} // namespace

int main(int argc, char **argv) {
  const auto found = cases.find(argc == 2 ? argv[1] : "");
  if (found == cases.end())
    return std::fprintf(stderr, "usage: undefined CASE\n"), 2;
  found->second();
}
