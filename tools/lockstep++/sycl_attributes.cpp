#include "tools/lockstep++/sycl_attributes.h"

#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Basic/ParsedAttrInfo.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"

namespace lockstep::driver {
namespace {

constexpr SyclAttribute reqd_work_group_size{"reqd_work_group_size", "sizes_of_attribute"};
constexpr SyclAttribute work_group_size_hint{"work_group_size_hint", "sizes_of_attribute"};
constexpr SyclAttribute reqd_sub_group_size{"reqd_sub_group_size", "lanes_of_attribute"};
constexpr SyclAttribute vec_type_hint{"vec_type_hint", "numbers_of_attribute", true};
constexpr SyclAttribute device_has{"device_has", "aspects_of_attribute"};

// SYCL 1.2.1 used the namespace cl, DPC++ used intel.
using Spelling = clang::ParsedAttrInfo::Spelling;
constexpr auto cxx = clang::AttributeCommonInfo::AS_CXX11;
struct Known {
  Spelling spelling;
  const SyclAttribute *attribute;
};
constexpr Known all_known[] = {
    {{cxx, "sycl::reqd_work_group_size"}, &reqd_work_group_size},
    {{cxx, "cl::reqd_work_group_size"}, &reqd_work_group_size},
    {{cxx, "intel::reqd_work_group_size"}, &reqd_work_group_size},
    {{cxx, "sycl::work_group_size_hint"}, &work_group_size_hint},
    {{cxx, "cl::work_group_size_hint"}, &work_group_size_hint},
    {{cxx, "sycl::reqd_sub_group_size"}, &reqd_sub_group_size},
    {{cxx, "cl::intel_reqd_sub_group_size"}, &reqd_sub_group_size},
    {{cxx, "intel::reqd_sub_group_size"}, &reqd_sub_group_size},
    {{cxx, "sycl::vec_type_hint"}, &vec_type_hint},
    {{cxx, "cl::vec_type_hint"}, &vec_type_hint},
    {{cxx, "sycl::device_has"}, &device_has},
};

struct AttributeOfFunctions : clang::ParsedAttrInfo {
  AttributeOfFunctions() {
    static const std::vector<Spelling> spellings = [] {
      std::vector<Spelling> all;
      for (const Known &known : all_known)
        all.push_back(known.spelling);
      return all;
    }();
    Spellings = spellings;
  }
  bool diagAppertainsToDecl(clang::Sema &sema, const clang::ParsedAttr &parsed,
                            const clang::Decl *decl) const override {
    return llvm::isa<clang::FunctionDecl>(decl) || warn(sema, parsed);
  }
  bool diagAppertainsToStmt(clang::Sema &sema, const clang::ParsedAttr &parsed,
                            const clang::Stmt *) const override {
    return warn(sema, parsed);
  }
  AttrHandling handleDeclAttribute(clang::Sema &, clang::Decl *,
                                   const clang::ParsedAttr &) const override {
    return AttributeApplied;
  }

private:
  static bool warn(clang::Sema &sema, const clang::ParsedAttr &parsed) {
    sema.Diag(parsed.getLoc(), clang::diag::warn_attribute_wrong_decl_type_str)
        << parsed << parsed.isRegularKeywordAttribute() << "functions";
    return false;
  }
};

const clang::ParsedAttrInfoRegistry::Add<AttributeOfFunctions>
    registration("lockstep", "attributes of SYCL kernels");

} // namespace

const SyclAttribute *find_sycl_attribute(llvm::StringRef scope, llvm::StringRef name) {
  for (const Known &known : all_known)
    if (llvm::StringRef(known.spelling.NormalizedFullName).split("::") == std::pair(scope, name))
      return known.attribute;
  return nullptr;
}

} // namespace lockstep::driver
