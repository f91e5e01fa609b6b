#include "tools/lockstep++/kernel_attributes.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

#include <algorithm>

namespace lockstep::driver {
namespace {

struct Annotation {
  llvm::Function *function;
  llvm::StringRef name;
  llvm::SmallVector<uint64_t> numbers;
};

// Reads the result of numbers_of_attribute (include/lockstep/sycl/detail/attribute_numbers.hpp).
llvm::SmallVector<uint64_t> numbers_in(const llvm::Constant &given) {
  llvm::SmallVector<uint64_t> numbers;
  const uint64_t count = given.getAggregateElement(0u)->getUniqueInteger().getZExtValue();
  for (unsigned i = 0; i < count; ++i)
    numbers.push_back(
        given.getAggregateElement(1)->getAggregateElement(i)->getUniqueInteger().getZExtValue());
  return numbers;
}

llvm::SmallVector<Annotation> annotations_of(const llvm::Module &module) {
  llvm::SmallVector<Annotation> found;
  auto *list = module.getNamedGlobal("llvm.global.annotations");
  auto *entries =
      list ? llvm::dyn_cast_or_null<llvm::ConstantArray>(list->getInitializer()) : nullptr;
  if (!entries)
    return found;
  for (const llvm::Use &entry : entries->operands()) {
    auto *parts = llvm::dyn_cast<llvm::ConstantStruct>(entry.get());
    if (!parts || parts->getNumOperands() < 5)
      continue;
    auto *function = llvm::dyn_cast<llvm::Function>(parts->getOperand(0)->stripPointerCasts());
    auto *name = llvm::dyn_cast<llvm::GlobalVariable>(parts->getOperand(1)->stripPointerCasts());
    auto *text = name ? llvm::dyn_cast_or_null<llvm::ConstantDataSequential>(name->getInitializer())
                      : nullptr;
    if (!function || !text)
      continue;
    Annotation &one = found.emplace_back(Annotation{function, text->getAsCString(), {}});
    if (auto *arguments =
            llvm::dyn_cast<llvm::GlobalVariable>(parts->getOperand(4)->stripPointerCasts());
        arguments && one.name.starts_with("lockstep.")) // programs may have other annotations
      one.numbers = numbers_in(*arguments->getInitializer()->getAggregateElement(0u));
  }
  return found;
}

// Returns the kernels that call a function, directly or indirectly.
llvm::SmallVector<llvm::Function *> kernels_that_call(llvm::Function &function) {
  llvm::SetVector<llvm::Function *> callers;
  callers.insert(&function);
  llvm::SmallVector<llvm::Function *> kernels;
  for (size_t next = 0; next < callers.size(); ++next) {
    if (callers[next]->getCallingConv() == llvm::CallingConv::SPIR_KERNEL)
      kernels.push_back(callers[next]);
    for (llvm::User *user : callers[next]->users())
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(user))
        callers.insert(call->getFunction());
  }
  return kernels;
}

void set_numbers(llvm::Function &kernel, llvm::StringRef name, llvm::ArrayRef<uint64_t> numbers) {
  llvm::LLVMContext &context = kernel.getContext();
  llvm::SmallVector<llvm::Metadata *> operands;
  for (uint64_t number : numbers) // saturates: a size that no device supports stays unsupported
    operands.push_back(llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(
        llvm::Type::getInt32Ty(context), std::min<uint64_t>(number, UINT32_MAX))));
  kernel.setMetadata(name, llvm::MDNode::get(context, operands));
}

std::string line_of(const char *what, const llvm::Function &kernel,
                    llvm::ArrayRef<uint64_t> numbers) {
  std::string line = std::string(what) + " " + kernel.getName().str();
  for (uint64_t number : numbers)
    line += " " + std::to_string(number);
  return line + "\n";
}

// Kernel IR has the contiguous dimension first, SYCL has it last.
llvm::SmallVector<uint64_t> in_kernel_order(llvm::ArrayRef<uint64_t> numbers) {
  llvm::SmallVector<uint64_t> order(llvm::reverse(numbers));
  order.resize(3, 1);
  return order;
}

// Converts a property to an attribute. A property of a function begins with the number of its key
// (include/lockstep/sycl/ext/oneapi/kernel_properties/properties.hpp).
Annotation as_attribute(const Annotation &property) {
  static constexpr std::pair<uint64_t, llvm::StringRef> attributes[] = {
      {10, "lockstep.reqd_work_group_size"},
      {11, "lockstep.work_group_size_hint"},
      {12, "lockstep.reqd_sub_group_size"},
      {13, "lockstep.device_has"}};
  Annotation found{property.function, "", {}};
  for (const auto &[key, name] : attributes)
    if (!property.numbers.empty() && property.numbers.front() == key)
      found.name = name;
  found.numbers.append(property.numbers.begin() + !property.numbers.empty(),
                       property.numbers.end());
  return found;
}

// Returns the annotation that `declaration` itself has, not an inherited one; null if there is
// none.
const clang::AnnotateAttr *own_annotation(const clang::FunctionDecl &declaration,
                                          llvm::StringRef name) {
  for (const auto *one : declaration.specific_attrs<clang::AnnotateAttr>())
    if (one->getAnnotation() == name && !one->isInherited())
      return one;
  return nullptr;
}

// Returns the annotation that a later declaration has and the first one lacks; null if there is
// none.
const clang::AnnotateAttr *late_annotation(const clang::FunctionDecl &function,
                                           llvm::StringRef name) {
  if (!own_annotation(*function.getFirstDecl(), name))
    for (const clang::FunctionDecl *declaration : function.redecls())
      if (const clang::AnnotateAttr *late = own_annotation(*declaration, name))
        return late;
  return nullptr;
}

bool is_attribute(llvm::StringRef name) {
  return llvm::is_contained({"lockstep.reqd_work_group_size", "lockstep.work_group_size_hint",
                             "lockstep.reqd_sub_group_size", "lockstep.device_has"},
                            name);
}

} // namespace

void check_kernel_attributes(clang::ASTContext &syntax, clang::CodeGenerator &names,
                             const llvm::Module &module) {
  clang::DiagnosticsEngine &diagnostics = syntax.getDiagnostics();
  const unsigned differ = diagnostics.getCustomDiagID(
      clang::DiagnosticsEngine::Error,
      "'%0' has the attribute '%1' twice, with different arguments (SYCL 2020 section 5.8)");
  const unsigned is_late = diagnostics.getCustomDiagID(
      clang::DiagnosticsEngine::Error,
      "the first declaration of '%0' lacks the attribute '%1' (SYCL 2020 section 5.8)");
  llvm::SmallVector<Annotation> seen;
  llvm::DenseSet<const clang::AnnotateAttr *> reported;
  for (const Annotation &one : annotations_of(module)) {
    const auto *function = llvm::dyn_cast_or_null<clang::FunctionDecl>(
        names.GetDeclForMangledName(one.function->getName()));
    if (!function || !is_attribute(one.name))
      continue;
    const llvm::StringRef name = one.name.split('.').second;
    const auto *before = llvm::find_if(seen, [&](const Annotation &other) {
      return other.function == one.function && other.name == one.name;
    });
    if (before == seen.end())
      seen.push_back(one);
    else if (before->numbers != one.numbers)
      diagnostics.Report(function->getLocation(), differ)
          << function->getQualifiedNameAsString() << name;
    const clang::FunctionDecl *pattern = function->getTemplateInstantiationPattern();
    if (const auto *late = late_annotation(pattern ? *pattern : *function, one.name);
        late && reported.insert(late).second)
      diagnostics.Report(late->getLocation(), is_late)
          << function->getQualifiedNameAsString() << name;
  }
}

std::string apply_kernel_attributes(llvm::Module &module, uint32_t default_sub_group) {
  std::string lines;
  for (Annotation &one : annotations_of(module)) {
    if (one.name == "lockstep.property")
      one = as_attribute(one);
    const llvm::StringRef name = one.name;
    for (llvm::Function *kernel : kernels_that_call(*one.function)) {
      if (name == "lockstep.reqd_work_group_size") {
        set_numbers(*kernel, "reqd_work_group_size", in_kernel_order(one.numbers));
        lines += line_of("work_group", *kernel, in_kernel_order(one.numbers));
      } else if (name == "lockstep.work_group_size_hint")
        set_numbers(*kernel, "work_group_size_hint", in_kernel_order(one.numbers));
      else if (name == "lockstep.reqd_sub_group_size") {
        set_numbers(*kernel, "intel_reqd_sub_group_size", one.numbers);
        lines += line_of("sub_group", *kernel, one.numbers);
      } else if (name == "lockstep.device_has")
        lines += line_of("aspects", *kernel, one.numbers);
    }
  }
  for (llvm::Function &kernel : module)
    if (default_sub_group && !kernel.isDeclaration() &&
        kernel.getCallingConv() == llvm::CallingConv::SPIR_KERNEL &&
        !kernel.hasMetadata("intel_reqd_sub_group_size")) {
      set_numbers(kernel, "intel_reqd_sub_group_size", {default_sub_group});
      lines += line_of("sub_group", kernel, {default_sub_group});
    }
  return lines;
}

llvm::SmallVector<llvm::Function *> functions_annotated(const llvm::Module &module,
                                                        llvm::StringRef name) {
  llvm::SmallVector<llvm::Function *> functions;
  for (const Annotation &one : annotations_of(module))
    if (one.name == name)
      functions.push_back(one.function);
  return functions;
}

bool defines_external_functions(const llvm::Module &module) {
  return llvm::any_of(annotations_of(module), [](const Annotation &one) {
    return (one.name == "lockstep.external" || one.name == "lockstep.property") &&
           !one.function->isDeclaration();
  });
}

} // namespace lockstep::driver
