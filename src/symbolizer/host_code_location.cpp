#include "symbolizer/host_code_location.h"

#include "platform/linux/foreign_call.h"

#include "llvm/DebugInfo/Symbolize/Symbolize.h"

#include <dlfcn.h>
#include <link.h>

namespace lockstep::compiler {

namespace {

std::string known(const std::string &name) {
  return name == llvm::DILineInfo::BadString ? std::string() : name;
}

HostCodeLocation find_location(const void *address) {
  Dl_info info{};
  link_map *module = nullptr;
  if (!dladdr1(address, &info, reinterpret_cast<void **>(&module), RTLD_DL_LINKMAP) ||
      !info.dli_fname)
    return {};
  const std::string file = module && *module->l_name ? module->l_name : "/proc/self/exe";
  llvm::symbolize::LLVMSymbolizer symbolizer;
  const uint64_t offset = reinterpret_cast<uintptr_t>(address) - (module ? module->l_addr : 0);
  auto found =
      symbolizer.symbolizeCode(file, {offset, llvm::object::SectionedAddress::UndefSection});
  HostCodeLocation place;
  if (found)
    place = {known(found->FileName), known(found->FunctionName), found->Line, found->Column};
  else
    llvm::consumeError(found.takeError());
  return place;
}

} // namespace

HostCodeLocation location_of_host_code(const void *address) {
  return as_foreign_call([&] { return find_location(address); }, {});
}

} // namespace lockstep::compiler
