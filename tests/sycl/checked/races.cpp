// Racy and correct kernels, compiled without -g: races CASE; ../check_test.py has the verdicts.
#include <sycl/sycl.hpp>

#include <cstdio>
#include <functional>
#include <map>
#include <string>

namespace {

constexpr std::size_t many = 256, few = 64, lanes = 8;
using item_of_group = sycl::nd_item<1>;
using sycl::memory_order, sycl::memory_scope;

void mirror(bool is_right) {
  sycl::queue queue;
  sycl::buffer<int> buffer{sycl::range<1>(many)};
  queue.submit([&](sycl::handler &handler) {
    sycl::accessor all(buffer, handler, sycl::write_only);
    sycl::local_accessor<int> group(few, handler);
    handler.parallel_for(sycl::nd_range<1>(many, few), [=](item_of_group item) {
      const std::size_t me = item.get_local_id(0);
      group[me] = int(me); // WRITTEN
      if (is_right)
        sycl::group_barrier(item.get_group());
      all[item.get_global_id()] = group[few - 1 - me]; // READ
    });
  });
  queue.wait();
}

// The last work-item to arrive sums what the others have written: in all groups, a group, or a
// sub-group.
template <class Arrive> void last_of_groups(Arrive arrive) {
  sycl::queue queue{sycl::property::queue::in_order()};
  int *memory = sycl::malloc_device<int>(many + 2, queue);
  queue.fill(memory, 0, many + 2);
  queue.parallel_for(sycl::nd_range<1>(many, few), [=](item_of_group item) {
    int *count = memory + many, *total = count + 1;
    if (item.get_local_id(0) != 0)
      return;
    memory[item.get_group(0)] = 1;
    if (arrive(*count) != many / few - 1)
      return;
    int sum = 0;
    for (std::size_t i = 0; i < many / few; ++i)
      sum += memory[i];
    *total = sum;
  });
  queue.wait();
  sycl::free(memory, queue);
}

template <class Arrive> void last_in_group(std::size_t width, Arrive arrive) {
  sycl::queue queue;
  sycl::buffer<int> buffer{sycl::range<1>(many)};
  queue.submit([&](sycl::handler &handler) {
    sycl::accessor all(buffer, handler, sycl::write_only);
    sycl::local_accessor<int> group(few, handler), counts(few, handler);
    handler.parallel_for(sycl::nd_range<1>(many, few),
                         [=](item_of_group item) [[sycl::reqd_sub_group_size(lanes)]] {
                           const std::size_t me = item.get_local_id(0), first = me / width * width;
                           counts[me] = 0;
                           sycl::group_barrier(item.get_group());
                           group[me] = 1;
                           int sum = 0;
                           if (arrive(counts[first]) == int(width) - 1)
                             for (std::size_t i = first; i < first + width; ++i)
                               sum += group[i];
                           all[item.get_global_id()] = sum;
                         });
  });
  queue.wait();
}

template <memory_scope Scope> struct by_order {
  int operator()(int &count) const {
    return sycl::atomic_ref<int, memory_order::acq_rel, Scope>(count).fetch_add(1);
  }
};

template <memory_scope Scope> struct by_argument {
  int operator()(int &count) const {
    sycl::atomic_ref<int, memory_order::relaxed, memory_scope::device> counter(count);
    int old = counter.load();
    while (!counter.compare_exchange_weak(old, old + 1, memory_order::acq_rel,
                                          memory_order::relaxed, Scope))
      ;
    return old;
  }
};

template <memory_scope Scope> struct by_fences {
  int operator()(int &count) const {
    sycl::atomic_fence(memory_order::release, Scope);
    const int old =
        sycl::atomic_ref<int, memory_order::relaxed, memory_scope::system>(count).fetch_add(1);
    sycl::atomic_fence(memory_order::acquire, Scope);
    return old;
  }
};

// All work-items of a group write, and item 0 signals it: the barrier is the fence on both sides.
void by_barrier(memory_scope scope) {
  sycl::queue queue{sycl::property::queue::in_order()};
  int *memory = sycl::malloc_device<int>(2 * many + 1, queue);
  queue.fill(memory, 0, 2 * many + 1);
  const bool is_wide = scope == memory_scope::device;
  queue.submit([&](sycl::handler &handler) {
    sycl::local_accessor<int> came(1, handler);
    handler.parallel_for(sycl::nd_range<1>(many, few), [=](item_of_group item) {
      auto barrier = [&] {
        if (is_wide)
          sycl::group_barrier(item.get_group(), memory_scope::device);
        else
          sycl::group_barrier(item.get_group());
      };
      const std::size_t me = item.get_local_id(0);
      memory[item.get_global_id(0)] = 1;
      barrier();
      if (me == 0)
        came[0] =
            sycl::atomic_ref<int, memory_order::relaxed, memory_scope::device>(memory[2 * many])
                .fetch_add(1);
      barrier();
      if (came[0] == many / few - 1)
        for (std::size_t i = me; i < many; i += few)
          memory[many + i] = memory[many - 1 - i];
    });
  });
  queue.wait();
  sycl::free(memory, queue);
}

void count_of_all_groups() {
  sycl::queue queue;
  sycl::buffer<int> buffer{sycl::range<1>(1)};
  queue.submit([&](sycl::handler &handler) {
    sycl::accessor all(buffer, handler, sycl::read_write);
    handler.parallel_for(sycl::nd_range<1>(many, few), [=](item_of_group) {
      ++sycl::atomic_ref<int, memory_order::relaxed, memory_scope::work_group>(all[0]);
    });
  });
  queue.wait();
}

// ---- pointers in members of function objects, which may alias

// Each work-item moves one element, or the sum of `each` elements, by `distance` in the same
// memory.
void move_by_pointers(std::size_t distance, std::size_t each = 1, std::size_t count = many) {
  sycl::queue queue{sycl::property::queue::in_order()};
  int *memory = sycl::malloc_device<int>(8 * many, queue);
  queue.fill(memory, 0, 8 * many);
  const int *from = memory;
  int *to = memory + distance;
  queue.parallel_for(sycl::nd_range<1>(many, few), [=](item_of_group item) {
    const std::size_t i = item.get_global_id(0);
    if (i >= count)
      return;
    int sum = 0;
    for (std::size_t k = 0; k < each; ++k)
      sum += from[i * each + k];
    to[i] = sum;
  });
  queue.wait();
  sycl::free(memory, queue);
}

void move_by_one_pointer(std::size_t distance) {
  sycl::queue queue{sycl::property::queue::in_order()};
  int *memory = sycl::malloc_device<int>(2 * many, queue);
  queue.fill(memory, 0, 2 * many);
  queue.parallel_for(many, [=](sycl::id<1> i) { memory[i + distance] = memory[i]; });
  queue.wait();
  sycl::free(memory, queue);
}

// Reads from indices of a table, whose first entry is `place`.
void gather(std::size_t place, bool is_other_memory) {
  sycl::queue queue{sycl::property::queue::in_order()};
  int *memory = sycl::malloc_device<int>(2 * many, queue),
      *other = sycl::malloc_device<int>(many, queue);
  unsigned *table = sycl::malloc_device<unsigned>(many, queue);
  queue.fill(memory, 0, 2 * many);
  queue.fill(table, 0u, many);
  queue.fill(table, unsigned(place), 1);
  int *to = is_other_memory ? other : memory + many;
  queue.parallel_for(many, [=](sycl::id<1> i) { to[i] = memory[table[i]]; });
  queue.wait();
  for (void *each :
       {static_cast<void *>(memory), static_cast<void *>(other), static_cast<void *>(table)})
    sycl::free(each, queue);
}

// The same with two accessors of one buffer, of which the second begins at `distance`.
void move_by_accessors(std::size_t distance) {
  sycl::queue queue;
  sycl::buffer<int> buffer{sycl::range<1>(2 * many)};
  queue.submit([&](sycl::handler &handler) {
    sycl::accessor from(buffer, handler, sycl::range<1>(many), sycl::read_only);
    sycl::accessor to(buffer, handler, sycl::range<1>(many), sycl::id<1>(distance),
                      sycl::write_only);
    handler.parallel_for(many, [=](sycl::id<1> i) { to[i] = from[many - 1 - i]; });
  });
  queue.wait();
}

// The same with sub-buffers; the work-item that reads an element or another one writes it.
void move_by_sub_buffers(std::size_t distance, std::size_t shift = 0) {
  sycl::queue queue;
  sycl::buffer<int> buffer{sycl::range<1>(2 * many)};
  sycl::buffer<int> first(buffer, sycl::id<1>(0), sycl::range<1>(many)),
      second(buffer, sycl::id<1>(distance), sycl::range<1>(many));
  queue.submit([&](sycl::handler &handler) {
    sycl::accessor from(first, handler, sycl::read_only);
    sycl::accessor to(second, handler, sycl::write_only);
    handler.parallel_for(many, [=](sycl::id<1> i) { to[i] = from[(i + shift) % many]; });
  });
  queue.wait();
}

// Adjacent columns of a matrix: the ranges overlap, but no byte is the same.
void move_columns(std::size_t distance) {
  sycl::queue queue;
  sycl::buffer<int, 2> buffer{sycl::range<2>(many, 2)};
  queue.submit([&](sycl::handler &handler) {
    sycl::accessor from(buffer, handler, sycl::range<2>(many, 1), sycl::read_only);
    sycl::accessor to(buffer, handler, sycl::range<2>(many, 1), sycl::id<2>(0, distance),
                      sycl::write_only);
    handler.parallel_for(many, [=](sycl::id<1> i) { to[i][0] = from[many - 1 - i][0]; });
  });
  queue.wait();
}

const std::map<std::string, std::function<void()>> cases = {
    {"pointers_apart", [] { move_by_pointers(many); }},
    {"pointers_at_own_element", [] { move_by_pointers(0); }},
    {"pointers_at_the_next_element", [] { move_by_pointers(1); }},
    {"pointers_at_the_last_element", [] { move_by_pointers(many - 1); }},
    {"pointers_behind_rows", [] { move_by_pointers(4 * many, 4); }},
    {"pointers_in_the_last_row", [] { move_by_pointers(4 * many - 1, 4); }},
    {"pointers_behind_a_guard", [] { move_by_pointers(100, 1, 100); }},
    {"pointers_before_a_guard", [] { move_by_pointers(99, 1, 100); }},
    {"one_pointer_apart", [] { move_by_one_pointer(many); }},
    {"one_pointer_at_the_next_element", [] { move_by_one_pointer(1); }},
    {"table_of_the_same_half", [] { gather(many - 1, false); }},
    {"table_of_the_other_half", [] { gather(many + 1, false); }},
    {"table_of_other_memory", [] { gather(many + 1, true); }},
    {"accessors_apart", [] { move_by_accessors(many); }},
    {"accessors_that_overlap", [] { move_by_accessors(many - 2); }},
    {"accessors_of_the_same", [] { move_by_accessors(0); }},
    {"sub_buffers_apart", [] { move_by_sub_buffers(many, 1); }},
    {"sub_buffers_of_the_same", [] { move_by_sub_buffers(0); }},
    {"sub_buffers_that_overlap", [] { move_by_sub_buffers(0, 1); }},
    {"columns_beside_each_other", [] { move_columns(1); }},
    {"columns_that_are_one", [] { move_columns(0); }},
    {"mirror", [] { mirror(true); }},
    {"mirror_without_barrier", [] { mirror(false); }},
    {"groups_device", [] { last_of_groups(by_order<memory_scope::device>()); }},
    {"groups_system", [] { last_of_groups(by_argument<memory_scope::system>()); }},
    {"groups_work_group", [] { last_of_groups(by_order<memory_scope::work_group>()); }},
    {"groups_swap_work_group", [] { last_of_groups(by_argument<memory_scope::work_group>()); }},
    {"groups_sub_group", [] { last_of_groups(by_order<memory_scope::sub_group>()); }},
    {"groups_fences_device", [] { last_of_groups(by_fences<memory_scope::device>()); }},
    {"groups_fences_work_group", [] { last_of_groups(by_fences<memory_scope::work_group>()); }},
    {"group_work_group", [] { last_in_group(few, by_order<memory_scope::work_group>()); }},
    {"group_device", [] { last_in_group(few, by_argument<memory_scope::device>()); }},
    {"group_sub_group", [] { last_in_group(few, by_order<memory_scope::sub_group>()); }},
    {"group_fences_work_group", [] { last_in_group(few, by_fences<memory_scope::work_group>()); }},
    {"group_fences_sub_group", [] { last_in_group(few, by_fences<memory_scope::sub_group>()); }},
    {"sub_group_sub_group", [] { last_in_group(lanes, by_order<memory_scope::sub_group>()); }},
    {"sub_group_fences_sub_group",
     [] { last_in_group(lanes, by_fences<memory_scope::sub_group>()); }},
    {"sub_group_work_item", [] { last_in_group(lanes, by_order<memory_scope::work_item>()); }},
    {"sub_group_fences_work_item",
     [] { last_in_group(lanes, by_fences<memory_scope::work_item>()); }},
    {"barrier_device", [] { by_barrier(memory_scope::device); }},
    {"barrier_work_group", [] { by_barrier(memory_scope::work_group); }},
    {"count_work_group", count_of_all_groups},
};

} // namespace

int main(int argc, char **argv) {
  const auto found = cases.find(argc == 2 ? argv[1] : "");
  if (found == cases.end())
    return std::fprintf(stderr, "usage: races CASE\n"), 2;
  found->second();
}
