#include "process/build_id.h"

#include "platform/linux/leaked.h"

#include <cstring>
#include <link.h>
#include <string_view>

namespace lockstep::compiler {

namespace {

// Content of the note NT_GNU_BUILD_ID in a segment of notes; empty: it is not there.
std::string_view build_id_in(std::string_view notes) {
  ElfW(Nhdr) head;
  const auto rounded = [](std::size_t size) { return (size + 3) / 4 * 4; };
  while (notes.size() >= sizeof head) {
    std::memcpy(&head, notes.data(), sizeof head);
    notes.remove_prefix(sizeof head);
    const std::size_t name = rounded(head.n_namesz), content = rounded(head.n_descsz);
    if (notes.size() < name + content)
      break;
    if (head.n_type == NT_GNU_BUILD_ID && notes.starts_with("GNU"))
      return notes.substr(name, head.n_descsz);
    notes.remove_prefix(name + content);
  }
  return {};
}

struct Search {
  ElfW(Addr) address;
  std::string found;
};

int look_into(dl_phdr_info *object, std::size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  bool is_here = false;
  std::string_view id;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) &part = object->dlpi_phdr[i];
    const ElfW(Addr) begin = object->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD)
      is_here |= begin <= search.address && search.address - begin < part.p_memsz;
    if (part.p_type == PT_NOTE && id.empty())
      id = build_id_in({reinterpret_cast<const char *>(begin), part.p_memsz});
  }
  if (is_here)
    search.found = id;
  return is_here;
}

} // namespace

const std::string &build_id() {
  return leaked([] {
    Search search{reinterpret_cast<ElfW(Addr)>(&build_id), {}};
    dl_iterate_phdr(look_into, &search);
    return search.found;
  });
}

} // namespace lockstep::compiler
