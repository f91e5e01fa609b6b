#include "runtime/check/races/clocks/shared_tree.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace lockstep::runtime {
namespace {

struct Counted {
  static inline uint64_t compared = 0;
  uint32_t number = 0;
  bool holds(const Counted &other) const {
    ++compared;
    return number >= other.number;
  }
  void join(const Counted &other) { number = std::max(number, other.number); }
};
using Tree = SharedTree<Counted>;

uint64_t compared_in_join(Tree &to, const Tree &from) {
  const uint64_t before = Counted::compared;
  to.join(from);
  return Counted::compared - before;
}

constexpr uint32_t many = 3000;

TEST(SharedTree, OneThatHoldsAllIsSharedAndNotLookedAtAgain) {
  Tree object, own;
  for (uint32_t i = 0; i != many; ++i) {
    object.own(i).number = 2;
    own.own(i).number = 1 + i % 2;
  }
  EXPECT_GE(compared_in_join(own, object), many);
  EXPECT_TRUE(own.is_same(object));
  EXPECT_EQ(compared_in_join(own, object), 0u);
}

// Both trees get the same entries and one more each: a second join visits only what differs.
TEST(SharedTree, WhatIsEqualIsSharedAfterAJoin) {
  Tree object, own;
  for (uint32_t i = 0; i != many; ++i)
    object.own(i).number = own.own(i).number = i + 1;
  object.own(7).number = own.own(2999).number = 2 * many;
  compared_in_join(own, object);
  own.own(1000).number = object.own(2000).number = 3 * many;
  constexpr uint64_t leaf = 8;
  EXPECT_LE(compared_in_join(own, object), 4 * 3 * leaf);
  EXPECT_EQ(own.find(1000)->number, 3 * many);
  EXPECT_EQ(own.find(2000)->number, 3 * many);
  EXPECT_EQ(own.find(7)->number, 2 * many);
  EXPECT_EQ(own.find(2999)->number, 2 * many);
}

TEST(SharedTree, CopiesAndJoinsAtRandomAsMaps) {
  std::mt19937 random(1);
  constexpr uint32_t keys[] = {0, 1, 7, 8, 63, 64, 65, 4095, 4096, 1u << 31};
  for (int round = 0; round != 300; ++round) {
    std::array<Tree, 4> trees;
    std::array<std::map<uint32_t, uint32_t>, 4> maps;
    for (int step = 0; step != 100; ++step) {
      const uint32_t to = random() % 4, from = random() % 4, key = keys[random() % std::size(keys)];
      switch (random() % 4) {
      case 0:
        trees[to] = trees[from];
        maps[to] = maps[from];
        break;
      case 1:
        trees[to].join(trees[from]);
        for (const auto &[each, number] : std::map(maps[from]))
          maps[to][each] = std::max(maps[to][each], number);
        break;
      default:
        maps[to][key] = trees[to].own(key).number += random() % 3;
      }
    }
    for (std::size_t i = 0; i != 4; ++i)
      for (uint32_t key : keys) {
        const Counted *found = trees[i].find(key);
        EXPECT_EQ(found ? found->number : 0, maps[i][key]) << round << ' ' << key;
      }
  }
}

} // namespace
} // namespace lockstep::runtime
