#include "tools/lockstep++/device_rules.h"

#include "tools/lockstep++/device_globals.h"

#include "device_lib/device_library.h"
#include "tools/lockstep++/replace_throws.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/SourceManager.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

#include <deque>

namespace lockstep::driver {
namespace {

using clang::FunctionDecl;
using clang::SourceLocation;

// Messages "a kernel %0" about code of the user that is not allowed.
namespace wrong {
constexpr const char *throws = "throws an exception";
constexpr const char *tries = "has a try block";
constexpr const char *allocates = "allocates memory";
constexpr const char *releases = "releases memory with delete";
constexpr const char *calls_virtual = "calls a virtual function";
constexpr const char *calls_pointer = "calls through a pointer or reference to a function";
constexpr const char *calls_variadic = "calls a variadic function";
constexpr const char *needs_types = "asks for the type of an object at run time";
constexpr const char *assembly = "has inline assembly";
constexpr const char *thread_variable = "uses a variable of thread storage duration";
constexpr const char *mutable_variable =
    "uses a variable of static storage duration that is not const";
constexpr const char *computed_variable =
    "uses a variable of static storage duration whose initializer is not a constant";
} // namespace wrong

// What to do instead; notes.
namespace instead {
constexpr const char *of_streams = "sycl::stream prints from kernels (SYCL 2020 section 4.16)";
constexpr const char *of_printf =
    "sycl::ext::oneapi::experimental::printf and sycl::stream print from kernels";
} // namespace instead

// Finds the calls of a function and its violations.
class FunctionReader : public clang::DynamicRecursiveASTVisitor {
public:
  using Report =
      llvm::function_ref<void(SourceLocation, const char *, const char *what_to_do_instead)>;
  FunctionReader(clang::ASTContext &syntax, llvm::StringRef own_headers, Report report)
      : syntax_(syntax), own_headers_(own_headers), report_(report) {}

  llvm::DenseMap<const FunctionDecl *, SourceLocation> calls;

  // ---- Code that is not executed, or belongs to another function

  bool TraverseLambdaExpr(clang::LambdaExpr *lambda) override {
    for (clang::Expr *captured : lambda->capture_inits())
      TraverseStmt(captured);
    return true;
  }
  bool TraverseCXXRecordDecl(clang::CXXRecordDecl *) override { return true; }
  bool TraverseStaticAssertDecl(clang::StaticAssertDecl *) override { return true; }
  bool TraverseUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr *) override { return true; }
  bool TraverseCXXNoexceptExpr(clang::CXXNoexceptExpr *) override { return true; }
  bool TraverseRequiresExpr(clang::RequiresExpr *) override { return true; }
  bool TraverseConstantExpr(clang::ConstantExpr *) override { return true; }
  bool TraverseTypeLoc(clang::TypeLoc, bool = true) override { return true; }
  bool TraverseVarDecl(clang::VarDecl *variable) override {
    return variable->isConstexpr() || clang::DynamicRecursiveASTVisitor::TraverseVarDecl(variable);
  }
  bool TraverseIfStmt(clang::IfStmt *statement) override {
    if (!statement->isConstexpr())
      return clang::DynamicRecursiveASTVisitor::TraverseIfStmt(statement);
    if (auto taken = statement->getNondiscardedCase(syntax_); taken && *taken)
      return TraverseStmt(*taken);
    return true;
  }

  // ---- Violations

  bool VisitCXXThrowExpr(clang::CXXThrowExpr *e) override {
    return report(e->getBeginLoc(), wrong::throws);
  }
  bool VisitCXXTryStmt(clang::CXXTryStmt *s) override {
    return report(s->getBeginLoc(), wrong::tries);
  }
  bool VisitAsmStmt(clang::AsmStmt *s) override { return report(s->getAsmLoc(), wrong::assembly); }
  bool VisitCXXNewExpr(clang::CXXNewExpr *e) override {
    const FunctionDecl *allocator = e->getOperatorNew();
    if (allocator && allocator->isReplaceableGlobalAllocationFunction()) {
      calls.try_emplace(allocator->getCanonicalDecl(), e->getBeginLoc());
      report(e->getBeginLoc(), wrong::allocates);
    }
    return true;
  }
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr *e) override {
    const FunctionDecl *release = e->getOperatorDelete();
    if (release && release->isReplaceableGlobalAllocationFunction()) {
      calls.try_emplace(release->getCanonicalDecl(), e->getBeginLoc());
      report(e->getBeginLoc(), wrong::releases);
    }
    return true;
  }
  bool VisitCXXTypeidExpr(clang::CXXTypeidExpr *e) override {
    return report(e->getBeginLoc(), wrong::needs_types);
  }
  bool VisitCXXDynamicCastExpr(clang::CXXDynamicCastExpr *e) override {
    if (e->getCastKind() == clang::CK_Dynamic)
      report(e->getBeginLoc(), wrong::needs_types);
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr *e) override {
    calls.try_emplace(e->getConstructor()->getCanonicalDecl(), e->getBeginLoc());
    return true;
  }
  bool VisitCallExpr(clang::CallExpr *call) override {
    if (llvm::isa<clang::CXXPseudoDestructorExpr>(call->getCallee()->IgnoreParens()))
      return true;
    const FunctionDecl *callee = callee_of(*call);
    if (!callee)
      return report(call->getBeginLoc(), wrong::calls_pointer);
    calls.try_emplace(callee->getCanonicalDecl(), call->getBeginLoc());
    if (callee->isVariadic() && !is_known_to_clang(*callee) && !is_own(*callee))
      report(call->getBeginLoc(), wrong::calls_variadic,
             callee->getName() == "printf" ? instead::of_printf : nullptr);
    if (auto *of_object = llvm::dyn_cast<clang::CXXMemberCallExpr>(call))
      if (is_virtual_call(*of_object))
        report(call->getBeginLoc(), wrong::calls_virtual);
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr *e) override {
    if (auto *variable = llvm::dyn_cast<clang::VarDecl>(e->getDecl());
        variable && e->isNonOdrUse() == clang::NOUR_None)
      check(*variable, e->getLocation());
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr *e) override {
    if (auto *variable = llvm::dyn_cast<clang::VarDecl>(e->getMemberDecl());
        variable && e->isNonOdrUse() == clang::NOUR_None)
      check(*variable, e->getMemberLoc());
    return true;
  }

private:
  bool report(SourceLocation at, const char *what, const char *what_to_do_instead = nullptr) {
    report_(at, what, what_to_do_instead);
    return true;
  }

  // The function that is called: directly, or through a constexpr variable, for which clang also
  // emits a direct call. It does not for other constant expressions, such as elements of tables.
  const FunctionDecl *callee_of(const clang::CallExpr &call) const {
    if (const FunctionDecl *callee = call.getDirectCallee())
      return callee;
    const clang::Expr *expression = call.getCallee();
    auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(expression->IgnoreParenImpCasts());
    clang::APValue pointer;
    if (!reference || !expression->getType()->isFunctionPointerType() ||
        !expression->isCXX11ConstantExpr(syntax_, &pointer) || !pointer.isLValue())
      return nullptr;
    return llvm::dyn_cast_or_null<FunctionDecl>(
        pointer.getLValueBase().dyn_cast<const clang::ValueDecl *>());
  }

  bool is_known_to_clang(const FunctionDecl &function) const {
    const unsigned id = function.getBuiltinID();
    return id && !syntax_.BuiltinInfo.isPredefinedLibFunction(id);
  }
  bool is_own(const FunctionDecl &function) const {
    const clang::SourceManager &sources = syntax_.getSourceManager();
    return sources.getFilename(sources.getExpansionLoc(function.getLocation()))
        .starts_with(own_headers_);
  }

  bool is_virtual_call(const clang::CXXMemberCallExpr &call) const {
    auto *member = llvm::dyn_cast<clang::MemberExpr>(call.getCallee()->IgnoreParens());
    const clang::CXXMethodDecl *method = call.getMethodDecl();
    return member && method && method->isVirtual() &&
           member->performsVirtualDispatch(syntax_.getLangOpts()) &&
           !method->getDevirtualizedMethod(member->getBase(), /*IsAppleKext=*/false);
  }

  void check(const clang::VarDecl &variable, SourceLocation at) {
    if (!variable.hasGlobalStorage() ||
        variable.getType().getAddressSpace() != clang::LangAS::Default)
      return; // local memory, for example
    if (variable.getTLSKind() != clang::VarDecl::TLS_None)
      return void(report(at, wrong::thread_variable));
    if (is_device_global(variable) || is_group_variable(variable))
      return;
    const clang::QualType type = variable.getType();
    if (is_stream(variable))
      return void(report(at, wrong::mutable_variable, instead::of_streams));
    if (!type.isConstant(syntax_) && !type->isReferenceType())
      return void(report(at, wrong::mutable_variable));
    const clang::VarDecl *initialized = nullptr;
    const bool is_constant =
        variable.isConstexpr() || (variable.getAnyInitializer(initialized) && initialized &&
                                   initialized->hasConstantInitialization());
    if (!is_constant)
      report(at, wrong::computed_variable);
  }

  static bool is_stream(const clang::VarDecl &variable) {
    return variable.isInStdNamespace() && variable.getIdentifier() &&
           llvm::is_contained({"cout", "cerr", "clog", "wcout", "wcerr", "wclog"},
                              variable.getName());
  }

  clang::ASTContext &syntax_;
  const llvm::StringRef own_headers_;
  const Report report_;
};

class RuleChecker {
public:
  RuleChecker(clang::ASTContext &syntax, clang::CodeGenerator &names, const llvm::Module &module,
              const std::string &own_headers)
      : syntax_(syntax), names_(names), module_(module), own_headers_(own_headers),
        diagnostics_(syntax.getDiagnostics()),
        error_(diagnostics_.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                            "a kernel, or what it calls, %0; kernels cannot "
                                            "(SYCL 2020 section 5.4)")),
        undefined_(diagnostics_.getCustomDiagID(
            clang::DiagnosticsEngine::Error,
            "a kernel, or what it calls, needs '%0', which is not there for kernels and defined "
            "in no kernel code of this source%select{|; a function of another source must be "
            "declared SYCL_EXTERNAL}1 (SYCL 2020 sections 5.4, 5.10.1)")),
        recursion_(diagnostics_.getCustomDiagID(
            clang::DiagnosticsEngine::Error,
            "a kernel calls '%0', which calls itself, directly or through others; kernels have no "
            "recursion (SYCL 2020 section 5.4)")),
        note_(diagnostics_.getCustomDiagID(clang::DiagnosticsEngine::Note, "%0")) {}

  void run() {
    find_reachable();
    for (const auto &[function, from] : reached_)
      if (const FunctionDecl *decl = user_function(*function))
        read(*function, *decl);
    for (const auto &[function, from] : reached_)
      if (function->isDeclaration())
        check_defined(*function);
    check_recursion();
  }

private:
  void find_reachable() {
    std::deque<const llvm::Function *> open;
    auto reach = [&](const llvm::Function &function, const llvm::Function *from) {
      if (reached_.insert({&function, {}}).second)
        open.push_back(&function);
      if (from)
        reached_[&function].insert(from);
    };
    for (const llvm::Function &function : module_)
      if (!function.isDeclaration() &&
          (function.getCallingConv() == llvm::CallingConv::SPIR_KERNEL || is_external(function)))
        reach(function, nullptr);
    while (!open.empty()) {
      const llvm::Function &function = *open.front();
      open.pop_front();
      for (const llvm::Instruction &instruction : llvm::instructions(function))
        for (const llvm::Value *operand : instruction.operands())
          if (auto *used = llvm::dyn_cast<llvm::Function>(operand->stripPointerCasts()))
            reach(*used, &function);
    }
  }

  const FunctionDecl *decl_of(const llvm::Function &function) const {
    auto *found = names_.GetDeclForMangledName(function.getName());
    return llvm::dyn_cast_or_null<FunctionDecl>(found);
  }
  bool is_external(const llvm::Function &function) const {
    const FunctionDecl *decl = decl_of(function);
    return decl && decl->hasAttr<clang::SYCLExternalAttr>();
  }
  bool is_users(SourceLocation at) const {
    const clang::SourceManager &sources = syntax_.getSourceManager();
    return at.isValid() && !sources.isInSystemHeader(sources.getExpansionLoc(at));
  }
  // Returns null for functions of system headers or of clang.
  const FunctionDecl *user_function(const llvm::Function &function) const {
    if (function.isDeclaration())
      return nullptr;
    const FunctionDecl *decl = decl_of(function);
    return decl && is_users(decl->getLocation()) ? decl : nullptr;
  }

  void read(const llvm::Function &function, const FunctionDecl &decl) {
    const FunctionDecl *definition = decl.getDefinition();
    if (!definition || calls_.count(decl.getCanonicalDecl()))
      return;
    auto report = [&](SourceLocation at, const char *what, const char *what_to_do_instead) {
      if (!is_users(at) || !reported_.insert(at).second)
        return;
      diagnostics_.Report(at, error_) << what;
      if (what_to_do_instead)
        diagnostics_.Report(at, note_) << what_to_do_instead;
      reports_streams_ |= what_to_do_instead == instead::of_streams;
      show_path_to(function);
    };
    FunctionReader reader(syntax_, own_headers_, report);
    if (auto *constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(definition))
      for (clang::CXXCtorInitializer *initializer : constructor->inits())
        reader.TraverseStmt(initializer->getInit());
    reader.TraverseStmt(definition->getBody());
    calls_[decl.getCanonicalDecl()] = std::move(reader.calls);
  }

  // Notes the calls that lead from a kernel to a function of the user. Functions were reached
  // breadth-first, so the first caller of each is on a shortest path, and was read before.
  void show_path_to(const llvm::Function &function) {
    const llvm::Function *users = &function, *called = &function;
    constexpr unsigned most = 64;
    for (unsigned i = 0; i != most && !reached_[called].empty(); ++i) {
      const llvm::Function &from = *reached_[called].front();
      if (const FunctionDecl *caller = user_function(from)) {
        const FunctionDecl *callee = decl_of(*users);
        diagnostics_.Report(place_of_call(*caller, *called), note_)
            << (callee && callee->getDeclName().isIdentifier()
                    ? "'" + callee->getQualifiedNameAsString() + "' is called here"
                    : "called from here");
        users = &from;
      }
      called = &from;
    }
  }

  // Whether the error about a stream has said what this one would say.
  bool is_of_reported_stream(llvm::StringRef function) const {
    constexpr llvm::StringRef of_streams[] = {
        "std::basic_ostream", "std::basic_ios", "std::ios_base", "std::__ostream_insert",
        "std::endl",          "std::flush",     "std::ctype",    "std::operator<<"};
    return reports_streams_ && llvm::any_of(of_streams, [&](llvm::StringRef each) {
             return function.starts_with(each);
           });
  }

  // Returns the locations in the user's code from which a function is called, directly or through
  // functions that are not the user's, with the function there.
  std::vector<std::pair<SourceLocation, const llvm::Function *>>
  places_that_call(const llvm::Function &function) {
    llvm::SetVector<const llvm::Function *> called;
    called.insert(&function);
    std::vector<std::pair<SourceLocation, const llvm::Function *>> places;
    for (size_t next = 0; next < called.size(); ++next)
      for (const llvm::Function *from : reached_[called[next]])
        if (const FunctionDecl *decl = user_function(*from))
          places.emplace_back(place_of_call(*decl, *called[next]), from);
        else
          called.insert(from);
    return places;
  }
  SourceLocation place_of_call(const FunctionDecl &in, const llvm::Function &of) {
    const FunctionDecl *callee = decl_of(of);
    const auto &calls = calls_[in.getCanonicalDecl()];
    auto place = callee ? calls.find(callee->getCanonicalDecl()) : calls.end();
    return place != calls.end() ? place->second : in.getLocation();
  }

  void check_defined(const llvm::Function &function) {
    const llvm::StringRef name = function.getName();
    if (function.isIntrinsic() || name.starts_with("__lockstep_") || name == "printf" ||
        compiler::is_builtin_function(std::string_view(name)) || ends_the_kernel(name) ||
        name.starts_with("_Zd")) // delete: its operand was allocated, which is an error already
      return;
    const FunctionDecl *decl = decl_of(function);
    if (decl && decl->hasAttr<clang::SYCLExternalAttr>())
      return; // defined in another source
    const std::string shown = decl ? decl->getQualifiedNameAsString() : name.str();
    if (is_of_reported_stream(shown))
      return;
    for (const auto &[at, caller] : places_that_call(function))
      if (reported_.insert(at).second) { // skips what new and delete call
        diagnostics_.Report(at, undefined_) << shown << (decl && is_users(decl->getLocation()));
        show_path_to(*caller);
      }
  }

  void check_recursion() {
    llvm::CallGraph graph(const_cast<llvm::Module &>(module_));
    for (auto component = llvm::scc_begin(&graph); !component.isAtEnd(); ++component)
      if (component.hasCycle())
        report_recursion(*component);
  }
  void report_recursion(const std::vector<llvm::CallGraphNode *> &cycle) {
    for (const llvm::CallGraphNode *node : cycle) {
      const llvm::Function *function = node->getFunction();
      const FunctionDecl *decl =
          function && reached_.count(function) ? user_function(*function) : nullptr;
      if (!decl)
        continue;
      SourceLocation at = decl->getLocation();
      for (const llvm::CallGraphNode *other : cycle)
        if (const FunctionDecl *callee =
                other->getFunction() ? decl_of(*other->getFunction()) : nullptr)
          if (auto place = calls_[decl->getCanonicalDecl()].find(callee->getCanonicalDecl());
              place != calls_[decl->getCanonicalDecl()].end())
            at = place->second;
      diagnostics_.Report(at, recursion_) << decl->getQualifiedNameAsString();
      show_path_to(*function);
      return;
    }
  }

  clang::ASTContext &syntax_;
  clang::CodeGenerator &names_;
  const llvm::Module &module_;
  const std::string &own_headers_;
  clang::DiagnosticsEngine &diagnostics_;
  const unsigned error_, undefined_, recursion_, note_;
  bool reports_streams_ = false;
  llvm::MapVector<const llvm::Function *, llvm::SetVector<const llvm::Function *>>
      reached_; // functions that kernels reach, and their callers
  llvm::DenseSet<SourceLocation> reported_;
  llvm::DenseMap<const FunctionDecl *, llvm::DenseMap<const FunctionDecl *, SourceLocation>> calls_;
};

} // namespace

void check_device_rules(clang::ASTContext &syntax, clang::CodeGenerator &names,
                        const llvm::Module &module, const std::string &own_headers) {
  RuleChecker(syntax, names, module, own_headers).run();
}

} // namespace lockstep::driver
