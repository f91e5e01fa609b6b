#include "tools/lockstep++/device_globals.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/Support/xxhash.h"

namespace lockstep::driver {
namespace {

constexpr llvm::StringRef device_global = "lockstep.device_global";

// The class of a variable, if its template has this annotation.
const clang::ClassTemplateSpecializationDecl *class_of(const clang::VarDecl &variable,
                                                       llvm::StringRef name) {
  auto *record = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(
      variable.getType()->getAsCXXRecordDecl());
  if (!record)
    return nullptr;
  const clang::CXXRecordDecl *pattern = record->getSpecializedTemplate()->getTemplatedDecl();
  const bool is_one =
      llvm::any_of(pattern->specific_attrs<clang::AnnotateAttr>(),
                   [&](const auto *annotation) { return annotation->getAnnotation() == name; });
  return is_one ? record : nullptr;
}

// A suffix that is unique to the source. Static variables of two sources may have the same name,
// and kernels can call functions of other sources.
std::string name_of_source(const llvm::Module &module) {
  return "." + llvm::utohexstr(llvm::xxh3_64bits(module.getSourceFileName()), /*LowerCase=*/true);
}

} // namespace

bool is_device_global(const clang::VarDecl &variable) {
  return variable.hasGlobalStorage() && class_of(variable, device_global);
}

bool is_group_variable(const clang::VarDecl &variable) {
  return class_of(variable, "lockstep.group_variable");
}

std::vector<DeviceGlobal> take_device_globals(llvm::Module &module, clang::CodeGenerator &generator,
                                              clang::ASTContext &syntax) {
  std::vector<DeviceGlobal> found;
  for (llvm::GlobalVariable &variable : module.globals()) {
    auto *decl =
        llvm::dyn_cast_or_null<clang::VarDecl>(generator.GetDeclForMangledName(variable.getName()));
    const auto *record = decl ? class_of(*decl, device_global) : nullptr;
    if (!record)
      continue;
    const clang::QualType type = record->getTemplateArgs()[0].getAsType();
    DeviceGlobal global{variable.getName().str() + name_of_source(module),
                        variable.getName().str(),
                        std::uint64_t(syntax.getTypeSizeInChars(type).getQuantity()),
                        std::uint64_t(syntax.getTypeAlignInChars(type).getQuantity()),
                        !variable.isDeclaration(),
                        variable.hasLocalLinkage()};
    variable.setInitializer(llvm::Constant::getNullValue(variable.getValueType()));
    variable.setLinkage(llvm::GlobalValue::InternalLinkage);
    variable.setVisibility(llvm::GlobalValue::DefaultVisibility);
    variable.setComdat(nullptr);
    variable.setSection("lockstep.spec");
    variable.setName(global.name);
    found.push_back(std::move(global));
  }
  return found;
}

llvm::Constant *host_object(llvm::Module &host, const DeviceGlobal &global) {
  if (llvm::GlobalValue *there = host.getNamedValue(global.host_name))
    return there;
  auto *type = llvm::ArrayType::get(llvm::Type::getInt8Ty(host.getContext()), global.bytes);
  const auto linkage = !global.is_defined    ? llvm::GlobalValue::ExternalLinkage
                       : global.is_of_source ? llvm::GlobalValue::InternalLinkage
                                             : llvm::GlobalValue::WeakAnyLinkage;
  auto *object = new llvm::GlobalVariable(
      host, type, /*isConstant=*/false, linkage,
      global.is_defined ? llvm::Constant::getNullValue(type) : nullptr, global.host_name);
  object->setAlignment(llvm::Align(global.alignment));
  return object;
}

} // namespace lockstep::driver
