#include "platform/linux/late_destructors.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

extern "C" __attribute__((visibility("hidden"))) void *__dso_handle; // of this library

namespace lockstep {
namespace {

using Destructor = void (*)(void *);
using Register = int(Destructor, void *object, void *library);

struct Late {
  Destructor destructor;
  void *object;
  Late *next;
};

constinit std::atomic<Register *> register_with_exit{nullptr};
constinit std::atomic<Late *> newest{nullptr};
constinit std::atomic<bool> has_run{false};

int register_late(Destructor destructor, void *object, void *library) {
  // atexit() of this library has no object.
  const bool is_own_handler = library == &__dso_handle && !object;
  if (is_own_handler || has_run.load(std::memory_order_seq_cst))
    return register_with_exit.load(std::memory_order_relaxed)(destructor, object, library);
  auto *late = static_cast<Late *>(std::malloc(sizeof(Late)));
  if (!late)
    return -1;
  *late = {destructor, object, newest.load(std::memory_order_relaxed)};
  while (!newest.compare_exchange_weak(late->next, late, std::memory_order_seq_cst))
    ;
  return 0;
}

// The tables of a loaded library that its imports are in.
struct Imports {
  const ElfW(Sym) *symbols = nullptr;
  const char *names = nullptr;
  const uint32_t *hash_table = nullptr; // its second word is the number of undefined symbols
  const ElfW(Rela) *functions = nullptr, *others = nullptr;
  std::size_t function_count = 0, other_count = 0, relative_count = 0; // `others` begins with these
};

const ElfW(Phdr) * header_of_type(const dl_phdr_info &library, ElfW(Word) type) {
  for (int i = 0; i < library.dlpi_phnum; ++i)
    if (library.dlpi_phdr[i].p_type == type)
      return &library.dlpi_phdr[i];
  return nullptr;
}

Imports imports_of(const dl_phdr_info &library) {
  Imports imports;
  const ElfW(Phdr) *dynamic = header_of_type(library, PT_DYNAMIC);
  if (!dynamic)
    return imports;
  const auto *entry = reinterpret_cast<const ElfW(Dyn) *>(library.dlpi_addr + dynamic->p_vaddr);
  for (; entry->d_tag != DT_NULL; ++entry) {
    // The dynamic linker of glibc has added the base address; others do not.
    const uintptr_t value = entry->d_un.d_ptr;
    const uintptr_t address = value < library.dlpi_addr ? value + library.dlpi_addr : value;
    switch (entry->d_tag) {
    case DT_SYMTAB:
      imports.symbols = reinterpret_cast<const ElfW(Sym) *>(address);
      break;
    case DT_STRTAB:
      imports.names = reinterpret_cast<const char *>(address);
      break;
    case DT_GNU_HASH:
      imports.hash_table = reinterpret_cast<const uint32_t *>(address);
      break;
    case DT_JMPREL:
      imports.functions = reinterpret_cast<const ElfW(Rela) *>(address);
      break;
    case DT_PLTRELSZ:
      imports.function_count = value / sizeof(ElfW(Rela));
      break;
    case DT_RELA:
      imports.others = reinterpret_cast<const ElfW(Rela) *>(address);
      break;
    case DT_RELASZ:
      imports.other_count = value / sizeof(ElfW(Rela));
      break;
    case DT_RELACOUNT:
      imports.relative_count = value;
      break;
    default:
      break;
    }
  }
  return imports;
}

// True if the page is read-only now that the library is loaded.
bool is_protected(const dl_phdr_info &library, uintptr_t slot) {
  const ElfW(Phdr) *relro = header_of_type(library, PT_GNU_RELRO);
  return relro && slot - (library.dlpi_addr + relro->p_vaddr) < relro->p_memsz;
}

void replace(const dl_phdr_info &library, uintptr_t slot) {
  const uintptr_t page_size = uintptr_t(sysconf(_SC_PAGESIZE));
  void *page = reinterpret_cast<void *>(slot & ~(page_size - 1));
  const bool was_protected = is_protected(library, slot);
  if (was_protected && mprotect(page, page_size, PROT_READ | PROT_WRITE) != 0)
    return;
  __atomic_store_n(reinterpret_cast<uintptr_t *>(slot), reinterpret_cast<uintptr_t>(register_late),
                   __ATOMIC_RELEASE);
  if (was_protected)
    mprotect(page, page_size, PROT_READ);
}

constexpr bool is_import(unsigned type) {
#if defined(__x86_64__)
  return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
  return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
#endif
}

// Returns 0 if there is no such symbol. Comparing the name of each relocation would take ten times
// as long.
uint32_t undefined_symbol(const Imports &imports, std::string_view name) {
  for (uint32_t i = 1; i < imports.hash_table[1]; ++i)
    if (imports.names + imports.symbols[i].st_name == name)
      return i;
  return 0;
}

void replace_symbol(const dl_phdr_info &library, uint32_t symbol, const ElfW(Rela) * relocations,
                    std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (ELF64_R_SYM(relocations[i].r_info) == symbol &&
        is_import(unsigned(ELF64_R_TYPE(relocations[i].r_info))))
      replace(library, library.dlpi_addr + relocations[i].r_offset);
}

bool is_part_of(const dl_phdr_info &library, const void *address) {
  for (int i = 0; i < library.dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = library.dlpi_phdr[i];
    if (header.p_type == PT_LOAD &&
        reinterpret_cast<uintptr_t>(address) - (library.dlpi_addr + header.p_vaddr) <
            header.p_memsz)
      return true;
  }
  return false;
}

void replace_import(const dl_phdr_info &library) {
  const Imports imports = imports_of(library);
  if (!imports.symbols || !imports.names || !imports.hash_table)
    return;
  const uint32_t symbol = undefined_symbol(imports, "__cxa_atexit");
  if (symbol == 0)
    return;
  replace_symbol(library, symbol, imports.functions, imports.function_count);
  replace_symbol(library, symbol, imports.others + imports.relative_count,
                 imports.other_count - imports.relative_count);
}

// The file names of the libraries of LLVM and clang that this library needs. They stay loaded as
// long as this library. Another LLVM of the process may be unloaded, and must then find its
// destructors registered.
using Names = std::array<std::string_view, 4>;

int find_needed(dl_phdr_info *library, std::size_t, void *names) {
  if (!is_part_of(*library, &newest))
    return 0;
  const Imports imports = imports_of(*library);
  const ElfW(Phdr) *dynamic = header_of_type(*library, PT_DYNAMIC);
  if (!imports.names || !dynamic)
    return 1;
  std::size_t count = 0;
  const auto *entry = reinterpret_cast<const ElfW(Dyn) *>(library->dlpi_addr + dynamic->p_vaddr);
  for (; entry->d_tag != DT_NULL && count < Names().size(); ++entry) {
    const std::string_view name =
        entry->d_tag == DT_NEEDED ? imports.names + entry->d_un.d_val : std::string_view();
    if (name.starts_with("libLLVM") || name.starts_with("libclang-cpp"))
      (*static_cast<Names *>(names))[count++] = name;
  }
  return 1;
}

int visit_library(dl_phdr_info *library, std::size_t, void *needed) {
  const std::string_view path = library->dlpi_name ? library->dlpi_name : "";
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const auto &names = *static_cast<const Names *>(needed);
  const bool is_needed =
      !name.empty() && std::find(names.begin(), names.end(), name) != names.end();
  if (is_needed || is_part_of(*library, &newest))
    replace_import(*library);
  return 0;
}

} // namespace

void take_over_late_destructors() {
  auto *original = reinterpret_cast<Register *>(dlsym(RTLD_DEFAULT, "__cxa_atexit"));
  if (!original)
    return;
  register_with_exit.store(original, std::memory_order_seq_cst);
  Names needed{};
  dl_iterate_phdr(find_needed, &needed);
  dl_iterate_phdr(visit_library, &needed);
}

void run_late_destructors() {
  has_run.store(true, std::memory_order_seq_cst);
  Late *late = newest.exchange(nullptr);
  while (late) {
    late->destructor(late->object);
    std::free(std::exchange(late, late->next));
  }
}

} // namespace lockstep
