#include "tools/lockstep++/map_c_maths.h"

#include "device_lib/device_library.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Module.h"

#include <string>
#include <vector>

namespace lockstep::driver {
namespace {

// Mangles an argument type of an OpenCL C builtin by the Itanium rules; empty for other types.
std::string mangled(const llvm::Type &type) {
  if (type.isFloatTy())
    return "f";
  if (type.isDoubleTy())
    return "d";
  if (type.isIntegerTy(32))
    return "i";
  if (type.isIntegerTy(64))
    return "l";
  return {};
}

// Returns the mangled pointer type of the second result of frexp and similar functions.
std::string mangled_second_result(llvm::StringRef base, const std::string &first) {
  return llvm::StringSwitch<std::string>(base)
      .Cases({"frexp", "remquo", "lgamma_r"}, "PU3AS4i")
      .Case("modf", "PU3AS4" + first)
      .Default({});
}

std::string builtin_of(const llvm::Function &function) {
  llvm::StringRef base = function.getName();
  const llvm::FunctionType &type = *function.getFunctionType();
  if (type.getNumParams() == 0 || type.isVarArg())
    return {};
  if (type.getParamType(0)->isFloatTy() && !base.consume_back("f"))
    return {};
  base = llvm::StringSwitch<llvm::StringRef>(base)
             .Cases({"labs", "llabs"}, "abs")
             .Case("nearbyint", "rint")
             .Default(base);
  std::string parameters;
  for (const llvm::Type *parameter : type.params()) {
    const std::string one = parameter->isPointerTy()
                                ? mangled_second_result(base, mangled(*type.getParamType(0)))
                                : mangled(*parameter);
    if (one.empty())
      return {};
    parameters += one;
  }
  const std::string name = "_Z" + std::to_string(base.size()) + base.str() + parameters;
  return compiler::is_builtin_function(name) ? name : std::string();
}

} // namespace

void map_c_maths(llvm::Module &module) {
  std::vector<std::pair<llvm::Function *, std::string>> found;
  for (llvm::Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() &&
        !function.getName().starts_with("_Z"))
      if (std::string name = builtin_of(function); !name.empty())
        found.emplace_back(&function, std::move(name));
  for (auto &[function, name] : found) {
    auto builtin =
        module.getOrInsertFunction(name, function->getFunctionType(), function->getAttributes());
    auto *declared = llvm::cast<llvm::Function>(builtin.getCallee());
    declared->setCallingConv(function->getCallingConv());
    function->replaceAllUsesWith(declared);
    function->eraseFromParent();
  }
}

} // namespace lockstep::driver
