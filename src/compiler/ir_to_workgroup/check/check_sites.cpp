#include "compiler/ir_to_workgroup/check/check_sites.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

// Of the source that the front end has put beside the place; empty without one.
llvm::StringRef line_of(const llvm::DILocation &location) {
  auto source = location.getFile()->getSource();
  if (!source)
    return {};
  llvm::StringRef rest = *source;
  for (unsigned line = 1; line < location.getLine() && !rest.empty(); ++line)
    rest = rest.split('\n').second;
  constexpr size_t longest = 200;
  return rest.split('\n').first.trim().take_front(longest);
}

} // namespace

llvm::Constant *CheckSites::text(llvm::StringRef text) {
  llvm::Constant *&known = texts_[text.str()];
  if (known)
    return known;
  auto *data = llvm::ConstantDataArray::getString(module_.getContext(), text);
  return known = new llvm::GlobalVariable(module_, data->getType(), /*isConstant=*/true,
                                          llvm::GlobalValue::PrivateLinkage, data, "check.text");
}

llvm::GlobalVariable *CheckSites::add(CheckSite site, const llvm::DebugLoc &place,
                                      llvm::StringRef object) {
  llvm::StringRef file, line;
  if (const llvm::DILocation *location = place.get()) {
    site.line = location->getLine();
    site.column = location->getColumn();
    file = location->getFilename();
    line = line_of(*location);
  }
  llvm::Type *word = llvm::Type::getInt32Ty(module_.getContext());
  llvm::SmallVector<llvm::Constant *> fields;
  for (uint32_t value :
       {site.number, site.line, site.column, site.size, static_cast<uint32_t>(site.kind),
        static_cast<uint32_t>(site.order), static_cast<uint32_t>(site.failure),
        static_cast<uint32_t>(site.scope), site.address_space,
        static_cast<uint32_t>(site.operation), site.fences, static_cast<uint32_t>(site.argument),
        static_cast<uint32_t>(site.same_value), site.synchronises})
    fields.push_back(llvm::ConstantInt::get(word, value));
  for (llvm::StringRef each : {file, line, object, llvm::StringRef(barriers_)})
    fields.push_back(text(each));
  auto *data = llvm::ConstantStruct::getAnon(module_.getContext(), fields);
  // Not a constant: the checker gives it a number.
  auto *variable = new llvm::GlobalVariable(module_, data->getType(), /*isConstant=*/false,
                                            llvm::GlobalValue::InternalLinkage, data, "check.site");
  variable->setAlignment(llvm::Align(alignof(CheckSite)));
  return variable;
}

} // namespace lockstep::compiler
