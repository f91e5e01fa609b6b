#include "api/opencl/object.h"

#include "api/opencl/handle_table.h"
#include "api/opencl/inherited.h"
#include "platform/linux/leaked.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>

namespace lockstep::opencl {
namespace {

constexpr std::size_t chunk_size = 64 * 1024; // size and alignment
constexpr std::size_t chunk_header = 64;
constexpr std::size_t slots_kept_free = 256;

// The header at the start of each chunk.
struct Chunk {
  ObjectKind kind;
  uint32_t slot_size;
};

// The header before each object, live or free.
struct alignas(HandleMemory::alignment) Slot {
  std::atomic<ObjectKind> kind{ObjectKind::none};
  Slot *next = nullptr; // the next free slot
};
static_assert(chunk_header % alignof(Slot) == 0);

void *object_in(Slot *slot) {
  return slot + 1;
}

Slot *slot_of(void *object) {
  return static_cast<Slot *>(object) - 1;
}

// Gives a slot without an object the words that the ICD loader reads.
void leave_loader_words(void *object) {
  new (object) LoaderWords;
}

// Free slots of one kind: allocation takes the first one, release appends to the end.
struct Pool {
  std::mutex mutex;
  Slot *first = nullptr;
  Slot *last = nullptr;
  std::size_t free_count = 0;
};

// The only mutable global state of this folder: the specification makes handles process-wide. It is
// never destroyed, because programs release objects from their own static destructors. A child of
// fork() has its own Memory, so handles of the parent are not valid there but can be recognized.
struct Memory {
  std::array<Pool, static_cast<std::size_t>(ObjectKind::count)> pools;
  HandleTable chunks;
  const Memory *inherited = nullptr; // the Memory of the parent process; null if there is none
};

constinit std::atomic<const Memory *> newest_memory{nullptr};

Memory &memory() {
  return leaked<AfterFork::make_again>([] {
    auto *made = new Memory;
    made->inherited = newest_memory.exchange(made);
    return made;
  });
}

// Chunks with one object each. These objects are valid in every process that is forked from this
// one.
constinit std::array<std::atomic<uintptr_t>, 16> permanent_chunks{};

bool is_permanent(uintptr_t chunk) {
  return std::any_of(permanent_chunks.begin(), permanent_chunks.end(),
                     [&](const auto &one) { return one.load(std::memory_order_acquire) == chunk; });
}

uintptr_t chunk_of(const void *object) {
  return (reinterpret_cast<uintptr_t>(object) - sizeof(Slot)) & ~(chunk_size - 1);
}

// Returns the kind of the object that begins at `pointer`, or none. `pointer` must be inside one of
// our chunks.
ObjectKind kind_at(const void *pointer) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(pointer) - sizeof(Slot);
  const uintptr_t chunk_address = chunk_of(pointer);
  const auto *chunk = reinterpret_cast<const Chunk *>(chunk_address);
  const auto offset = static_cast<uint32_t>(address - chunk_address);
  if (offset < chunk_header || (offset - chunk_header) % chunk->slot_size != 0 ||
      offset + chunk->slot_size > chunk_size)
    return ObjectKind::none;
  return reinterpret_cast<const Slot *>(address)->kind.load(std::memory_order_acquire);
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
    leave_loader_words(object_in(slot));
    append(pool, slot);
  }
  if (!memory().chunks.insert(chunk)) // the table is full, at 4 GiB of handles
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
  leave_loader_words(object);
  std::lock_guard lock(pool.mutex);
  append(pool, slot_of(object));
}

bool HandleMemory::holds(const void *pointer, ObjectKind kind) {
  const uintptr_t chunk = chunk_of(pointer);
  if (!pointer || (!memory().chunks.contains(chunk) && !is_permanent(chunk)))
    return false;
  return reinterpret_cast<const Chunk *>(chunk)->kind == kind && kind_at(pointer) == kind;
}

void *allocate_permanent(ObjectKind kind, std::size_t size) {
  void *chunk = std::aligned_alloc(chunk_size, chunk_size);
  if (!chunk)
    throw std::bad_alloc();
  new (chunk) Chunk{kind, static_cast<uint32_t>((sizeof(Slot) + size + 63) / 64 * 64)};
  auto *slot = new (static_cast<char *>(chunk) + chunk_header) Slot;
  leave_loader_words(object_in(slot));
  for (auto &place : permanent_chunks)
    if (uintptr_t found = 0;
        place.compare_exchange_strong(found, reinterpret_cast<uintptr_t>(chunk)))
      return object_in(slot);
  throw std::bad_alloc();
}

ObjectKind inherited_kind(const void *pointer) {
  for (const Memory *one = memory().inherited; pointer && one; one = one->inherited)
    if (one->chunks.contains(chunk_of(pointer)))
      return kind_at(pointer);
  return ObjectKind::none;
}

} // namespace lockstep::opencl
