// Machine code may call only the functions of library_functions.def and host_functions.def. The
// lists must therefore have each function that LLVM calls for operations of kernels. The tests
// check them against LLVM's own table of such functions and against the code for each operation.
#include "back_ends/cpu/host_functions/host_functions.h"
#include "back_ends/cpu/jit/emit_code.h"
#include "compiler/options/target.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/RuntimeLibcalls.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <string>

namespace lockstep::compiler {
namespace {

bool may_be_called(std::string_view symbol) {
  return is_library_function(symbol) ||
         std::ranges::any_of(host_functions(),
                             [&](const auto &function) { return symbol == function.symbol; });
}

// Functions that LLVM can call on this machine, but that kernels do not need.
struct Family {
  std::regex names;
  const char *why;
};
const Family families[] = {
    {std::regex("__.*(tf|xf).*|.*f128(_finite)?"),
     "types wider than double, which kernels do not have"},
    {std::regex(
         "(a?(cos|sin|tan)h?|atan2|sincos|cbrt|ceil|copysign|exp|exp2|exp10|fdim|floor|fma|fmax|"
         "fmin|"
         "f(max|min)imum(_num)?|fmod|frexp|ldexp|ll?r(int|ound)|log|log2|log10|modf|nan|nearbyint|"
         "nexttoward|pow|remainder|remquo|rint|round|roundeven|scalbl?n|sqrt|tgamma|trunc)l"),
     "long double, which is double in kernels"},
    {std::regex("__.*_finite"), "calls that math.h makes for -ffast-math"},
    {std::regex("__(add|sub|mul|div|neg|eq|ne|ge|gt|le|lt|unord)[sd]f[23]|"
                "__(fix|fixuns)[sdh]f[sd]i|__float(un)?[sd]i[sdhb]f|__extendsfdf2|__truncdfsf2"),
     "arithmetic for which each processor of 64 bits has instructions"},
    {std::regex("__(ashl|ashr|lshr|mul|div|udiv|mod|umod|clz|neg|popcount)[qhsd]i[234]|__mulosi4"),
     "integers for which each processor of 64 bits has instructions"},
    {std::regex("__(atomic|sync)_.*"), "atomics of sizes that kernels do not have"},
    {std::regex("__aarch64_(cas|swp|ldadd|ldclr|ldeor|ldset)[0-9]+_.*"),
     "atomics out of line: only -moutline-atomics asks for them"},
    {std::regex("__arm_.*"), "the streaming mode of SME, which kernels do not enter"},
    {std::regex("__llvm_mem.*_element_unordered_atomic_.*|__llvm_deoptimize"), "managed languages"},
    {std::regex("__mem(cpy|move|set)_chk"), "calls that _FORTIFY_SOURCE makes"},
    {std::regex("_Unwind_Resume|__cxa_end_cleanup"), "exceptions"},
    {std::regex("__stack_chk_(fail|guard)|__safestack_pointer_address"),
     "protections of the stack"},
    {std::regex("malloc|calloc|free"), "memory of the host"},
    {std::regex("fe[gs]et(env|mode)|__clear_cache"), "state of the processor"},
    {std::regex("nanf?|nexttowardf?"), "never called: constants, and long double"},
};

TEST(LibraryFunctions, EachThatLlvmCallsIsListedOrOfAFamilyThatKernelsDoNotNeed) {
  const llvm::Triple machine(llvm::sys::getProcessTriple());
  const llvm::RTLIB::RuntimeLibcallsInfo info(machine);
  unsigned listed = 0;
  for (llvm::RTLIB::LibcallImpl each : llvm::RTLIB::libcall_impls()) {
    if (!info.isAvailable(each))
      continue;
    const std::string name = info.getLibcallImplName(each).str();
    const bool is_needless = std::ranges::any_of(
        families, [&](const Family &family) { return std::regex_match(name, family.names); });
    listed += may_be_called(name);
    EXPECT_NE(may_be_called(name), is_needless) << name;
  }
  EXPECT_GT(listed, 100u);
}

TEST(LibraryFunctions, NothingThatActsOnTheProcessIsListed) {
  for (const char *name : {"system", "execve", "popen", "dlopen", "dlsym", "open", "write", "mmap",
                           "mprotect", "malloc", "abort", "syscall", "getenv", "printf"})
    EXPECT_FALSE(may_be_called(name)) << name;
}

// ---- code for each operation

class Operations {
public:
  std::string text() const { return declarations_ + bodies_; }

  void add(const std::string &result, const std::string &name,
           const std::vector<std::string> &arguments) {
    std::string types, parameters;
    for (const std::string &type : arguments) {
      types += (types.empty() ? "" : ", ") + type;
      parameters +=
          fmt::format("{}{} %{}", parameters.empty() ? "" : ", ", type, count(parameters));
    }
    if (declared_.insert(name).second)
      declarations_ += fmt::format("declare {} @{}({})\n", result, name, types);
    function(result, parameters, fmt::format("call {} @{}({})", result, name, parameters));
  }

  void function(const std::string &result, const std::string &parameters, const std::string &what) {
    bodies_ += fmt::format("define {} @operation{}({}) {{\n  %r = {}\n  ret {} %r\n}}\n", result,
                           number_++, parameters, what, result);
  }

private:
  static long count(const std::string &parameters) { return std::ranges::count(parameters, '%'); }

  std::string declarations_, bodies_;
  std::set<std::string> declared_;
  unsigned number_ = 0;
};

struct Type {
  std::string name, mangled, integer, integer_mangled;
};

void add_maths(Operations &all, const Type &type) {
  const auto &[t, m, i, im] = type;
  const bool is_half = m.ends_with("f16");
  for (const char *unary :
       {"acos",  "asin",      "atan",  "ceil", "cos",   "cosh", "exp",  "exp10",
        "exp2",  "fabs",      "floor", "log",  "log10", "log2", "rint", "nearbyint",
        "round", "roundeven", "sin",   "sinh", "sqrt",  "tan",  "tanh", "trunc"})
    all.add(t, fmt::format("llvm.{}.{}", unary, m), {t});
  for (const char *binary : {"atan2", "copysign", "maxnum", "minnum", "maximum", "minimum",
                             "maximumnum", "minimumnum", "pow"})
    all.add(t, fmt::format("llvm.{}.{}", binary, m), {t, t});
  for (const char *ternary : {"fma", "fmuladd"})
    all.add(t, fmt::format("llvm.{}.{}", ternary, m), {t, t, t});
  all.add(t, fmt::format("llvm.ldexp.{}.{}", m, im), {t, i});
  all.add(t, fmt::format("llvm.powi.{}.i32", m), {t, "i32"});
  all.function(t, fmt::format("{} %0, {} %1", t, t), fmt::format("frem {} %0, %1", t));
  const std::string pair = fmt::format("{{ {}, {} }}", t, t);
  all.add(pair, fmt::format("llvm.sincos.{}", m), {t});
  if (is_half || t.starts_with('<'))
    return; // LLVM crashes on some of the following for these types
  all.add(pair, fmt::format("llvm.modf.{}", m), {t});
  all.add(t, fmt::format("llvm.canonicalize.{}", m), {t});
  all.add(fmt::format("{{ {}, {} }}", t, i), fmt::format("llvm.frexp.{}.{}", m, im), {t});
}

void add_conversions(Operations &all, const std::string &type, const std::string &mangled) {
  for (const char *wide : {"i64", "i128"}) {
    for (const char *conversion : {"fptosi", "fptoui"}) {
      all.function(wide, type + " %0", fmt::format("{} {} %0 to {}", conversion, type, wide));
      all.add(wide, fmt::format("llvm.{}.sat.{}.{}", conversion, wide, mangled), {type});
    }
    for (const char *conversion : {"sitofp", "uitofp"})
      all.function(type, fmt::format("{} %0", wide),
                   fmt::format("{} {} %0 to {}", conversion, wide, type));
  }
  for (const char *rounding : {"lrint", "llrint", "lround", "llround"})
    all.add("i64", fmt::format("llvm.{}.i64.{}", rounding, mangled), {type});
}

std::string every_operation() {
  Operations all;
  for (const Type &type :
       {Type{"half", "f16", "i32", "i32"}, Type{"float", "f32", "i32", "i32"},
        Type{"double", "f64", "i32", "i32"}, Type{"<8 x half>", "v8f16", "<8 x i32>", "v8i32"},
        Type{"<4 x float>", "v4f32", "<4 x i32>", "v4i32"},
        Type{"<4 x double>", "v4f64", "<4 x i32>", "v4i32"}})
    add_maths(all, type);
  for (const auto &[type, mangled] :
       {std::pair("half", "f16"), {"float", "f32"}, {"double", "f64"}})
    add_conversions(all, type, mangled);
  for (const char *narrow : {"half", "bfloat"})
    for (const char *wide : {"float", "double"}) {
      all.function(narrow, fmt::format("{} %0", wide),
                   fmt::format("fptrunc {} %0 to {}", wide, narrow));
      all.function(wide, fmt::format("{} %0", narrow),
                   fmt::format("fpext {} %0 to {}", narrow, wide));
    }
  for (const char *operation :
       {"add", "mul", "sdiv", "udiv", "srem", "urem", "shl", "lshr", "ashr"})
    for (const char *type : {"i64", "i128", "<2 x i64>"})
      all.function(type, fmt::format("{} %0, {} %1", type, type),
                   fmt::format("{} {} %0, %1", operation, type));
  for (const char *counting : {"ctpop", "bitreverse"})
    all.add("i128", fmt::format("llvm.{}.i128", counting), {"i128"});
  for (const char *checked : {"smul", "umul"})
    all.add("{ i128, i1 }", fmt::format("llvm.{}.with.overflow.i128", checked), {"i128", "i128"});
  return all.text() + "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"
                      "declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)\n"
                      "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n"
                      "define void @memory(ptr %0, ptr %1, i64 %2) {\n"
                      "  call void @llvm.memcpy.p0.p0.i64(ptr %0, ptr %1, i64 %2, i1 false)\n"
                      "  call void @llvm.memmove.p0.p0.i64(ptr %0, ptr %1, i64 %2, i1 false)\n"
                      "  call void @llvm.memset.p0.i64(ptr %0, i8 0, i64 %2, i1 false)\n"
                      "  ret void\n}\n";
}

std::set<std::string> functions_called(const std::string &ir, const char *processor) {
  auto target = make_target_machine(find_target(processor), /*optimize=*/false);
  EXPECT_TRUE(target);
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(ir, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str() << ": "
                      << diagnostic.getLineContents().str();
  std::set<std::string> called;
  if (!module || !target)
    return called;
  module->setTargetTriple(target->getTargetTriple());
  module->setDataLayout(target->createDataLayout());
  auto object = emit_object(*module, *target);
  EXPECT_TRUE(object);
  auto file = llvm::cantFail(
      llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object->bytes, "object")));
  for (const llvm::object::SymbolRef &symbol : file->symbols())
    if (llvm::cantFail(symbol.getFlags()) & llvm::object::SymbolRef::SF_Undefined)
      if (const llvm::StringRef name = llvm::cantFail(symbol.getName()); !name.empty())
        called.insert(name.str());
  return called;
}

TEST(LibraryFunctions, CodeForEachOperationCallsWhatIsListed) {
  const std::string ir = every_operation();
  std::set<std::string> all;
#if defined(__x86_64__)
  constexpr const char *processors[] = {"x86-64", "x86-64-v4"};
#else
  constexpr const char *processors[] = {"cortex-a53", "neoverse-n1"};
#endif
  for (const char *processor : processors)
    all.merge(functions_called(ir, processor));
  for (const std::string &name : all)
    EXPECT_TRUE(may_be_called(name)) << name;
  for (const char *known : {"memcpy", "memset", "fmodf", "sin", "__udivti3", "__powisf2"})
    EXPECT_TRUE(all.contains(known)) << known;
#if defined(__x86_64__) // AArch64 has instructions for these
  for (const char *known : {"floorf", "fma", "__truncsfhf2", "__truncsfbf2"})
    EXPECT_TRUE(all.contains(known)) << known;
#endif
}

} // namespace
} // namespace lockstep::compiler
