#include "compiler/checks/common/check_sites.h"

#include "compiler/analysis/argument_members.h"
#include "compiler/analysis/cost/thresholds.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

// The source line, from the source text that the front end embeds in debug information; empty
// without one.
llvm::StringRef line_of(const llvm::DILocation &location) {
  auto source = location.getFile()->getSource();
  if (!source || location.getLine() == 0)
    return {};
  llvm::StringRef rest = *source;
  for (unsigned line = 1; line < location.getLine() && !rest.empty(); ++line)
    rest = rest.split('\n').second;
  constexpr size_t longest = 200;
  return rest.split('\n').first.trim().take_front(longest);
}

// followed by file, line and column
constexpr llvm::StringLiteral location_annotation = "lockstep.place";

// Reads the place that annotate_location stored. Only places in the kernel's own file are used, since
// no other DIFile is available here.
const llvm::DILocation *annotated_location(const llvm::Instruction &address) {
  const llvm::DISubprogram *kernel = address.getFunction()->getSubprogram();
  const llvm::MDNode *all = address.getMetadata(llvm::LLVMContext::MD_annotation);
  if (!kernel || !all)
    return nullptr;
  for (const llvm::MDOperand &each : all->operands()) {
    auto *words = llvm::dyn_cast<llvm::MDTuple>(each);
    auto word = [&](unsigned index) {
      return llvm::cast<llvm::MDString>(words->getOperand(index))->getString();
    };
    unsigned line = 0, column = 0;
    if (words && words->getNumOperands() == 4 && word(0) == location_annotation &&
        word(1) == kernel->getFilename() && !word(2).getAsInteger(10, line) &&
        !word(3).getAsInteger(10, column))
      return llvm::DILocation::get(address.getContext(), line, column,
                                   const_cast<llvm::DISubprogram *>(kernel));
  }
  return nullptr;
}

// An access that was merged or hoisted has no line. It gets the line of its address, else that of a
// user of the loaded value, or that of the stored value.
const llvm::DILocation *place_of(const llvm::Instruction &at) {
  auto has_line = [](const llvm::DILocation *place) { return place && place->getLine() != 0; };
  const llvm::DILocation *first = location_in_program(at.getDebugLoc());
  if (has_line(first))
    return first;
  if (auto *address =
          llvm::dyn_cast_or_null<llvm::GetElementPtrInst>(llvm::getLoadStorePointerOperand(&at)))
    for (const llvm::DILocation *place :
         {annotated_location(*address), location_in_program(address->getDebugLoc())})
      if (has_line(place))
        return place;
  llvm::SmallSetVector<const llvm::Instruction *, 32> all;
  all.insert(&at);
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&at))
    if (auto *value = llvm::dyn_cast<llvm::Instruction>(store->getValueOperand()))
      all.insert(value);
  for (size_t i = 0; i != all.size(); ++i) {
    const bool is_choice =
        llvm::isa<llvm::PHINode, llvm::SelectInst>(all[i]); // its location is that of the branch
    if (const llvm::DILocation *place = location_in_program(all[i]->getDebugLoc());
        !is_choice && has_line(place))
      return place;
    for (const llvm::User *user : all[i]->users())
      if (all.size() != limits::search_steps)
        all.insert(llvm::cast<llvm::Instruction>(user));
  }
  return first;
}

} // namespace

const llvm::DILocation *location_in_program(const llvm::DebugLoc &place) {
  const llvm::DILocation *location = place.get();
  while (location && location->getInlinedAt() &&
         location->getFilename().contains("include/lockstep/"))
    location = location->getInlinedAt();
  return location;
}

void annotate_location(llvm::Instruction &address, const llvm::DebugLoc &place) {
  if (!place || place.getLine() == 0)
    return;
  const std::string line = std::to_string(place.getLine()), column = std::to_string(place.getCol());
  const llvm::SmallVector<llvm::StringRef> words = {location_annotation, place->getFilename(), line,
                                                    column};
  address.addAnnotationMetadata(words);
}

llvm::Constant *CheckSites::text(llvm::StringRef text) {
  llvm::Constant *&known = texts_[text.str()];
  if (known)
    return known;
  auto *data = llvm::ConstantDataArray::getString(module_.getContext(), text);
  return known = new llvm::GlobalVariable(module_, data->getType(), /*isConstant=*/true,
                                          llvm::GlobalValue::PrivateLinkage, data, "check.text");
}

void set_argument(CheckSite &site, const llvm::Value &object) {
  const auto place = argument_pointer(object);
  if (!place)
    return;
  if (place->byte < 0)
    site.argument = static_cast<int32_t>(place->argument);
  else if (place->argument == 0)
    site.member = static_cast<uint32_t>(place->byte + 1);
}

llvm::GlobalVariable *CheckSites::add(CheckSite site, const llvm::Instruction &at,
                                      llvm::StringRef object) {
  llvm::StringRef file, line, directory;
  if (const llvm::DILocation *location = place_of(at)) {
    site.line = location->getLine();
    site.column = location->getColumn();
    file = location->getFilename();
    directory = location->getDirectory();
    line = line_of(*location);
  }
  llvm::Type *word = llvm::Type::getInt32Ty(module_.getContext());
  llvm::SmallVector<llvm::Constant *> fields;
  for (uint32_t value : {site.number,
                         site.line,
                         site.column,
                         site.size,
                         static_cast<uint32_t>(site.kind),
                         static_cast<uint32_t>(site.order),
                         static_cast<uint32_t>(site.failure),
                         static_cast<uint32_t>(site.scope),
                         site.address_space,
                         static_cast<uint32_t>(site.operation),
                         site.fences,
                         static_cast<uint32_t>(site.argument),
                         static_cast<uint32_t>(site.same_value),
                         site.synchronizes,
                         site.is_marked,
                         site.member,
                         static_cast<uint32_t>(site.number_type),
                         static_cast<uint32_t>(site.update),
                         site.loop,
                         site.reserved})
    fields.push_back(llvm::ConstantInt::get(word, value));
  for (llvm::StringRef each : {file, line, object, llvm::StringRef(barriers_), directory})
    fields.push_back(text(each));
  auto *data = llvm::ConstantStruct::getAnon(module_.getContext(), fields);
  // Not a constant: the checker writes its number into it.
  auto *variable = new llvm::GlobalVariable(module_, data->getType(), /*isConstant=*/false,
                                            llvm::GlobalValue::InternalLinkage, data, "check.site");
  variable->setAlignment(llvm::Align(alignof(CheckSite)));
  return variable;
}

} // namespace lockstep::compiler
