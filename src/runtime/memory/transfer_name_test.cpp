#include "runtime/memory/transfer_name.h"

#include <array>
#include <gtest/gtest.h>
#include <vector>

namespace lockstep::runtime {
namespace {

TEST(TransferName, IsThatOfWhatIsMoved) {
  std::array<char, 8> bytes{};
  auto buffer = *Buffer::wrap(bytes.data(), bytes.size());
  const MemoryView device(buffer, 0, 8), host(bytes.data(), 8);
  const Access read_device{device, AccessMode::read}, write_device{device, AccessMode::overwrite};
  const Access read_host{host, AccessMode::read}, write_host{host, AccessMode::overwrite};
  auto name = [](std::vector<Access> accesses) { return std::string(transfer_name(accesses)); };
  EXPECT_EQ(name({read_device, write_host}), "read");
  EXPECT_EQ(name({write_device, read_host}), "write");
  EXPECT_EQ(name({read_device, write_device}), "copy");
  EXPECT_EQ(name({read_host, write_host}), "copy");
  EXPECT_EQ(name({write_device}), "fill");
  EXPECT_EQ(name({read_device}), "map");
  EXPECT_EQ(name({}), "command");
}

} // namespace
} // namespace lockstep::runtime
