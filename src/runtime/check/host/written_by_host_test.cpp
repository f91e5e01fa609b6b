#include "runtime/check/host/written_by_host.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <vector>

namespace lockstep::runtime {
namespace {

// Memory as the program gets it, and a shadow memory without defined bits.
struct Memory {
  explicit Memory(std::size_t size)
      : size(size),
        bytes(static_cast<std::byte *>(std::aligned_alloc(128, rounded(size))), std::free),
        shadow(static_cast<std::byte *>(std::aligned_alloc(128, rounded(size))), std::free) {
    std::memset(shadow.get(), 0, size);
    make_unwritten(all());
  }
  static std::size_t rounded(std::size_t size) { return (size + 127) / 128 * 128; }
  std::span<std::byte> all() { return {bytes.get(), size}; }
  template <class T> void write(std::size_t index, T value) {
    std::memcpy(bytes.get() + index * sizeof value, &value, sizeof value);
  }
  bool note(std::size_t begin, std::size_t end) {
    return record_written(all(), begin, end, shadow.get());
  }
  // One letter per four bytes: d for defined, . for undefined, ? for partly defined.
  std::string text() {
    std::string text;
    for (std::size_t at = 0; at < size; at += 4) {
      const std::size_t count = std::min<std::size_t>(4, size - at);
      const auto defined =
          std::count(shadow.get() + at, shadow.get() + at + count, std::byte{0xff});
      text += std::size_t(defined) == count ? 'd' : defined ? '?' : '.';
    }
    return text;
  }

  std::size_t size;
  std::unique_ptr<std::byte, void (*)(void *)> bytes, shadow;
};

TEST(WrittenByHost, NothingIsAtFirst) {
  Memory memory(1024);
  EXPECT_FALSE(memory.note(0, 1024));
  EXPECT_EQ(memory.text(), std::string(256, '.'));
}

TEST(WrittenByHost, WhatDiffersIs) {
  Memory memory(128);
  for (std::size_t i = 0; i < 32; i += 2)
    memory.write(i, uint32_t(i));
  EXPECT_TRUE(memory.note(0, 128));
  EXPECT_EQ(memory.text(), "d.d.d.d.d.d.d.d.d.d.d.d.d.d.d.d.");
  EXPECT_FALSE(memory.note(0, 128));
}

TEST(WrittenByHost, AByteWritesItsFour) {
  Memory memory(64);
  memory.write(5, uint8_t(~uint8_t(memory.bytes.get()[5])));
  EXPECT_TRUE(memory.note(5, 6));
  EXPECT_EQ(memory.text(), ".d..............");
}

TEST(WrittenByHost, OnlyTheLinesThatAreAskedForAreLookedAt) {
  Memory memory(64 * 4);
  std::memset(memory.bytes.get(), 0, memory.size);
  EXPECT_TRUE(memory.note(100, 132));
  EXPECT_EQ(memory.text(), std::string(16, '.') + std::string(32, 'd') + std::string(16, '.'));
}

TEST(WrittenByHost, OneFourOfALineMayHaveBeenWrittenAsItWas) {
  Memory memory(256);
  std::vector<std::byte> drawn(memory.bytes.get(), memory.bytes.get() + 256);
  std::memset(memory.bytes.get(), 0, 256);
  std::memcpy(memory.bytes.get() + 20, drawn.data() + 20, 4); // one of its line
  std::memcpy(memory.bytes.get() + 128, drawn.data() + 128, 8);
  EXPECT_TRUE(memory.note(0, 256));
  EXPECT_EQ(memory.text(), std::string(32, 'd') + ".." + std::string(30, 'd'));
}

TEST(WrittenByHost, OneIsEnoughInALineOrLess) {
  Memory memory(16);
  for (std::size_t i : {0, 1, 3})
    memory.write(i, uint32_t(i));
  EXPECT_TRUE(memory.note(0, 16));
  EXPECT_EQ(memory.text(), "dd.d");
  Memory word(4);
  EXPECT_FALSE(word.note(0, 4));
  EXPECT_EQ(word.text(), ".");
}

TEST(WrittenByHost, LessThanFourAtTheEndAlwaysIs) {
  Memory memory(130 * 4 + 3);
  memory.note(0, memory.size);
  EXPECT_EQ(memory.text(), std::string(130, '.') + "d");
  Memory byte(1);
  byte.note(0, 1);
  EXPECT_EQ(byte.text(), "d");
}

TEST(WrittenByHost, WhatIsKnownToBeDefinedStaysSo) {
  Memory memory(64);
  std::memset(memory.shadow.get() + 8, 0xff, 8);
  EXPECT_FALSE(memory.note(0, 64));
  EXPECT_EQ(memory.text(), "..dd............");
}

// A kernel has written some of the bytes. Because of these the unit differs from the pattern, or
// does not.
TEST(WrittenByHost, WhatIsDefinedInPartIsThenAltogether) {
  Memory memory(64);
  std::memset(memory.shadow.get() + 9, 0xff, 1);
  EXPECT_EQ(memory.text(), "..?.............");
  EXPECT_TRUE(memory.note(0, 64));
  EXPECT_EQ(memory.text(), "..d.............");
}

TEST(WrittenByHost, ValuesThatAreEverywhereNeverLookUnwritten) {
  Memory memory(1 << 16);
  std::vector<std::byte> drawn(memory.bytes.get(), memory.bytes.get() + 64);
  for (std::size_t place = 0; place < 64; place += 4) { // as if the pattern had the program's value
    uint32_t value;
    std::memcpy(&value, drawn.data() + place, 4);
    std::memset(memory.shadow.get(), 0, memory.size);
    for (std::size_t i = 0; i < memory.size / 4; ++i)
      memory.write(i, value);
    memory.note(0, memory.size);
    EXPECT_EQ(memory.text(), std::string(memory.size / 4, 'd'));
  }
}

TEST(WrittenByHost, RandomNumbersNeverDo) {
  Memory memory(1 << 20);
  std::mt19937 random(1);
  for (std::size_t i = 0; i < memory.size / 4; ++i)
    memory.write(i, uint32_t(random()));
  memory.note(0, memory.size);
  EXPECT_EQ(memory.text(), std::string(memory.size / 4, 'd'));
}

} // namespace
} // namespace lockstep::runtime
