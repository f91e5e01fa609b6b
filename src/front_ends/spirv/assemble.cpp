#include "front_ends/spirv/assemble.h"

#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

constexpr std::string_view header = R"(
OpCapability Addresses
OpCapability Kernel
OpCapability Linkage
OpCapability Int8
OpCapability Int16
OpCapability Int64
OpCapability Float16
OpCapability Float64
OpCapability Vector16
OpCapability GenericPointer
)";

constexpr std::string_view scalars = R"(
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%char = OpTypeInt 8 0
%short = OpTypeInt 16 0
%int = OpTypeInt 32 0
%long = OpTypeInt 64 0
%half = OpTypeFloat 16
%float = OpTypeFloat 32
%double = OpTypeFloat 64
%u_bool = OpUndef %bool
%true = OpConstantTrue %bool
)";

// The type and, in each address space, the pointer.
std::string type_and_pointers(const std::string &element, unsigned count) {
  const std::string name = count == 1 ? element : fmt::format("{}{}", element, count);
  std::string text;
  if (count > 1)
    text += fmt::format("%{} = OpTypeVector %{} {}\n", name, element, count);
  text += fmt::format("%u_{0} = OpUndef %{0}\n", name);
  for (auto [letter, storage] : {std::pair{"p", "Function"},
                                 {"g", "CrossWorkgroup"},
                                 {"c", "UniformConstant"},
                                 {"l", "Workgroup"},
                                 {"q", "Generic"}}) {
    text += fmt::format("%{0}_{1} = OpTypePointer {2} %{1}\n", letter, name, storage);
    text += fmt::format("%u_{0}_{1} = OpUndef %{0}_{1}\n", letter, name);
  }
  return text;
}

} // namespace

std::string module_with(const std::string &body, const std::string &capabilities,
                        const std::string &declarations) {
  std::string text = std::string(header) + capabilities +
                     "\n%std = OpExtInstImport \"OpenCL.std\"\n"
                     "OpMemoryModel Physical64 OpenCL\n"
                     "OpEntryPoint Kernel %f \"f\"\n" +
                     std::string(scalars);
  for (const char *element : {"half", "float", "double", "char", "short", "int", "long"})
    for (unsigned count : {1, 2, 3, 4, 8, 16})
      text += type_and_pointers(element, count);
  for (unsigned number = 0; number <= 16; ++number)
    text += fmt::format("%int_{0} = OpConstant %int {0}\n", number);
  return text + declarations + "\n%f = OpFunction %void None %fn\n%entry = OpLabel\n" + body +
         "\nOpReturn\nOpFunctionEnd\n";
}

} // namespace lockstep::compiler::spirv
