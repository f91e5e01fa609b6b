// The memory of a card. Copies between it and the host's memory go through two pinned blocks for
// each direction, because the card reaches pinned memory only: while the card copies one block, the
// calling thread copies the other.
#pragma once

#include "runtime/launch/nvidia/cuda_context.h"
#include "runtime/memory/memory_space.h"

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace lockstep::runtime {

class NvidiaMemory final : public MemorySpace {
public:
  explicit NvidiaMemory(std::shared_ptr<CudaContext> context) : context_(std::move(context)) {}

  Result<std::byte *> allocate(std::size_t size) override;
  void free(std::byte *address, std::size_t size) override;
  Result<void> write(std::byte *to, const std::byte *from_host, std::size_t size) override;
  Result<void> read(std::byte *to_host, const std::byte *from, std::size_t size) override;

  static constexpr std::size_t block_bytes = std::size_t{8} << 20;

  // Pinned memory of the host for one small transfer. The destructor makes it free for another one,
  // so the transfer must have ended.
  class Staging {
  public:
    static constexpr std::size_t bytes = std::size_t{64} << 10;
    Staging(NvidiaMemory &memory, std::byte *data) : memory_(memory), data_(data) {}
    ~Staging();
    Staging(const Staging &) = delete;
    Staging &operator=(const Staging &) = delete;
    std::byte *data() const { return data_; }

  private:
    NvidiaMemory &memory_;
    std::byte *const data_;
  };
  Result<std::unique_ptr<Staging>> take_staging();

  // A uint32_t on the card for launches on this stream, which run one after the other.
  Result<cuda::Address> counter_of(cuda::Stream *stream);

private:
  struct Block {
    std::byte *pinned = nullptr;
    cuda::Event *is_copied = nullptr;
  };
  // Two blocks of one direction. It is made by the first transfer and lives as long as the process.
  struct Ring {
    std::mutex mutex; // one transfer at a time
    cuda::Stream *stream = nullptr;
    std::array<Block, 2> blocks;
  };

  Result<void> start(Ring &ring);
  Result<void> write_blocks(std::byte *to, const std::byte *from, std::size_t size);
  Result<void> read_blocks(std::byte *to, const std::byte *from, std::size_t size);

  const std::shared_ptr<CudaContext> context_;
  Ring to_device_, to_host_;
  std::mutex staging_mutex_;
  std::vector<std::byte *> free_staging_; // never unpinned
  std::mutex counters_mutex_;
  std::map<cuda::Stream *, cuda::Address> counters_; // live as long as the process
};

} // namespace lockstep::runtime
