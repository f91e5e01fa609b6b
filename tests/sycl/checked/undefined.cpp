// Undefined values, right and wrong: undefined CASE; ../check_test.py has the verdicts.
#include <sycl/sycl.hpp>

#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

constexpr std::size_t many = 256, few = 64;

// What the program itself writes into memory that it shares with kernels.
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

// Two accessors of the same local memory; what is stored there comes from elsewhere.
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

// A variable of the group is one for all of its work-items, and they read it by reference.
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

const std::map<std::string, std::function<void()>> cases = {
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
