#include "back_ends/cpu/host_functions/strided_copy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <sys/mman.h>
#include <vector>

namespace lockstep::compiler {
namespace {

// Memory that ends at an inaccessible page.
class GuardedMemory {
public:
  GuardedMemory() {
    memory_ = static_cast<char *>(
        mmap(nullptr, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_NE(memory_, MAP_FAILED);
    EXPECT_EQ(mprotect(memory_ + size, page, PROT_NONE), 0);
  }
  ~GuardedMemory() { munmap(memory_, size + page); }
  GuardedMemory(const GuardedMemory &) = delete;
  char *last(uint64_t bytes) { return memory_ + size - bytes; }

private:
  static constexpr uint64_t page = 4096, size = uint64_t{1} << 18;
  char *memory_;
};

// Reference: copies byte by byte.
std::vector<char> expected_copy(const std::vector<char> &to, const std::vector<char> &from,
                                uint64_t count, uint64_t to_stride, uint64_t from_stride,
                                uint64_t size) {
  std::vector<char> result = to;
  for (uint64_t i = 0; i != count; ++i)
    for (uint64_t byte = 0; byte != size; ++byte)
      result[i * to_stride * size + byte] = from[i * from_stride * size + byte];
  return result;
}

uint64_t bytes_of(uint64_t count, uint64_t stride, uint64_t size) {
  return count == 0 ? 0 : ((count - 1) * stride + 1) * size;
}

// Writes nothing but the elements and accesses nothing beyond the last one; the elements need not
// fill whole vectors.
TEST(StridedCopy, CopiesTheElementsAndTouchesNothingBehindThem) {
  GuardedMemory target, source;
  for (uint64_t size : {1, 2, 4, 8, 16, 32, 64, 128, 3})
    for (uint64_t stride : {1, 2, 3, 4, 5, 9})
      for (bool to_is_strided : {false, true})
        for (uint64_t count :
             {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 128, 129, 150}) {
          SCOPED_TRACE(std::to_string(count) + " elements of " + std::to_string(size) +
                       " bytes, stride " + std::to_string(stride) +
                       (to_is_strided ? " of the target" : " of the source"));
          const uint64_t to_stride = to_is_strided ? stride : 1,
                         from_stride = to_is_strided ? 1 : stride;
          std::vector<char> to(bytes_of(count, to_stride, size), char(-1)),
              from(bytes_of(count, from_stride, size));
          for (size_t i = 0; i != from.size(); ++i)
            from[i] = char(i * 7 % 127);
          char *at = target.last(to.size()), *origin = source.last(from.size());
          if (!to.empty()) {
            std::memcpy(at, to.data(), to.size());
            std::memcpy(origin, from.data(), from.size());
          }
          lockstep_strided_copy(at, origin, count, to_stride, from_stride, size);
          ASSERT_EQ(std::vector<char>(at, at + to.size()),
                    expected_copy(to, from, count, to_stride, from_stride, size));
        }
}

TEST(StridedCopy, TakesTwoStrides) {
  const std::vector<char> from = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<char> to(5, -1);
  lockstep_strided_copy(to.data(), from.data(), 3, 2, 4, 1);
  EXPECT_EQ(to, (std::vector<char>{0, char(-1), 4, char(-1), 8}));
}

TEST(CopyLines, CopiesLinesOfEachPlaneAndNothingElse) {
  std::vector<char> from(60);
  for (size_t i = 0; i != from.size(); ++i)
    from[i] = char(i);
  std::vector<char> to(30, -1), expected = to;
  for (size_t plane = 0; plane != 2; ++plane)
    for (size_t line = 0; line != 3; ++line)
      for (size_t byte = 0; byte != 4; ++byte)
        expected[plane * 15 + line * 5 + byte] = char(plane * 30 + line * 9 + byte);
  lockstep_copy_lines(to.data(), from.data(), 4, 3, 2, 5, 15, 9, 30);
  EXPECT_EQ(to, expected);
}

} // namespace
} // namespace lockstep::compiler
