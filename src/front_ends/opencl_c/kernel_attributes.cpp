#include "front_ends/opencl_c/kernel_attributes.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclGroup.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace lockstep::compiler {
namespace {

// The text as written; where a macro wrote it, the text as clang prints it.
std::string text_of(const clang::Attr &attribute, const clang::ASTContext &context) {
  bool unreadable = false;
  auto range = clang::CharSourceRange::getTokenRange(attribute.getRange());
  llvm::StringRef text = clang::Lexer::getSourceText(range, context.getSourceManager(),
                                                     context.getLangOpts(), &unreadable);
  if (!unreadable && !text.empty())
    return text.str();
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  attribute.printPretty(stream, context.getPrintingPolicy());
  llvm::StringRef inner = llvm::StringRef(printed).trim();
  inner.consume_front("__attribute__((");
  inner.consume_back("))");
  return inner.str();
}

class Collector : public clang::ASTConsumer {
public:
  Collector(clang::CompilerInstance &compiler, KernelAttributes &attributes)
      : compiler_(compiler), attributes_(attributes) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (const clang::Decl *declaration : group)
      if (auto *function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
          function && function->hasAttr<clang::DeviceKernelAttr>() &&
          function->isThisDeclarationADefinition())
        collect(*function);
    return true;
  }

private:
  void collect(const clang::FunctionDecl &kernel) {
    std::string all;
    for (const clang::Attr *attribute : kernel.attrs()) {
      if (attribute->isImplicit() || attribute->getSyntax() != clang::AttributeCommonInfo::AS_GNU)
        continue;
      std::string text = text_of(*attribute, compiler_.getASTContext());
      std::erase_if(text, [](char c) { return llvm::isSpace(c); });
      all += (all.empty() ? "" : " ") + text;
    }
    if (!all.empty())
      attributes_[kernel.getNameAsString()] = all;
  }

  clang::CompilerInstance &compiler_;
  KernelAttributes &attributes_;
};

} // namespace

std::unique_ptr<clang::ASTConsumer> collect_kernel_attributes(clang::CompilerInstance &compiler,
                                                              KernelAttributes &attributes) {
  return std::make_unique<Collector>(compiler, attributes);
}

} // namespace lockstep::compiler
