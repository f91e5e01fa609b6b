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

std::vector<HostCodeLocation> find_locations(const void *address) {
  Dl_info info{};
  link_map *module = nullptr;
  if (!dladdr1(address, &info, reinterpret_cast<void **>(&module), RTLD_DL_LINKMAP) ||
      !info.dli_fname)
    return {};
  const std::string file = module && *module->l_name ? module->l_name : "/proc/self/exe";
  llvm::symbolize::LLVMSymbolizer symbolizer;
  const uint64_t offset = reinterpret_cast<uintptr_t>(address) - (module ? module->l_addr : 0);
  auto found =
      symbolizer.symbolizeInlinedCode(file, {offset, llvm::object::SectionedAddress::UndefSection});
  std::vector<HostCodeLocation> places;
  if (!found) {
    llvm::consumeError(found.takeError());
    return {};
  }
  for (uint32_t i = 0; i != found->getNumberOfFrames(); ++i) {
    const llvm::DILineInfo &frame = found->getFrame(i);
    places.push_back({known(frame.FileName), known(frame.FunctionName), frame.Line, frame.Column});
  }
  return places;
}

} // namespace

HostCodeLocation location_of_host_code(const void *address) {
  const std::vector<HostCodeLocation> all = inlined_at_host_code(address);
  return all.empty() ? HostCodeLocation() : all.front();
}

std::vector<HostCodeLocation> inlined_at_host_code(const void *address) {
  return as_foreign_call([&] { return find_locations(address); }, {});
}

} // namespace lockstep::compiler
