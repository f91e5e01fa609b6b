// Kernels that only update memory by atomics, through pointers and accessors of their function
// objects. Each worker may get a private copy of that memory (docs/decisions/0016-worker-copies.md).
// Compares with loops on the host. The compiler's remarks say which launches have copies.
#include <sycl/sycl.hpp>

#include "check.h"

#include <cstdlib>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using sycl::memory_order;
using sycl::memory_scope;
using sycl::nd_item;
using sycl::nd_range;
using sycl::range;

constexpr const char *made = "each worker has a copy of", *refused = "of this launch, others may";

template <class T, memory_scope scope = memory_scope::device>
using Relaxed = sycl::atomic_ref<T, memory_order::relaxed, scope>;

const std::string remarks_file =
    "/tmp/lockstep_privatized_updates_test." + std::to_string(getpid());
const bool writes_remarks = [] {
  setenv("LOCKSTEP_REMARKS", remarks_file.c_str(), 0);
  return std::getenv("LOCKSTEP_REMARKS") == remarks_file;
}();

// What the compiler has written since the last call.
std::string remarks() {
  static std::size_t seen = 0;
  std::ifstream file(remarks_file);
  std::stringstream text;
  text << file.rdbuf();
  const std::string all = text.str(), added = all.substr(std::min(seen, all.size()));
  seen = all.size();
  return added;
}

// Other runs of this program use checks and devices that have no copies.
void expect_remark(const char *text) {
  const std::string all = remarks();
  const bool has_copies = writes_remarks && !std::getenv("LOCKSTEP_CHECK") &&
                          !std::getenv("LOCKSTEP_FORM") && sycl::queue().get_device().is_cpu();
  if (has_copies && all.find(text) == std::string::npos)
    check::failed(__FILE__, __LINE__, "no remark '" + std::string(text) + "' in: " + all);
}

unsigned scramble(unsigned i) {
  i = (i ^ i >> 16) * 0x7feb352du;
  return i ^ i >> 15;
}

constexpr std::size_t items = 20'000, bins = 32, lead = 8;

std::vector<unsigned> counts_of_items(unsigned before) {
  std::vector<unsigned> counts(bins, before);
  for (unsigned i = 0; i < items; ++i)
    ++counts[scramble(i) % bins];
  return counts;
}

// An allocation with `lead` words before the table and behind it, which no kernel updates.
struct Table {
  sycl::queue &queue;
  unsigned *memory;
  Table(sycl::queue &queue, sycl::usm::alloc kind)
      : queue(queue), memory(sycl::malloc<unsigned>(bins + 2 * lead, queue, kind)) {
    std::vector<unsigned> start(bins + 2 * lead);
    std::iota(start.begin(), start.end(), 100u);
    queue.memcpy(memory, start.data(), start.size() * sizeof(unsigned)).wait();
  }
  ~Table() { sycl::free(memory, queue); }
  unsigned *begin() const { return memory + lead; }
  std::vector<unsigned> read() const {
    std::vector<unsigned> now(bins + 2 * lead);
    queue.memcpy(now.data(), memory, now.size() * sizeof(unsigned)).wait();
    return now;
  }
  // `times` as many counts as counts_of_items, and all else as it was.
  void expect_counts(unsigned times) const {
    const std::vector<unsigned> now = read(), counts = counts_of_items(0);
    for (std::size_t i = 0; i < now.size(); ++i) {
      const bool is_of_table = i >= lead && i < lead + bins;
      EXPECT_EQ(now[i], 100u + unsigned(i) + (is_of_table ? times * counts[i - lead] : 0));
    }
  }
};

template <class Count> void count_in(sycl::usm::alloc kind, const char *remark, Count count) {
  sycl::queue queue;
  Table table(queue, kind);
  remarks();
  count(queue, table.begin());
  queue.wait();
  expect_remark(remark);
  table.expect_counts(1);
}

TEST(pointers_into_the_middle_of_an_allocation) {
  for (const auto kind : {sycl::usm::alloc::device, sycl::usm::alloc::shared})
    for (int repeat = 0; repeat < 2; ++repeat) // the code is made once
      count_in(kind, repeat == 0 && kind == sycl::usm::alloc::device ? made : "",
               [](sycl::queue &queue, unsigned *to) {
                 queue.parallel_for(range<1>(items), [=](sycl::id<1> i) {
                   Relaxed<unsigned>(to[scramble(unsigned(i[0])) % bins]).fetch_add(1);
                 });
               });
}

TEST(indices_without_known_bounds) {
  sycl::queue queue;
  std::vector<unsigned> numbers(items);
  for (unsigned i = 0; i < items; ++i)
    numbers[i] = scramble(i) % bins;
  Table table(queue, sycl::usm::alloc::shared);
  unsigned *from = sycl::malloc_device<unsigned>(items, queue), *to = table.begin();
  queue.memcpy(from, numbers.data(), items * sizeof(unsigned)).wait();
  remarks();
  // The last group is smaller than the others, so that two codes share the copies.
  queue
      .parallel_for(range<1>(items - 1),
                    [=](sycl::id<1> i) { Relaxed<unsigned>(to[from[i]]).fetch_add(1); })
      .wait();
  expect_remark(made);
  queue
      .parallel_for(range<1>(1),
                    [=](sycl::id<1> i) {
                      Relaxed<unsigned>(to[from[items - 1]]).fetch_add(unsigned(i[0]) + 1);
                    })
      .wait();
  table.expect_counts(1);
  sycl::free(from, queue);
}

TEST(memory_that_the_host_may_look_at) {
  count_in(sycl::usm::alloc::shared, refused, [](sycl::queue &queue, unsigned *to) {
    queue.parallel_for(range<1>(items), [=](sycl::id<1> i) {
      Relaxed<unsigned, memory_scope::system>(to[scramble(unsigned(i[0])) % bins]).fetch_add(1);
    });
  });
}

TEST(two_pointers_to_one_allocation) {
  sycl::queue queue;
  Table table(queue, sycl::usm::alloc::device);
  unsigned *to = table.begin(), *other = to + bins / 2;
  remarks();
  queue
      .parallel_for(range<1>(items),
                    [=](sycl::id<1> i) {
                      const unsigned bin = scramble(unsigned(i[0])) % bins;
                      Relaxed<unsigned>(to[bin]).fetch_add(1);
                      if (bin < bins / 2)
                        Relaxed<unsigned>(other[bin]).fetch_max(7);
                    })
      .wait();
  expect_remark(refused);
  table.expect_counts(1);
}

TEST(a_pointer_that_is_found_in_memory) {
  sycl::queue queue;
  Table table(queue, sycl::usm::alloc::device);
  unsigned *to = table.begin(), **found = sycl::malloc_shared<unsigned *>(1, queue);
  *found = to;
  remarks();
  queue
      .parallel_for(range<1>(items),
                    [=](sycl::id<1> i) {
                      const unsigned bin = scramble(unsigned(i[0])) % bins;
                      Relaxed<unsigned>(to[bin]).fetch_add(1);
                      Relaxed<unsigned>((*found)[bin]).fetch_add(1);
                    })
      .wait();
  expect_remark(refused);
  table.expect_counts(2);
  sycl::free(found, queue);
}

TEST(accessors) {
  sycl::queue queue;
  std::vector<unsigned> numbers(bins + 2 * lead, 3);
  {
    sycl::buffer<unsigned> whole{numbers.data(), range<1>(numbers.size())};
    sycl::buffer<unsigned> other{range<1>(items)};
    remarks();
    queue.submit([&](sycl::handler &group) {
      sycl::accessor to(whole, group, range<1>(bins), sycl::id<1>(lead), sycl::read_write);
      sycl::accessor seen(other, group, sycl::write_only, sycl::no_init);
      sycl::local_accessor<unsigned> own(50, group);
      group.parallel_for(nd_range<1>(items, 50), [=](nd_item<1> me) {
        const unsigned i = unsigned(me.get_global_id(0)), bin = scramble(i) % bins;
        own[me.get_local_id(0)] = 1;
        Relaxed<unsigned>(to[bin]).fetch_add(own[me.get_local_id(0)]);
        seen[i] = bin;
      });
    });
    queue.wait();
    expect_remark(made);
    sycl::host_accessor seen(other, sycl::read_only);
    for (unsigned i = 0; i < items; i += 97)
      EXPECT_EQ(seen[i], scramble(i) % bins);
    // The same buffer by two accessors, one of which reads what the other does not update.
    remarks();
    queue.submit([&](sycl::handler &group) {
      sycl::accessor to(whole, group, range<1>(bins), sycl::id<1>(lead), sycl::read_write);
      sycl::accessor from(whole, group, range<1>(lead), sycl::read_only);
      group.parallel_for(range<1>(items), [=](sycl::id<1> i) {
        Relaxed<unsigned>(to[scramble(unsigned(i[0])) % bins]).fetch_add(from[i[0] % lead]);
      });
    });
    queue.wait();
    expect_remark(refused);
  }
  const std::vector<unsigned> counts = counts_of_items(0);
  unsigned total = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool is_of_table = i >= lead && i < lead + bins;
    EXPECT_EQ(numbers[i], is_of_table ? 3 + 4 * counts[i - lead] : 3);
    total += is_of_table ? counts[i - lead] : 0;
  }
  EXPECT_EQ(total, items);
}

// One word of a large allocation: the copy has that word only.
TEST(one_word_of_much_memory) {
  sycl::queue queue;
  constexpr std::size_t words = 1 << 20;
  long *sums = sycl::malloc_device<long>(words, queue);
  unsigned *product = sycl::malloc_shared<unsigned>(1, queue);
  *product = 3;
  queue.fill(sums, 5L, words).wait();
  remarks();
  queue
      .parallel_for(range<1>(items),
                    [=](sycl::id<1> i) {
                      Relaxed<long>(sums[words - 1]).fetch_add(long(i[0]));
                      Relaxed<unsigned> all(*product);
                      unsigned old = all.load();
                      while (!all.compare_exchange_strong(old, old * unsigned(i[0] % 4 + 1)))
                        ;
                    })
      .wait();
  expect_remark(made);
  long ends[2];
  queue.memcpy(&ends[0], sums + words - 2, sizeof ends).wait();
  EXPECT_EQ(ends[0], 5);
  EXPECT_EQ(ends[1], 5 + long(items) * (long(items) - 1) / 2);
  unsigned expected = 3;
  for (std::size_t i = 0; i < items; ++i)
    expected *= unsigned(i % 4 + 1);
  EXPECT_EQ(*product, expected);
  sycl::free(sums, queue);
  sycl::free(product, queue);
}

} // namespace
