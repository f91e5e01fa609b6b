#include "compiler/ir_to_workgroup/specialisation_attributes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Function.h"

namespace lockstep::compiler {

std::array<uint32_t, 3> specialised_local_size(const llvm::Function &function) {
  std::array<uint32_t, 3> size{};
  llvm::SmallVector<llvm::StringRef, 3> fields;
  function.getFnAttribute("lockstep-local-size").getValueAsString().split(fields, ',');
  if (fields.size() != 3)
    return size;
  for (unsigned dimension = 0; dimension != 3; ++dimension)
    if (fields[dimension].getAsInteger(10, size[dimension]))
      return {};
  return size;
}

void set_specialised_local_size(llvm::Function &function, std::array<uint32_t, 3> size) {
  function.addFnAttr("lockstep-local-size", llvm::utostr(size[0]) + "," + llvm::utostr(size[1]) +
                                                "," + llvm::utostr(size[2]));
}

uint32_t sub_group_size(const llvm::Function &function) {
  uint32_t size = 1;
  llvm::StringRef text = function.getFnAttribute("lockstep-sub-group-size").getValueAsString();
  return text.empty() || text.getAsInteger(10, size) ? 1 : size;
}

void set_sub_group_size(llvm::Function &function, uint32_t size) {
  function.addFnAttr("lockstep-sub-group-size", llvm::utostr(size));
}

Jam jam(const llvm::Function &function) {
  auto [dimension, count] = function.getFnAttribute("lockstep-jam").getValueAsString().split(',');
  Jam found;
  if (dimension.getAsInteger(10, found.dimension) || count.getAsInteger(10, found.count))
    return {};
  return found;
}

void set_jam(llvm::Function &function, Jam jam) {
  function.addFnAttr("lockstep-jam", llvm::utostr(jam.dimension) + "," + llvm::utostr(jam.count));
}

} // namespace lockstep::compiler
