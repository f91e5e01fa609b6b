#include "tools/lockstep++/captured_variables.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace lockstep::driver {
namespace {

class CopyableTypes {
public:
  explicit CopyableTypes(clang::ASTContext &syntax) : syntax_(syntax), trait_(find_trait(syntax)) {}

  // True also where only an instantiation of sycl::is_device_copyable could tell.
  bool contains(clang::QualType type) {
    type = syntax_.getBaseElementType(type).getCanonicalType().getUnqualifiedType();
    auto *record = type->getAsCXXRecordDecl();
    if (!record || type.isTriviallyCopyableType(syntax_) || is_of_sycl(*record) ||
        is_declared_copyable(type, *record))
      return true;
    // An aggregate of accessors, or a lambda that has captured one.
    if (!record->hasDefinition() || has_own_copies(*record) || !seen_.insert(record).second)
      return false;
    return llvm::all_of(
               record->fields(),
               [&](const clang::FieldDecl *field) { return contains(field->getType()); }) &&
           llvm::all_of(record->bases(), [&](const clang::CXXBaseSpecifier &base) {
             return contains(base.getType());
           });
  }

private:
  static const clang::ClassTemplateDecl *find_trait(clang::ASTContext &syntax) {
    for (const clang::NamedDecl *space :
         syntax.getTranslationUnitDecl()->lookup(&syntax.Idents.get("sycl")))
      if (auto *sycl = llvm::dyn_cast<clang::NamespaceDecl>(space))
        for (const clang::NamedDecl *found : sycl->lookup(&syntax.Idents.get("is_device_copyable")))
          if (auto *trait = llvm::dyn_cast<clang::ClassTemplateDecl>(found))
            return trait;
    return nullptr;
  }
  static bool is_of_sycl(const clang::CXXRecordDecl &record) {
    const clang::DeclContext *context = &record;
    while (context->getParent() && !context->getParent()->isTranslationUnit())
      context = context->getParent();
    auto *space = llvm::dyn_cast<clang::NamespaceDecl>(context);
    return space && space->getName() == "sycl";
  }
  static bool has_own_copies(const clang::CXXRecordDecl &record) {
    const clang::CXXDestructorDecl *destructor = record.getDestructor();
    return record.hasUserDeclaredCopyConstructor() || record.hasUserDeclaredMoveConstructor() ||
           (destructor && destructor->isUserProvided());
  }
  static const clang::ClassTemplateDecl *template_of(const clang::CXXRecordDecl &record) {
    auto *specialization = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&record);
    return specialization ? specialization->getSpecializedTemplate()->getCanonicalDecl() : nullptr;
  }
  // A specialization of the program for the type, or a partial one for its class template.
  bool is_declared_copyable(clang::QualType type, const clang::CXXRecordDecl &record) const {
    if (!trait_)
      return true;
    for (const auto *each : trait_->specializations())
      if (each->getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization &&
          syntax_.hasSameUnqualifiedType(each->getTemplateArgs()[0].getAsType(), type))
        return true;
    const clang::ClassTemplateDecl *own = template_of(record);
    llvm::SmallVector<clang::ClassTemplatePartialSpecializationDecl *> partial;
    const_cast<clang::ClassTemplateDecl *>(trait_)->getPartialSpecializations(partial);
    return own && llvm::any_of(partial, [&](const auto *each) {
             auto *argument = each->getTemplateArgs()[0]
                                  .getAsType()
                                  ->template getAs<clang::TemplateSpecializationType>();
             const clang::TemplateDecl *of =
                 argument ? argument->getTemplateName().getAsTemplateDecl() : nullptr;
             return of && of->getCanonicalDecl() == own;
           });
  }

  clang::ASTContext &syntax_;
  const clang::ClassTemplateDecl *trait_;
  llvm::SmallPtrSet<const clang::CXXRecordDecl *, 16> seen_;
};

} // namespace

void check_captured_variables(clang::ASTContext &syntax, const clang::RecordDecl &function) {
  auto *closure = llvm::dyn_cast<clang::CXXRecordDecl>(&function);
  if (!closure || !closure->isLambda() ||
      syntax.getSourceManager().isInSystemHeader(closure->getLocation()))
    return;
  clang::DiagnosticsEngine &diagnostics = syntax.getDiagnostics();
  const unsigned reference = diagnostics.getCustomDiagID(
      clang::DiagnosticsEngine::Warning,
      "a kernel captures '%0' by reference, which works only where the device is the host (SYCL "
      "2020 section 4.12.4); capture it by value");
  const unsigned object = diagnostics.getCustomDiagID(
      clang::DiagnosticsEngine::Warning,
      "a kernel captures '%0' of type %1, which is not device copyable (SYCL 2020 section "
      "3.13.1); copy what the kernel needs into a buffer, into USM or into an array");
  // The device side has no other warnings: the host side has reported them.
  const bool ignored = diagnostics.getIgnoreAllWarnings();
  diagnostics.setIgnoreAllWarnings(false);
  auto field = closure->field_begin();
  for (const clang::LambdaCapture &capture : closure->captures()) {
    const clang::FieldDecl *member = *field++;
    if (!capture.capturesVariable() || capture.getLocation().isInvalid())
      continue;
    const clang::ValueDecl *variable = capture.getCapturedVar();
    if (capture.getCaptureKind() == clang::LCK_ByRef)
      diagnostics.Report(capture.getLocation(), reference) << variable->getName();
    else if (!CopyableTypes(syntax).contains(member->getType()))
      diagnostics.Report(capture.getLocation(), object) << variable->getName() << member->getType();
  }
  diagnostics.setIgnoreAllWarnings(ignored);
}

} // namespace lockstep::driver
