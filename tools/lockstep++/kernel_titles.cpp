#include "tools/lockstep++/kernel_titles.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Expr.h"
#include "clang/AST/PrettyPrinter.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/Path.h"

#include <vector>

namespace lockstep::driver {
namespace {

// Returns the library namespace (sycl, std) that contains the declaration; empty if there is none.
llvm::StringRef library_of(const clang::Decl &decl) {
  llvm::StringRef outermost;
  for (const clang::DeclContext *context = decl.getDeclContext(); context;
       context = context->getParent()) {
    if (llvm::isa<clang::FunctionDecl>(context))
      return {}; // a local class is the user's code
    if (auto *space = llvm::dyn_cast<clang::NamespaceDecl>(context);
        space && !space->isAnonymousNamespace())
      outermost = space->getName();
  }
  return outermost == "sycl" || outermost == "std" ? outermost : llvm::StringRef();
}

const clang::ClassTemplateSpecializationDecl *as_template(const clang::RecordDecl &record) {
  return llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&record);
}

// ---- Titles

std::string text_of(const clang::ASTContext &syntax, clang::QualType type) {
  clang::PrintingPolicy policy(syntax.getLangOpts());
  policy.SuppressTagKeyword = true;
  policy.SuppressUnwrittenScope = true;
  return type.getAsString(policy);
}

std::string place_of(const clang::ASTContext &syntax, const clang::RecordDecl &lambda) {
  const clang::PresumedLoc place = syntax.getSourceManager().getPresumedLoc(lambda.getBeginLoc());
  if (place.isInvalid())
    return "lambda";
  return ("lambda at " + llvm::sys::path::filename(place.getFilename()) + ":" +
          llvm::Twine(place.getLine()) + ":" + llvm::Twine(place.getColumn()))
      .str();
}

// Returns the first class of the program inside the template arguments that the headers built from
// names and function objects.
std::string title_of(const clang::ASTContext &syntax, clang::QualType type) {
  const clang::RecordDecl *record = type->getAsRecordDecl();
  if (!record)
    return {};
  if (library_of(*record) != "sycl") {
    auto *of_class = llvm::dyn_cast<clang::CXXRecordDecl>(record);
    return of_class && of_class->isLambda() ? place_of(syntax, *record) : text_of(syntax, type);
  }
  const auto *made = as_template(*record);
  if (!made)
    return {};
  auto of_argument = [&](const clang::TemplateArgument &argument) {
    return argument.getKind() == clang::TemplateArgument::Type
               ? title_of(syntax, argument.getAsType())
               : std::string();
  };
  for (const clang::TemplateArgument &argument : made->getTemplateArgs().asArray()) {
    if (std::string found = of_argument(argument); !found.empty())
      return found;
    if (made->getName() == "named" && argument.getKind() == clang::TemplateArgument::Type)
      return text_of(syntax, argument.getAsType());
  }
  return {};
}

bool is_unnamed(clang::QualType name) {
  const clang::RecordDecl *record = name->getAsRecordDecl();
  return record && record->getName() == "unnamed" && library_of(*record) == "sycl";
}

// Returns what __builtin_sycl_unique_stable_name returns for the type.
std::string stable_name(clang::ASTContext &syntax, const clang::RecordDecl &type) {
  return clang::SYCLUniqueStableNameExpr::ComputeName(syntax, syntax.getCanonicalTagType(&type));
}

// ---- Members

class MemberFinder {
public:
  MemberFinder(const clang::ASTContext &syntax, std::string begin)
      : syntax_(syntax), begin_(std::move(begin)) {}

  void add_all(const clang::RecordDecl &record, clang::CharUnits offset, const std::string &prefix,
               unsigned depth = 0) {
    constexpr unsigned deepest = 8;
    if (!record.isCompleteDefinition() || record.isInvalidDecl() || depth == deepest)
      return;
    const clang::ASTRecordLayout &layout = syntax_.getASTRecordLayout(&record);
    auto *of_class = llvm::dyn_cast<clang::CXXRecordDecl>(&record);
    if (of_class)
      for (const clang::CXXBaseSpecifier &base : of_class->bases())
        if (const clang::CXXRecordDecl *other = base.getType()->getAsCXXRecordDecl();
            other && !base.isVirtual())
          add_all(*other, offset + layout.getBaseClassOffset(other), prefix, depth + 1);
    const std::vector<std::string> captured = names_captured_by(of_class);
    for (const clang::FieldDecl *field : record.fields()) {
      const auto at =
          offset + syntax_.toCharUnitsFromBits(layout.getFieldOffset(field->getFieldIndex()));
      const unsigned index = field->getFieldIndex();
      const std::string name = index < captured.size() ? captured[index] : field->getNameAsString();
      add(field->getType(), at, library_of(record).empty() ? name : "", prefix, depth);
    }
  }

  std::string lines;

private:
  // Returns the names of captured variables, since fields of a lambda have none. The name for
  // captured `*this` is empty, so its members keep their own names.
  static std::vector<std::string> names_captured_by(const clang::CXXRecordDecl *record) {
    std::vector<std::string> names;
    if (record && record->isLambda())
      for (const clang::LambdaCapture &capture : record->captures())
        names.push_back(capture.capturesVariable() ? capture.getCapturedVar()->getNameAsString()
                                                   : "");
    return names;
  }

  // An empty name denotes a class of the headers, which may contain the program's function object.
  void add(clang::QualType type, clang::CharUnits at, const std::string &name,
           const std::string &prefix, unsigned depth) {
    const std::string whole = prefix.empty() || name.empty() ? prefix + name : prefix + "." + name;
    const clang::RecordDecl *record = type->getAsRecordDecl();
    if (name.empty()) {
      if (record)
        add_all(*record, at, prefix, depth + 1);
      return;
    }
    clang::QualType pointed = type;
    while (const auto *array = syntax_.getAsConstantArrayType(pointed))
      pointed = array->getElementType();
    if (pointed->isPointerType())
      return add_line(type, at, size_of(pointed->getPointeeType()), "pointer", whole);
    if (!record)
      return;
    if (library_of(*record).empty())
      return add_all(*record, at, whole, depth + 1);
    const auto *made = as_template(*record);
    const bool is_accessor = record->getName().ends_with("accessor");
    const bool has_type =
        made && made->getTemplateArgs()[0].getKind() == clang::TemplateArgument::Type;
    add_line(type, at, has_type ? size_of(made->getTemplateArgs()[0].getAsType()) : 0,
             !is_accessor                              ? "value"
             : record->getName().starts_with("local_") ? "local_accessor"
                                                       : "accessor",
             whole);
  }

  uint64_t size_of(clang::QualType type) const {
    return type->isIncompleteType() || !type->isObjectType()
               ? 0
               : uint64_t(syntax_.getTypeSizeInChars(type).getQuantity());
  }

  void add_line(clang::QualType type, clang::CharUnits at, uint64_t element, const char *kind,
                const std::string &name) {
    lines += begin_ + std::to_string(at.getQuantity()) + " " + std::to_string(size_of(type)) + " " +
             std::to_string(element) + " " + kind + " " + name + "\n";
  }

  const clang::ASTContext &syntax_;
  const std::string begin_;
};

} // namespace

std::string lines_of_names(clang::ASTContext &syntax, const std::string &kernel,
                           const clang::FunctionDecl &entry, const clang::RecordDecl &function) {
  const clang::QualType name = entry.getAttr<clang::SYCLKernelEntryPointAttr>()->getKernelName();
  const std::string title = title_of(syntax, name);
  MemberFinder members(syntax, "member " + kernel + " ");
  members.add_all(function, clang::CharUnits::Zero(), "");
  const auto *arguments = entry.getTemplateSpecializationArgs();
  const clang::RecordDecl *form = arguments && arguments->size() > 1
                                      ? arguments->get(1).getAsType()->getAsRecordDecl()
                                      : nullptr;
  const bool is_over_range = form && form->getName() == "range_form";
  return (title.empty() ? "" : "title " + kernel + " " + title + "\n") +
         (is_unnamed(name) ? "function " + kernel + " " + stable_name(syntax, function) + "\n"
                           : "") +
         (is_over_range ? "range " + kernel + "\n" : "") + members.lines;
}

} // namespace lockstep::driver
