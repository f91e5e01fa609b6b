// Hierarchical kernels: group code runs once, group variables are shared, work-items run in order.
#include <sycl/sycl.hpp>

#include "check.h"

#include <vector>

using sycl::access_mode;

namespace {

template <class T> std::vector<T> counted(std::size_t n) {
  std::vector<T> all(n);
  for (std::size_t i = 0; i < n; ++i)
    all[i] = static_cast<T>(i * 7 % 11);
  return all;
}

} // namespace

// One work-item writes a group variable and others read it, in a loop of the group.
TEST(shared_variables_and_order) {
  constexpr std::size_t groups = 5, size = 32;
  sycl::queue queue;
  std::vector<int> out(groups * size, -1);
  {
    sycl::buffer<int> buffer(out.data(), out.size());
    queue.submit([&](sycl::handler &h) {
      sycl::accessor result(buffer, h, sycl::write_only);
      h.parallel_for_work_group<class Shared>(
          sycl::range<1>(groups), sycl::range<1>(size), [=](sycl::group<1> g) {
            int turn = 0;                     // written by work-items
            int values[size];                 // also written by work-items
            const int base = int(g[0]) * 100; // written by the group only
            for (int round = 0; round < 3; ++round) {
              g.parallel_for_work_item([&](sycl::h_item<1> me) {
                const int i = int(me.get_local_id(0));
                values[i] = base + i + turn;
              });
              g.parallel_for_work_item([&](sycl::h_item<1> me) {
                if (me.get_local_id(0) == size - 1)
                  turn = values[0] + 1;
              });
              turn = turn + round;
            }
            g.parallel_for_work_item([&](sycl::h_item<1> me) {
              const std::size_t i = me.get_local_id(0);
              result[me.get_global_id()] = values[size - 1 - i] * 1000 + turn;
            });
          });
    });
  }
  for (std::size_t g = 0; g < groups; ++g) {
    int turn = 0, values[size] = {};
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < int(size); ++i)
        values[i] = int(g) * 100 + i + turn;
      turn = values[0] + 1 + round;
    }
    for (std::size_t i = 0; i < size; ++i)
      EXPECT_EQ(out[g * size + i], values[size - 1 - i] * 1000 + turn);
  }
}

// The group reads the values from before its writes, also where no work-item does anything.
TEST(groups_without_work_items) {
  sycl::queue queue;
  int *const data = sycl::malloc_shared<int>(4 * 3, queue);
  const auto work = [=](sycl::group<1> g) {
    int *own = data + g[0] * 3;
    own[1] = own[0] == 4 && own[2] == -1;
    own[0] = 7;
    own[2] = own[1] + own[0];
  };
  for (const bool is_open : {false, true}) {
    for (int i = 0; i < 4; ++i)
      data[i * 3] = 4, data[i * 3 + 1] = 9, data[i * 3 + 2] = -1;
    queue
        .submit([&](sycl::handler &h) {
          if (is_open)
            h.parallel_for_work_group<class OpenGroups>(sycl::range<1>(4), work);
          else
            h.parallel_for_work_group<class Groups>(sycl::range<1>(4), sycl::range<1>(100), work);
        })
        .wait();
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(data[i * 3], 7);
      EXPECT_EQ(data[i * 3 + 1], 1);
      EXPECT_EQ(data[i * 3 + 2], 8);
    }
  }
  sycl::free(data, queue);
}

// Stores, read-modify-writes and atomic operations happen once for the group, with one result.
TEST(effects_happen_once) {
  constexpr std::size_t groups = 37, size = 48;
  sycl::queue queue;
  auto *counter = sycl::malloc_shared<int>(1, queue);
  auto *tickets = sycl::malloc_shared<int>(groups, queue);
  auto *own = sycl::malloc_shared<int>(groups * 2, queue);
  auto *seen = sycl::malloc_shared<int>(groups * size, queue);
  *counter = 0;
  for (std::size_t g = 0; g < groups; ++g)
    own[2 * g] = int(g), own[2 * g + 1] = 1;
  queue.submit([&](sycl::handler &h) {
    h.parallel_for_work_group(sycl::range<1>(groups), sycl::range<1>(size), [=](sycl::group<1> g) {
      sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device> count(
          *counter);
      const int ticket = count.fetch_add(1);
      tickets[g[0]] = ticket;
      own[2 * g[0]] += 5;
      own[2 * g[0] + 1] = own[2 * g[0]] * 2;
      int expected = -1;
      sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device> mine(
          own[2 * g[0]]);
      const bool swapped = mine.compare_exchange_strong(expected, 0); // fails: returns the value
      g.parallel_for_work_item([&](sycl::h_item<1> me) {
        seen[me.get_global_id(0)] = ticket * 1000 + expected + (swapped ? 500 : 0);
      });
    });
  });
  queue.wait();
  EXPECT_EQ(*counter, groups);
  std::vector<int> times(groups);
  for (std::size_t g = 0; g < groups; ++g) {
    times.at(tickets[g])++;
    EXPECT_EQ(own[2 * g], g + 5);
    EXPECT_EQ(own[2 * g + 1], 2 * (g + 5));
    for (std::size_t i = 0; i < size; ++i)
      EXPECT_EQ(seen[g * size + i], tickets[g] * 1000 + int(g) + 5);
  }
  for (int of_ticket : times)
    EXPECT_EQ(of_ticket, 1);
  for (auto *memory : {counter, tickets, own, seen})
    sycl::free(memory, queue);
}

TEST(private_memory_lasts) {
  constexpr std::size_t groups = 3, size = 24;
  sycl::queue queue;
  std::vector<float> in = counted<float>(groups * size), out(groups * size);
  {
    sycl::buffer<float> source(in.data(), in.size()), buffer(out.data(), out.size());
    queue.submit([&](sycl::handler &h) {
      sycl::accessor from(source, h, sycl::read_only);
      sycl::accessor result(buffer, h, sycl::write_only);
      h.parallel_for_work_group(
          sycl::range<1>(groups), sycl::range<1>(size), [=](sycl::group<1> g) {
            sycl::private_memory<float> sum(g);
            sycl::private_memory<std::size_t[2], 1> pair(g);
            g.parallel_for_work_item([&](sycl::h_item<1> me) {
              sum(me) = from[me.get_global_id()];
              pair(me)[0] = me.get_local_id(0);
              pair(me)[1] = me.get_global_id(0);
            });
            for (int round = 0; round < 4; ++round)
              g.parallel_for_work_item([&](sycl::h_item<1> me) { sum(me) += round; });
            g.parallel_for_work_item([&](sycl::h_item<1> me) {
              result[me.get_global_id()] = sum(me) + float(pair(me)[0] * 10 + pair(me)[1] * 1000);
            });
          });
    });
  }
  for (std::size_t i = 0; i < out.size(); ++i)
    EXPECT_EQ(out[i], in[i] + 6 + float(i % size * 10 + i * 1000));
}

// Logical ranges that are larger and smaller than the group's, that differ by group, and all ids.
TEST(flexible_ranges) {
  constexpr std::size_t rows = 3, columns = 4, height = 6, width = 8;
  sycl::queue queue;
  auto *count = sycl::malloc_shared<int>(rows * columns * 16 * 16, queue);
  auto *wrong = sycl::malloc_shared<int>(1, queue);
  queue.fill(count, 0, rows * columns * 256).wait();
  *wrong = 0;
  queue.submit([&](sycl::handler &h) {
    h.parallel_for_work_group(
        sycl::range<2>(rows, columns), sycl::range<2>(height, width), [=](sycl::group<2> g) {
          const sycl::range<2> logical(g[0] * 4 + 3, g[1] * 3 + 2);
          g.parallel_for_work_item(logical, [&](sycl::h_item<2> me) {
            const sycl::id<2> at = me.get_logical_local_id(), physical = me.get_physical_local_id();
            sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device> bad(
                *wrong);
            if (me.get_local_range() != logical || me.get_logical_local_range() != logical ||
                me.get_physical_local_range() != sycl::range<2>(height, width) ||
                me.get_global_range() != sycl::range<2>(rows * height, columns * width) ||
                physical[0] >= height || physical[1] >= width || at != me.get_local_id() ||
                me.get_global_id() !=
                    sycl::id<2>(g[0] * height + physical[0], g[1] * width + physical[1]))
              bad += 1;
            count[g.get_group_linear_id() * 256 + at[0] * 16 + at[1]] += 1;
          });
        });
  });
  queue.wait();
  EXPECT_EQ(*wrong, 0);
  for (std::size_t g = 0; g < rows * columns; ++g)
    for (std::size_t i = 0; i < 256; ++i)
      EXPECT_EQ(count[g * 256 + i],
                i / 16 < g / columns * 4 + 3 && i % 16 < g % columns * 3 + 2 ? 1 : 0);
  sycl::free(count, queue);
  sycl::free(wrong, queue);
}

// Without a given size the runtime chooses one; all logical items run once, in three dimensions.
TEST(size_of_the_runtime) {
  sycl::queue queue;
  std::vector<int> out(2 * 3 * 5 * 7 * 9, 0);
  int wrong = 0;
  {
    sycl::buffer<int, 1> buffer(out.data(), out.size()), of_wrong(&wrong, 1);
    queue.submit([&](sycl::handler &h) {
      sycl::accessor result(buffer, h), wrongs(of_wrong, h);
      h.parallel_for_work_group(sycl::range<3>(1, 2, 3), [=](sycl::group<3> g) {
        g.parallel_for_work_item(sycl::range<3>(5, 7, 9), [&](sycl::h_item<3> me) {
          result[g.get_group_linear_id() * 315 + me.get_local().get_linear_id()] +=
              int(g.get_group_linear_id() + 1);
          // The global range is that of the logical items, too.
          if (me.get_global_id() !=
                  g.get_group_id() * sycl::range<3>(5, 7, 9) + me.get_local_id() ||
              me.get_global_range() != sycl::range<3>(5, 2 * 7, 3 * 9))
            wrongs[0] = 1;
        });
      });
    });
  }
  for (std::size_t i = 0; i < out.size(); ++i)
    EXPECT_EQ(out[i], i / 315 + 1);
  EXPECT_EQ(wrong, 0);
}

// Branches of the group, arrays that it fills, local accessors, functions that contain the item
// scopes.
static int filled(const sycl::group<1> &g, int *table, int rounds) {
  for (int i = 0; i < rounds; ++i)
    table[i] = int(g[0]) * i + 1;
  int sum = 0;
  for (int i = 0; i < rounds; ++i)
    sum += table[rounds - 1 - i] * i;
  return sum;
}

TEST(control_flow_of_the_group) {
  constexpr std::size_t groups = 9, size = 16;
  sycl::queue queue;
  std::vector<int> out(groups * size, 0);
  {
    sycl::buffer<int> buffer(out.data(), out.size());
    queue.submit([&](sycl::handler &h) {
      sycl::accessor result(buffer, h);
      sycl::local_accessor<int> tile(size, h);
      h.parallel_for_work_group(
          sycl::range<1>(groups), sycl::range<1>(size), [=](sycl::group<1> g) {
            int table[10];
            const int sum = filled(g, table, 10);
            const int rounds = int(g[0]) % 4;
            if (rounds == 3)
              return;
            tile[0] = sum;
            for (int round = 0; round <= rounds; ++round) {
              if (round % 2 == 0)
                g.parallel_for_work_item([&](sycl::h_item<1> me) {
                  if (me.get_local_id(0) > 0)
                    tile[me.get_local_id(0)] = tile[0] + table[me.get_local_id(0) % 10];
                });
              else
                tile[0] += tile[size - 1];
            }
            g.parallel_for_work_item([&](sycl::h_item<1> me) {
              result[me.get_global_id()] = tile[size - 1 - me.get_local_id(0)];
            });
          });
    });
  }
  for (int g = 0; g < int(groups); ++g) {
    int table[10], tile[size], sum = 0;
    for (int i = 0; i < 10; ++i)
      table[i] = g * i + 1;
    for (int i = 0; i < 10; ++i)
      sum += table[9 - i] * i;
    tile[0] = sum;
    for (int round = 0; round <= g % 4; ++round)
      for (std::size_t i = 1; i < size && round % 2 == 0; ++i)
        tile[i] = tile[0] + table[i % 10];
    if (g % 4 == 1)
      tile[0] += tile[size - 1];
    if (g % 4 == 2) { // iterations 0, 1, 2
      for (std::size_t i = 1; i < size; ++i)
        tile[i] = sum + table[i % 10];
      tile[0] = sum + tile[size - 1];
      for (std::size_t i = 1; i < size; ++i)
        tile[i] = tile[0] + table[i % 10];
    }
    for (std::size_t i = 0; i < size; ++i)
      EXPECT_EQ(out[g * size + i], g % 4 == 3 ? 0 : tile[size - 1 - i]);
  }
}
