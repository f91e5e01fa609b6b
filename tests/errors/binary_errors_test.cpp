// Binaries that were damaged: each is refused, none is run.
#include "error_fixture.h"

#include <algorithm>
#include <random>

using namespace lockstep::test;

namespace {

constexpr const char *good_source = "kernel void good(global int *a) { a[get_global_id(0)] = 1; }";

class BinaryErrors : public ErrorTest {
protected:
  std::vector<unsigned char> binary(cl_program program) {
    size_t size = 0;
    EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr),
              CL_SUCCESS);
    std::vector<unsigned char> bytes(size);
    unsigned char *place = bytes.data();
    EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof place, &place, nullptr),
              CL_SUCCESS);
    return bytes;
  }
};

// A binary with any byte changed, or cut short, must be refused, not run.
TEST_F(BinaryErrors, DamagedBinaries) {
  Program program = build(good_source);
  const std::vector<unsigned char> whole = binary(program);
  ASSERT_GT(whole.size(), 16u);
  auto create = [&](const std::vector<unsigned char> &bytes) {
    const unsigned char *place = bytes.data();
    size_t size = bytes.size();
    cl_int status = 1;
    Program made(clCreateProgramWithBinary(context_, 1, &device_, &size, &place, nullptr, &status));
    EXPECT_EQ(made.get() == nullptr, status != CL_SUCCESS);
    return status;
  };
  EXPECT_EQ(create(whole), CL_SUCCESS);
  for (size_t at = 0; at < whole.size(); at += whole.size() / 37 + 1) {
    std::vector<unsigned char> damaged = whole;
    damaged[at] ^= 0x10;
    EXPECT_EQ(create(damaged), CL_INVALID_BINARY) << "byte " << at;
    damaged.assign(whole.begin(), whole.begin() + at + 1);
    EXPECT_EQ(create(damaged), CL_INVALID_BINARY) << "first " << at + 1 << " bytes";
  }
}

// Bytes changed, taken out, repeated and put in from another program, several times over.
TEST_F(BinaryErrors, BinariesDamagedAtRandom) {
  Program program = build(good_source), second = build("kernel void other() {}");
  const std::vector<unsigned char> whole = binary(program), stranger = binary(second);
  std::mt19937 random(1);
  const auto upto = [&](size_t end) { return std::ptrdiff_t(random() % (end + 1)); };
  for (int round = 0; round < 2000; ++round) {
    std::vector<unsigned char> damaged = whole;
    for (int left = 1 + int(random() % 4); left > 0; --left) {
      const auto at = damaged.begin() + upto(damaged.size());
      const auto end = at + upto(std::min<size_t>(64, damaged.end() - at));
      const std::vector<unsigned char> piece(at, end);
      switch (random() % 4) {
      case 0:
        std::ranges::generate(at, end, [&] { return static_cast<unsigned char>(random()); });
        break;
      case 1:
        damaged.erase(at, end);
        break;
      case 2:
        damaged.insert(at, piece.begin(), piece.end());
        break;
      case 3:
        damaged.insert(at, stranger.begin(), stranger.begin() + upto(stranger.size()));
        break;
      }
    }
    const unsigned char *place = damaged.data();
    size_t size = damaged.size();
    if (damaged == whole || damaged == stranger || size == 0)
      continue;
    cl_int status = 1;
    Program made(clCreateProgramWithBinary(context_, 1, &device_, &size, &place, nullptr, &status));
    EXPECT_EQ(status, CL_INVALID_BINARY) << "round " << round;
  }
}

} // namespace
