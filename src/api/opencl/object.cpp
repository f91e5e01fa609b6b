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

// Stands before each object, there or not.
struct alignas(HandleMemory::alignment) Slot {
  std::atomic<ObjectKind> kind{ObjectKind::none};
  Slot *next = nullptr; // of free ones
};
static_assert(chunk_header % alignof(Slot) == 0);

void *object_in(Slot *slot) {
  return slot + 1;
}

Slot *slot_of(void *object) {
  return static_cast<Slot *>(object) - 1;
}

// A place without an object is given this, for the loader.
void leave_dispatch_pointer(void *object) {
  new (object) const cl_icd_dispatch *(&icd_dispatch);
}

// Free slots of one kind: taken from the front, given back at the end.
struct Pool {
  std::mutex mutex;
  Slot *first = nullptr;
  Slot *last = nullptr;
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

void append(Pool &pool, Slot *slot) {
  slot->next = nullptr;
  (pool.last ? pool.last->next : pool.first) = slot;
  pool.last = slot;
  ++pool.free_count;
}

void add_chunk(Pool &pool, ObjectKind kind, std::size_t size) {
  void *chunk = std::aligned_alloc(chunk_size, chunk_size);
  if (!chunk)
    throw std::bad_alloc();
  std::size_t slot_size = (sizeof(Slot) + size + 63) / 64 * 64;
  new (chunk) Chunk{kind, static_cast<uint32_t>(slot_size)};
  auto *bytes = static_cast<char *>(chunk);
  for (std::size_t at = chunk_header; at + slot_size <= chunk_size; at += slot_size) {
    auto *slot = new (bytes + at) Slot;
    leave_dispatch_pointer(object_in(slot));
    append(pool, slot);
  }
  if (!memory().chunks.insert(chunk)) // 4 GiB of handles
    throw std::bad_alloc();
}

} // namespace

void *HandleMemory::allocate(ObjectKind kind, std::size_t size) {
  Pool &pool = memory().pools[static_cast<std::size_t>(kind)];
  std::lock_guard lock(pool.mutex);
  if (pool.free_count <= slots_kept_free || !pool.first)
    add_chunk(pool, kind, size);
  Slot *slot = pool.first;
  pool.first = slot->next;
  if (!pool.first)
    pool.last = nullptr;
  --pool.free_count;
  return object_in(slot);
}

void HandleMemory::announce(void *object, ObjectKind kind) {
  slot_of(object)->kind.store(kind, std::memory_order_release);
}

void HandleMemory::free(ObjectKind kind, void *object) {
  Pool &pool = memory().pools[static_cast<std::size_t>(kind)];
  slot_of(object)->kind.store(ObjectKind::none, std::memory_order_relaxed);
  leave_dispatch_pointer(object);
  std::lock_guard lock(pool.mutex);
  append(pool, slot_of(object));
}

bool HandleMemory::holds(const void *pointer, ObjectKind kind) {
  auto address = reinterpret_cast<uintptr_t>(pointer) - sizeof(Slot);
  uintptr_t chunk_address = address & ~(chunk_size - 1);
  if (!memory().chunks.contains(chunk_address))
    return false;
  const auto *chunk = reinterpret_cast<const Chunk *>(chunk_address);
  auto offset = static_cast<uint32_t>(address - chunk_address);
  if (chunk->kind != kind || offset < chunk_header ||
      (offset - chunk_header) % chunk->slot_size != 0 || offset + chunk->slot_size > chunk_size)
    return false;
  return reinterpret_cast<const Slot *>(address)->kind.load(std::memory_order_acquire) == kind;
}

} // namespace lockstep::opencl
