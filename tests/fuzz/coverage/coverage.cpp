// Measures which language features the random kernels never use: a test of the generator.
//
// Generates the programs of some hundred seeds and parses them with clang. Collects from their
// syntax trees the kinds of statements, expressions, casts, operators, declarations and types, and
// the builtin functions that they call. Each feature that clang knows and no program uses must be
// listed with a reason in coverage.txt, and each listed feature must be unused. A difference in
// either direction fails, so the generator neither loses a feature unnoticed nor keeps an exception
// that is no longer needed.
//
//   fuzz_coverage --list coverage.txt --seeds 1 300 --more 2000 100
//
// --more stops as soon as nothing is missing, and prints which seeds have what was missing.
#include "../generate.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Frontend/ASTUnit.h"
#include "clang/Tooling/Tooling.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <fnmatch.h>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <unordered_set>

namespace {

using Names = std::set<std::string>;

// Removes the number of lanes: convert_float4_rte and convert_float_rte are one family.
std::string family(const std::string &function) {
  static const std::regex numbered(
      "^(v(?:load|store)a?_half|vload|vstore|convert_[a-z]+)(?:2|3|4|8|16)(.*)$");
  std::smatch parts;
  return std::regex_match(function, parts, numbered) ? parts[1].str() + parts[2].str() : function;
}

// ---- what clang knows

Names everything() {
  Names all;
#define ABSTRACT_STMT(type)
#define STMT(type, base) all.insert("node " #type);
#include "clang/AST/StmtNodes.inc"
#define ABSTRACT_DECL(type)
#define DECL(type, base) all.insert("node " #type "Decl");
#include "clang/AST/DeclNodes.inc"
#define ABSTRACT_TYPE(type, base)
#define TYPE(type, base) all.insert("type " #type);
#include "clang/AST/TypeNodes.inc"
#define CAST_OPERATION(name) all.insert("cast " #name);
#define BINARY_OPERATION(name, spelling) all.insert("operator " #name);
#define UNARY_OPERATION(name, spelling) all.insert("operator " #name);
#include "clang/AST/OperationKinds.def"
  return all;
}

// ---- what a program has

// Collects the names of the nodes of one program. Most nodes are of a kind, type or function that it
// has already seen, and these cost no string: this file is compiled without optimization.
class Collector : public clang::DynamicRecursiveASTVisitor {
public:
  explicit Collector(Names &names) : names_(names) {}

  bool VisitStmt(clang::Stmt *s) override {
    add(statements_, s->getStmtClass(), "node ", s->getStmtClassName());
    if (auto *e = llvm::dyn_cast<clang::Expr>(s))
      type(e->getType());
    return true;
  }
  bool VisitLabelStmt(clang::LabelStmt *s) override { return VisitDecl(s->getDecl()); }
  bool VisitCastExpr(clang::CastExpr *e) override {
    add(casts_, e->getCastKind(), "cast ", e->getCastKindName());
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator *e) override {
    static const char *const kinds[] = {
#define UNARY_OPERATION(name, spelling) #name,
#include "clang/AST/OperationKinds.def"
    };
    add(unary_, e->getOpcode(), "operator ", kinds[e->getOpcode()]);
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator *e) override {
    static const char *const kinds[] = {
#define BINARY_OPERATION(name, spelling) #name,
#include "clang/AST/OperationKinds.def"
    };
    add(binary_, e->getOpcode(), "operator ", kinds[e->getOpcode()]);
    return true;
  }
  bool VisitDecl(clang::Decl *d) override {
    if (!declarations_[d->getKind()]) {
      declarations_[d->getKind()] = true;
      names_.insert(std::string("node ") + d->getDeclKindName() + "Decl");
    }
    if (auto *value = llvm::dyn_cast<clang::ValueDecl>(d))
      type(value->getType());
    return true;
  }
  bool VisitCallExpr(clang::CallExpr *call) override {
    const clang::FunctionDecl *f = call->getDirectCallee();
    if (f && functions_.insert(f).second && !f->isDefined())
      names_.insert("builtin " + family(f->getNameAsString()));
    return true;
  }

private:
  using Seen = std::array<bool, 1024>; // by the number that clang gives a kind

  void add(Seen &seen, unsigned kind, const char *prefix, const char *name) {
    if (!seen.at(kind)) {
      seen[kind] = true;
      names_.insert(std::string(prefix) + name);
    }
  }

  void type(clang::QualType t) {
    while (!t.isNull() && types_.insert(t.getAsOpaquePtr()).second) {
      names_.insert(std::string("type ") + t->getTypeClassName());
      if (const clang::QualType next = t->getPointeeType(); !next.isNull())
        type(next);
      if (auto *array = t->getAsArrayTypeUnsafe())
        type(array->getElementType());
      if (auto *function = t->getAs<clang::FunctionType>())
        type(function->getReturnType());
      const clang::QualType simpler = t->getLocallyUnqualifiedSingleStepDesugaredType();
      if (simpler == t.getLocalUnqualifiedType())
        return;
      t = simpler;
    }
  }

  Names &names_;
  Seen statements_{}, casts_{}, unary_{}, binary_{}, declarations_{};
  std::unordered_set<const void *> types_, functions_;
};

// Declarations of extensions that clang does not know.
const char *const extensions = R"(
#define FOR(t) \
  DECLARE(t, reduce_mul) DECLARE(t, reduce_and) DECLARE(t, reduce_or) DECLARE(t, reduce_xor) \
  SCANS(t, inclusive) SCANS(t, exclusive)
#define SCANS(t, kind) \
  DECLARE(t, scan_##kind##_mul) DECLARE(t, scan_##kind##_and) DECLARE(t, scan_##kind##_or) \
  DECLARE(t, scan_##kind##_xor)
#define DECLARE(t, function) t __attribute__((overloadable)) work_group_##function(t);
FOR(int) FOR(unsigned int) FOR(long) FOR(unsigned long)
)";

std::unique_ptr<clang::ASTUnit> parse(const std::string &text, const std::string &standard,
                                      bool full_header) {
  std::vector<std::string> arguments = {"-xcl",
                                        "-cl-std=" + standard,
                                        "-target",
                                        "spir64",
                                        "-resource-dir=" LOCKSTEP_CLANG_RESOURCES,
                                        "-fsyntax-only",
                                        "-w",
                                        "-Xclang",
                                        "-cl-ext=+all",
                                        "-include",
                                        "extensions.h"};
  if (full_header)
    arguments.insert(arguments.end(), {"-cl-no-stdinc", "-include", "opencl-c.h", "-isystem",
                                       LOCKSTEP_CLANG_RESOURCES "/include"});
  return clang::tooling::buildASTFromCodeWithArgs(
      text, arguments, "kernel.cl", "fuzz_coverage",
      std::make_shared<clang::PCHContainerOperations>(),
      clang::tooling::getClangStripDependencyFileAdjuster(), {{"extensions.h", extensions}});
}

// Adds the functions of the full header. Other builtins are declared only where they are called.
void add_builtins(Names &all) {
  for (const char *standard : {"CL1.2", "CL3.0"}) {
    const auto unit = parse("", standard, true);
    for (const clang::Decl *d : unit->getASTContext().getTranslationUnitDecl()->decls())
      if (auto *f = llvm::dyn_cast<clang::FunctionDecl>(d))
        all.insert("builtin " + family(f->getNameAsString()));
  }
}

bool collect(uint64_t seed, Names &names) {
  using namespace lockstep::fuzz;
  const Program program = generate(seed, lockstep::fuzz::everything());
  auto unit = parse(print(program), program.opencl_3 ? "CL3.0" : "CL1.2", false);
  if (!unit || unit->getDiagnostics().hasErrorOccurred()) {
    std::printf("seed %llu is not OpenCL C\n", static_cast<unsigned long long>(seed));
    return false;
  }
  Collector collector(names);
  collector.VisitDecl(unit->getASTContext().getTranslationUnitDecl());
  for (clang::Decl *d : unit->getASTContext().getTranslationUnitDecl()->decls())
    if (unit->getSourceManager().isInMainFile(d->getLocation()))
      collector.TraverseDecl(d);
  return true;
}

// ---- the list: "pattern: reason", patterns as those of file names

using List = std::map<std::string, std::string>;

List read_list(const char *path) {
  List list;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (line.empty() || line[0] == '#' || colon == std::string::npos)
      continue;
    list[line.substr(0, line.find_last_not_of(' ', colon - 1) + 1)] = line.substr(colon + 2);
  }
  return list;
}

// The names that programs must have.
Names expected(const Names &all, const List &list) {
  Names names;
  for (const std::string &name : all)
    if (std::ranges::none_of(list, [&](const auto &line) {
          return fnmatch(line.first.c_str(), name.c_str(), 0) == 0;
        }))
      names.insert(name);
  return names;
}

// Collects from `count` programs, or, if there are names that are still missing, until none is.
bool collect(uint64_t first, uint64_t count, Names &produced, Names *missing) {
  bool good = true;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    if (missing)
      std::erase_if(*missing, [&](const std::string &name) { return produced.count(name); });
    if (missing && missing->empty())
      return good;
    good &= collect(seed, produced);
    if (!missing)
      continue;
    for (const std::string &name : *missing)
      if (produced.count(name))
        std::printf("seed %llu has %s\n", static_cast<unsigned long long>(seed), name.c_str());
  }
  return good;
}

int compare(const Names &all, const Names &produced, const List &list) {
  int findings = 0;
  std::set<std::string> used;
  for (const std::string &name : all) {
    std::string excuse;
    for (const auto &[pattern, reason] : list)
      if (!fnmatch(pattern.c_str(), name.c_str(), 0)) {
        excuse = pattern;
        used.insert(pattern);
      }
    const bool has = produced.count(name);
    if (has && !excuse.empty())
      std::printf("%s: produced, but '%s' says it is not\n", name.c_str(), excuse.c_str());
    if (!has && excuse.empty())
      std::printf("%s: never produced, and no reason given\n", name.c_str());
    findings += has != excuse.empty();
  }
  for (const auto &[pattern, reason] : list)
    if (!used.count(pattern)) {
      std::printf("'%s' is not a name of anything\n", pattern.c_str());
      ++findings;
    }
  std::printf("%zu of %zu kinds and builtins produced, %d findings\n", produced.size(), all.size(),
              findings);
  return findings != 0;
}

} // namespace

int main(int argc, char **argv) {
  Names all = everything(), produced;
  List list;
  bool good = true;
  add_builtins(all);
  for (int i = 1; i < argc; ++i) {
    auto is = [&](const char *option) { return !std::strcmp(argv[i], option); };
    const bool more = is("--more");
    if ((more || is("--seeds")) && i + 2 < argc) {
      Names missing = more ? expected(all, list) : Names{};
      good &= collect(std::stoull(argv[i + 1]), std::stoull(argv[i + 2]), produced,
                      more ? &missing : nullptr);
      i += 2;
    } else if (is("--list") && i + 1 < argc) {
      list = read_list(argv[++i]);
    } else {
      std::fprintf(stderr,
                   "usage: fuzz_coverage --list FILE {--seeds FIRST COUNT} {--more FIRST COUNT}\n");
      return 2;
    }
  }
  all.insert(produced.begin(), produced.end());
  return compare(all, produced, list) || !good;
}
