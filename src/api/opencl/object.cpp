#include "api/opencl/object.h"

#include "api/opencl/handle_table.h"

#include <array>
#include <cstdlib>
#include <mutex>

namespace lockstep::opencl {
namespace {

constexpr std::size_t chunk_size = 64 * 1024; // also its alignment
constexpr std::size_t chunk_header = 64;
constexpr std::size_t slots_kept_free = 256;

// At the start of each chunk.
struct Chunk {
  ObjectKind kind;
  uint32_t slot_size;
};

// A slot that holds no object. The first two members lie where Object has them.
struct FreeSlot {
  const cl_icd_dispatch *dispatch;
  std::atomic<ObjectKind> kind;
  FreeSlot *next;
};

// Free slots of one kind: taken from the front, given back at the end.
struct Pool {
  std::mutex mutex;
  FreeSlot *first = nullptr;
  FreeSlot *last = nullptr;
  std::size_t free_count = 0;
};

// The one mutable global of this folder: handles are process-wide by the specification. It is never
// destroyed, because programs release objects from their own static destructors.
struct Memory {
  std::array<Pool, static_cast<std::size_t>(ObjectKind::count)> pools;
  HandleTable chunks;
};

Memory &memory() {
  static Memory &instance = *new Memory;
  return instance;
}

void append(Pool &pool, FreeSlot *slot) {
  slot->next = nullptr;
  (pool.last ? pool.last->next : pool.first) = slot;
  pool.last = slot;
  ++pool.free_count;
}

void add_chunk(Pool &pool, ObjectKind kind, std::size_t size) {
  void *chunk = std::aligned_alloc(chunk_size, chunk_size);
  if (!chunk)
    throw std::bad_alloc();
  std::size_t slot_size = (size + 63) / 64 * 64;
  new (chunk) Chunk{kind, static_cast<uint32_t>(slot_size)};
  auto *bytes = static_cast<char *>(chunk);
  for (std::size_t at = chunk_header; at + slot_size <= chunk_size; at += slot_size)
    append(pool, new (bytes + at) FreeSlot{&icd_dispatch, ObjectKind::none, nullptr});
  if (!memory().chunks.insert(chunk)) // 4 GiB of handles
    throw std::bad_alloc();
}

} // namespace

void *HandleMemory::allocate(ObjectKind kind, std::size_t size) {
  Pool &pool = memory().pools[static_cast<std::size_t>(kind)];
  std::lock_guard lock(pool.mutex);
  if (pool.free_count <= slots_kept_free || !pool.first)
    add_chunk(pool, kind, size);
  FreeSlot *slot = pool.first;
  pool.first = slot->next;
  if (!pool.first)
    pool.last = nullptr;
  --pool.free_count;
  return slot;
}

void HandleMemory::free(ObjectKind kind, void *slot) {
  Pool &pool = memory().pools[static_cast<std::size_t>(kind)];
  auto *free_slot = new (slot) FreeSlot{&icd_dispatch, ObjectKind::none, nullptr};
  std::lock_guard lock(pool.mutex);
  append(pool, free_slot);
}

bool HandleMemory::holds(const void *pointer, ObjectKind kind) {
  auto address = reinterpret_cast<uintptr_t>(pointer);
  uintptr_t chunk_address = address & ~(chunk_size - 1);
  if (!memory().chunks.contains(chunk_address))
    return false;
  const auto *chunk = reinterpret_cast<const Chunk *>(chunk_address);
  auto offset = static_cast<uint32_t>(address - chunk_address);
  if (chunk->kind != kind || offset < chunk_header ||
      (offset - chunk_header) % chunk->slot_size != 0 || offset + chunk->slot_size > chunk_size)
    return false;
  return static_cast<const FreeSlot *>(pointer)->kind.load(std::memory_order_acquire) == kind;
}

} // namespace lockstep::opencl
