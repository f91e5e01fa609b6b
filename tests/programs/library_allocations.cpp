#include "library_allocations.h"

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <link.h>
#include <new>
#include <utility>

namespace {

struct Range { // the executable segment
  uintptr_t begin = 0, end = 0;
} library, standard_library;
std::atomic<bool> watches_standard_library{false};
std::atomic<bool (*)()> is_failure{nullptr};

int find_libraries(dl_phdr_info *info, size_t, void *) {
  for (auto [name, range] :
       {std::pair("liblockstep.so", &library), {"libstdc++.so", &standard_library}})
    if (std::strstr(info->dlpi_name, name))
      for (int i = 0; i < info->dlpi_phnum; ++i)
        if (const auto &part = info->dlpi_phdr[i]; part.p_type == PT_LOAD && (part.p_flags & PF_X))
          *range = {info->dlpi_addr + part.p_vaddr, info->dlpi_addr + part.p_vaddr + part.p_memsz};
  return 0;
}

bool may_allocate(const void *caller) {
  const auto place = reinterpret_cast<uintptr_t>(caller);
  const auto fails = is_failure.load(std::memory_order_acquire);
  const auto is_in = [place](const Range &range) {
    return place >= range.begin && place < range.end;
  };
  return !fails || !(is_in(library) || (watches_standard_library && is_in(standard_library))) ||
         !fails();
}

void *or_throw(void *memory) {
  if (!memory)
    throw std::bad_alloc();
  return memory;
}

} // namespace

void *operator new(size_t size) {
  return or_throw(may_allocate(__builtin_return_address(0)) ? std::malloc(size ? size : 1)
                                                            : nullptr);
}
void *operator new(size_t size, std::align_val_t alignment) {
  const auto multiple = static_cast<size_t>(alignment);
  return or_throw(may_allocate(__builtin_return_address(0))
                      ? std::aligned_alloc(multiple, (size + multiple - 1) / multiple * multiple)
                      : nullptr);
}
void operator delete(void *memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void *memory, size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void *memory) noexcept {
  std::free(memory);
}
void operator delete(void *memory, size_t) noexcept {
  std::free(memory);
}

namespace lockstep::test {

void watch_library_allocations(bool (*fails)()) {
  dl_iterate_phdr(find_libraries, nullptr);
  if (library.begin == 0) {
    std::fprintf(stderr, "liblockstep.so is not loaded\n");
    std::abort();
  }
  is_failure.store(fails, std::memory_order_release);
}

void watch_standard_library_allocations(bool does) {
  watches_standard_library = does;
}

} // namespace lockstep::test
