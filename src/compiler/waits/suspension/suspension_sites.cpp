#include "compiler/waits/suspension/suspension_sites.h"

#include "kernel_ir/metadata_numbers.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

constexpr uint32_t pure = 1, never_compared = 2; // what may end the wait
constexpr unsigned ended_by = 4;                 // operand index
constexpr char list_name[] = "lockstep.sites", accesses_name[] = "lockstep.accesses";

} // namespace

uint32_t add_suspension_site(llvm::Module &module, SuspensionSite::Kind kind,
                             const llvm::DebugLoc &place, bool is_pure, uint32_t others,
                             bool is_never_compared) {
  llvm::LLVMContext &context = module.getContext();
  llvm::NamedMDNode *list = module.getOrInsertNamedMetadata(list_name);
  const llvm::DILocation *location = place.get();
  llvm::SmallVector<llvm::Metadata *, 6> site = {
      metadata_number(context, static_cast<uint32_t>(kind)),
      llvm::MDString::get(context, location ? location->getFilename() : ""),
      metadata_number(context, location ? location->getLine() : 0),
      metadata_number(context, location ? location->getColumn() : 0),
      metadata_number(context, is_pure             ? pure
                               : is_never_compared ? never_compared
                                                   : 0)};
  if (others != 0)
    site.push_back(metadata_number(context, others));
  list->addOperand(llvm::MDNode::getDistinct(context, site));
  return list->getNumOperands() - 1;
}

uint32_t add_seen_access(llvm::Module &module, const llvm::DebugLoc &place) {
  llvm::LLVMContext &context = module.getContext();
  llvm::NamedMDNode *list = module.getOrInsertNamedMetadata(accesses_name);
  const llvm::DILocation *location = place.get();
  list->addOperand(llvm::MDNode::getDistinct(
      context, {llvm::MDString::get(context, location ? location->getFilename() : ""),
                metadata_number(context, location ? location->getLine() : 0),
                metadata_number(context, location ? location->getColumn() : 0)}));
  return list->getNumOperands();
}

std::vector<SeenAccess> seen_accesses(const llvm::Module &module) {
  std::vector<SeenAccess> accesses;
  if (const llvm::NamedMDNode *list = module.getNamedMetadata(accesses_name))
    for (const llvm::MDNode *node : list->operands())
      accesses.push_back({llvm::cast<llvm::MDString>(node->getOperand(0))->getString().str(),
                          number_at(*node, 1), number_at(*node, 2)});
  return accesses;
}

void make_sites_impure(llvm::Module &module) {
  if (llvm::NamedMDNode *list = module.getNamedMetadata(list_name))
    for (llvm::MDNode *node : list->operands())
      if (number_at(*node, ended_by) == pure)
        node->replaceOperandWith(ended_by, metadata_number(module.getContext(), 0));
}

std::vector<SuspensionSite> suspension_sites(const llvm::Module &module) {
  std::vector<SuspensionSite> sites;
  if (const llvm::NamedMDNode *list = module.getNamedMetadata(list_name))
    for (const llvm::MDNode *node : list->operands())
      sites.push_back({static_cast<SuspensionSite::Kind>(number_at(*node, 0)),
                       llvm::cast<llvm::MDString>(node->getOperand(1))->getString().str(),
                       number_at(*node, 2), number_at(*node, 3), number_at(*node, ended_by) == pure,
                       node->getNumOperands() > 5 ? number_at(*node, 5) : 0,
                       number_at(*node, ended_by) == never_compared});
  return sites;
}

} // namespace lockstep::compiler
