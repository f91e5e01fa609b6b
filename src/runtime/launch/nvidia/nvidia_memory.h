// The memory of a card. Copies between it and the host's memory go through pinned blocks, because
// the card reaches pinned memory only; memory of allocate_on_host() and pin() needs no blocks.
// Each copy uses a ring of two blocks: while the card copies one block, the calling thread copies
// the other. A thread copies slower than the bus, so there are several rings for each direction, and
// host threads share large transfers.
#pragma once

#include "runtime/launch/nvidia/cuda_context.h"
#include "runtime/launch/nvidia/group_pools.h"
#include "runtime/memory/memory_space.h"

#include <array>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

namespace lockstep::runtime {

class NvidiaMemory final : public MemorySpace {
public:
  explicit NvidiaMemory(std::shared_ptr<CudaContext> context)
      : context_(std::move(context)), group_pools_(context_) {}

  Result<std::byte *> allocate(std::size_t size) override;
  void free(std::byte *address, std::size_t size) override;
  bool has_unified_addresses() const override { return true; }
  Result<std::shared_ptr<std::byte>> allocate_on_host(std::size_t size) override; // pinned
  // Pins whole pages, which several calls may share.
  Result<std::shared_ptr<const void>> pin(std::byte *begin, std::size_t size,
                                          std::shared_ptr<const void> owner) override;
  Result<void> write(std::byte *to, const std::byte *from_host, std::size_t size) override;
  Result<void> read(std::byte *to_host, const std::byte *from, std::size_t size) override;

  // From another card.
  Result<bool> copy_from(std::byte *to, MemorySpace &other, const std::byte *from,
                         std::size_t size) override;

  // The same for rows of `row_bytes` at distances of `to_pitch` and `from_pitch` bytes.
  Result<void> write_rows(std::byte *to, std::size_t to_pitch, const std::byte *from_host,
                          std::size_t from_pitch, std::size_t row_bytes, std::size_t rows);
  Result<void> read_rows(std::byte *to_host, std::size_t to_pitch, const std::byte *from,
                         std::size_t from_pitch, std::size_t row_bytes, std::size_t rows);

  // Whether the range is in memory of allocate_on_host() or pin(), of any card: all of them reach it.
  bool is_pinned(const std::byte *begin, std::size_t size) const;

  static constexpr std::size_t block_bytes = std::size_t{1} << 20, rings = 8;

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

  GroupPools &group_pools() { return group_pools_; }

private:
  struct Block {
    std::byte *pinned = nullptr;
    cuda::Event *is_copied = nullptr;
  };
  // It is made by the first transfer that uses it and lives as long as the process.
  struct Ring {
    bool is_used = false; // by a transfer
    cuda::Stream *stream = nullptr;
    std::array<Block, 2> blocks;
  };

  // Those of one direction.
  struct Rings {
    std::mutex mutex;
    std::condition_variable changed;
    std::array<Ring, rings> all;
  };
  // A ring for one transfer. Waits until one is free.
  class TakenRing {
  public:
    explicit TakenRing(Rings &from);
    ~TakenRing();
    TakenRing(const TakenRing &) = delete;
    TakenRing &operator=(const TakenRing &) = delete;
    Ring &operator*() const { return *ring_; }
    Ring *operator->() const { return ring_; }

  private:
    Rings &from_;
    Ring *ring_ = nullptr;
  };
  Result<void> start(Ring &ring);
  Result<void> write_pinned(Ring &ring, std::byte *to, const std::byte *from, std::size_t size);
  Result<void> read_pinned(Ring &ring, std::byte *to, const std::byte *from, std::size_t size);
  Result<void> write_blocks(Ring &ring, std::byte *to, const std::byte *from, std::size_t size);
  Result<void> read_blocks(Ring &ring, std::byte *to, const std::byte *from, std::size_t size);

  // Both copy at most a block of rows. The caller synchronizes the stream.
  Result<void> rows_to_card(Ring &ring, std::byte *to, std::size_t pitch, std::size_t row_bytes,
                            std::size_t rows);
  Result<void> rows_to_host(Ring &ring, const std::byte *from, std::size_t pitch,
                            std::size_t row_bytes, std::size_t rows);

  const std::shared_ptr<CudaContext> context_;
  Rings to_device_, to_host_;
  std::mutex staging_mutex_;
  std::vector<std::byte *> free_staging_; // never unpinned
  GroupPools group_pools_;
};

} // namespace lockstep::runtime
