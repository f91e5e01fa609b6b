#include "tools/lockstep++/accessor_places.h"

#include "tools/lockstep++/captured_variables.h"
#include "tools/lockstep++/kernel_titles.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecordLayout.h"
#include "clang/AST/SYCLKernelInfo.h"

namespace lockstep::driver {
namespace {

struct Place {
  llvm::StringRef kind;
  uint64_t offset;
  bool is_in_union;
};
using Places = std::vector<Place>;

llvm::StringRef kind_of(const clang::RecordDecl &record) {
  for (const auto *annotation : record.specific_attrs<clang::AnnotateAttr>())
    if (llvm::StringRef text = annotation->getAnnotation();
        text.consume_front("lockstep.accessor."))
      return text;
  return {};
}

class PlaceFinder {
public:
  explicit PlaceFinder(const clang::ASTContext &syntax) : syntax_(syntax) {}

  const Places &places_in(const clang::RecordDecl &record) {
    auto [known, is_new] = known_.try_emplace(&record);
    if (is_new) {
      Places found = find(record);
      known = known_.find(&record); // find() may have inserted other entries
      known->second = std::move(found);
    }
    return known->second;
  }

private:
  Places find(const clang::RecordDecl &record) {
    if (llvm::StringRef kind = kind_of(record); !kind.empty())
      return {{kind, 0, false}};
    Places found;
    if (!record.isCompleteDefinition() || record.isInvalidDecl())
      return found;
    const clang::ASTRecordLayout &layout = syntax_.getASTRecordLayout(&record);
    if (auto *of_class = llvm::dyn_cast<clang::CXXRecordDecl>(&record))
      for (const clang::CXXBaseSpecifier &base : of_class->bases())
        if (const clang::CXXRecordDecl *other = base.getType()->getAsCXXRecordDecl();
            other && !base.isVirtual()) // the layout of virtual bases depends on the complete class
          add(found, places_in(*other), layout.getBaseClassOffset(other), false);
    for (const clang::FieldDecl *field : record.fields())
      add_field(found, field->getType(),
                syntax_.toCharUnitsFromBits(layout.getFieldOffset(field->getFieldIndex())),
                record.isUnion());
    return found;
  }

  void add_field(Places &to, clang::QualType type, clang::CharUnits offset, bool is_in_union) {
    uint64_t count = 1;
    while (const auto *array = syntax_.getAsConstantArrayType(type)) {
      count *= array->getZExtSize();
      type = array->getElementType();
    }
    const clang::RecordDecl *record = type->getAsRecordDecl();
    if (!record)
      return;
    const Places inside = places_in(*record);
    for (uint64_t i = 0; !inside.empty() && i < count; ++i)
      add(to, inside, offset + syntax_.getTypeSizeInChars(type) * int64_t(i), is_in_union);
  }

  static void add(Places &to, const Places &inside, clang::CharUnits offset, bool is_in_union) {
    for (const Place &one : inside)
      to.push_back(
          {one.kind, one.offset + uint64_t(offset.getQuantity()), one.is_in_union || is_in_union});
  }

  const clang::ASTContext &syntax_;
  std::map<const clang::RecordDecl *, Places> known_;
};

// A kernel entry has one parameter, function_bytes<Function>
// (include/lockstep/sycl/detail/launch.hpp).
const clang::RecordDecl *function_of(const clang::FunctionDecl &entry) {
  if (entry.getNumParams() != 1)
    return nullptr;
  auto *bytes = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(
      entry.getParamDecl(0)->getType()->getAsRecordDecl());
  if (!bytes || bytes->getName() != "function_bytes")
    return nullptr;
  return bytes->getTemplateArgs()[0].getAsType()->getAsRecordDecl();
}

} // namespace

bool AccessorPlaces::HandleTopLevelDecl(clang::DeclGroupRef group) {
  for (const clang::Decl *decl : group)
    if (auto *function = llvm::dyn_cast<clang::FunctionDecl>(decl);
        function && function->hasAttr<clang::SYCLKernelEntryPointAttr>())
      entries_.push_back(function);
  return true;
}

void AccessorPlaces::HandleTranslationUnit(clang::ASTContext &syntax) {
  PlaceFinder finder(syntax);
  for (const clang::FunctionDecl *entry : entries_) {
    const clang::RecordDecl *function = function_of(*entry);
    const clang::SYCLKernelInfo *kernel = syntax.findSYCLKernelInfo(
        entry->getAttr<clang::SYCLKernelEntryPointAttr>()->getKernelName());
    if (!function || !kernel)
      continue;
    if (warns_)
      check_captured_variables(syntax, *function);
    std::string lines;
    for (const Place &one : finder.places_in(*function))
      lines += "accessor " + kernel->GetKernelName() + " " + one.kind.str() + " " +
               std::to_string(one.offset) + (one.is_in_union ? " maybe\n" : "\n");
    lines += lines_of_names(syntax, kernel->GetKernelName(), *entry, *function);
    lines_[kernel->GetKernelName()] = std::move(lines);
  }
}

} // namespace lockstep::driver
