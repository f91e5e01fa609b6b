#include "tools/lockstep++/kernel_attributes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <algorithm>

namespace lockstep::driver {
namespace {

// `[[scope::name(` and `__attribute((macro(` have equal length.
struct KnownAttribute {
  llvm::StringRef written;
  llvm::StringRef macro;
  llvm::StringRef annotation; // empty: without effect
};
constexpr KnownAttribute known_attributes[] = {
    {"sycl::reqd_work_group_size", "__lockstep_reqd", "lockstep.reqd_work_group_size"},
    {"sycl::work_group_size_hint", "__lockstep_hint", "lockstep.work_group_size_hint"},
    {"sycl::reqd_sub_group_size", "__lockstep_sub", "lockstep.reqd_sub_group_size"},
    {"sycl::vec_type_hint", "__ls_vec", ""},
    {"sycl::device_has", "__lsd", "lockstep.device_has"},
    // As DPC++ had it first.
    {"intel::reqd_sub_group_size", "__lockstep__sub", "lockstep.reqd_sub_group_size"},
};
constexpr llvm::StringRef opening = "__attribute((";

constexpr bool lengths_are_equal() {
  for (const KnownAttribute &one : known_attributes)
    if (one.written.size() + 2 != opening.size() + one.macro.size())
      return false;
  return true;
}
static_assert(lengths_are_equal());

const KnownAttribute *known_at(llvm::StringRef text) {
  for (const KnownAttribute &one : known_attributes)
    if (text.starts_with(one.written) &&
        !llvm::isAlnum(text.drop_front(one.written.size()).front()))
      return &one;
  return nullptr;
}

size_t after_spaces(llvm::StringRef text, size_t at) {
  return std::min(text.find_first_not_of(" \t\r\n", at), text.size());
}

// Behind the parenthesis that closes the one at `at`.
size_t after_parentheses(llvm::StringRef text, size_t at) {
  for (int depth = 0; at < text.size(); ++at)
    if (text[at] == '(')
      ++depth;
    else if (text[at] == ')' && --depth == 0)
      return at + 1;
  return text.size();
}

bool is_in_string(llvm::StringRef text, size_t at) {
  const size_t line = text.rfind('\n', at) + 1; // 0 if there is none
  return llvm::count(text.slice(line, at), '"') % 2 != 0;
}

// `operator() [[…]] (item<1>) const {`: a GNU attribute may stand only at the end, before the body.
void move_behind_declarator(std::string &text, size_t begin, size_t end, size_t list) {
  const size_t stop =
      std::min(text.find_first_of("{;", after_parentheses(text, list)), text.size());
  std::rotate(text.begin() + ptrdiff_t(begin), text.begin() + ptrdiff_t(end),
              text.begin() + ptrdiff_t(stop));
}

// `at` is at "[[". Does nothing unless everything up to "]]" is known.
void replace_list(std::string &text, size_t at) {
  struct Found {
    size_t at;
    const KnownAttribute *what;
  };
  llvm::SmallVector<Found> all;
  size_t next = at + 2;
  do {
    next = after_spaces(text, next);
    const KnownAttribute *known = known_at(llvm::StringRef(text).drop_front(next));
    const size_t open = known ? after_spaces(text, next + known->written.size()) : text.size();
    if (!known || (all.empty() && next != at + 2) || open >= text.size() || text[open] != '(')
      return;
    all.push_back({next, known});
    next = after_spaces(text, after_parentheses(text, open));
  } while (next < text.size() && text[next] == ',' && ++next);
  if (llvm::StringRef(text).substr(next, 2) != "]]" || is_in_string(text, at))
    return;
  text.replace(next, 2, "))");
  for (const Found &one : all) {
    std::string macro = one.what->macro.str();
    macro.resize(one.what->written.size(), ' ');
    text.replace(one.at, macro.size(), macro);
  }
  const KnownAttribute &first = *all.front().what;
  text.replace(at, first.written.size() + 2, opening.str() + first.macro.str());
  if (const size_t end = next + 2, list = after_spaces(text, end);
      list < text.size() && text[list] == '(')
    move_behind_declarator(text, at, end, list);
}

class FileSystem : public llvm::vfs::ProxyFileSystem {
public:
  using ProxyFileSystem::ProxyFileSystem;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>>
  openFileForRead(const llvm::Twine &path) override {
    auto file = ProxyFileSystem::openFileForRead(path);
    if (!file)
      return file;
    return std::make_unique<File>(std::move(*file));
  }

private:
  class File : public llvm::vfs::File {
  public:
    explicit File(std::unique_ptr<llvm::vfs::File> file) : file_(std::move(file)) {}
    llvm::ErrorOr<llvm::vfs::Status> status() override { return file_->status(); }
    llvm::ErrorOr<std::string> getName() override { return file_->getName(); }
    std::error_code close() override { return file_->close(); }
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
    getBuffer(const llvm::Twine &name, int64_t size, bool needs_end, bool is_volatile) override {
      auto buffer = file_->getBuffer(name, size, needs_end, is_volatile);
      if (!buffer || !(*buffer)->getBuffer().contains("::") ||
          llvm::none_of(known_attributes, [&](const KnownAttribute &one) {
            return (*buffer)->getBuffer().contains(one.written);
          }))
        return buffer;
      return llvm::MemoryBuffer::getMemBufferCopy(
          with_known_attributes((*buffer)->getBuffer().str()), (*buffer)->getBufferIdentifier());
    }

  private:
    std::unique_ptr<llvm::vfs::File> file_;
  };
};

// ---- annotations in the module

struct Annotation {
  llvm::Function *function;
  llvm::StringRef name;
  llvm::SmallVector<uint64_t> numbers;
};

// Of what numbers_of_attribute gave (include/lockstep/sycl/detail/attribute_numbers.hpp).
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
        arguments && one.name.starts_with("lockstep.")) // the program may have annotations as well
      one.numbers = numbers_in(*arguments->getInitializer()->getAggregateElement(0u));
  }
  return found;
}

// Kernels from which a function is called.
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
  for (uint64_t number : numbers) // what no device has stays beyond what any has
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

// Kernel IR begins with the dimension that is contiguous, SYCL ends with it.
llvm::SmallVector<uint64_t> in_kernel_order(llvm::ArrayRef<uint64_t> numbers) {
  llvm::SmallVector<uint64_t> order(llvm::reverse(numbers));
  order.resize(3, 1);
  return order;
}

} // namespace

std::string with_known_attributes(std::string source) {
  for (size_t at = source.find("[["); at != std::string::npos; at = source.find("[[", at + 2))
    replace_list(source, at);
  return source;
}

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
with_known_attributes(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files) {
  return llvm::makeIntrusiveRefCnt<FileSystem>(std::move(files));
}

std::vector<std::string> attributes_as_annotations() {
  std::vector<std::string> options;
  for (const KnownAttribute &one : known_attributes)
    options.push_back("-D" + one.macro.str() + "(...)=" +
                      (one.annotation.empty()
                           ? std::string()
                           : "annotate(\"" + one.annotation.str() +
                                 "\", ::sycl::detail::numbers_of_attribute(__VA_ARGS__))"));
  return options;
}

std::string apply_kernel_attributes(llvm::Module &module) {
  std::string lines;
  for (const Annotation &one : annotations_of(module)) {
    const llvm::StringRef name = one.name;
    for (llvm::Function *kernel : kernels_that_call(*one.function)) {
      if (name == "lockstep.reqd_work_group_size")
        set_numbers(*kernel, "reqd_work_group_size", in_kernel_order(one.numbers));
      else if (name == "lockstep.work_group_size_hint")
        set_numbers(*kernel, "work_group_size_hint", in_kernel_order(one.numbers));
      else if (name == "lockstep.reqd_sub_group_size") {
        set_numbers(*kernel, "intel_reqd_sub_group_size", one.numbers);
        lines += line_of("sub_group", *kernel, one.numbers);
      } else if (name == "lockstep.device_has")
        lines += line_of("aspects", *kernel, one.numbers);
    }
  }
  return lines;
}

bool defines_external_functions(const llvm::Module &module) {
  return llvm::any_of(annotations_of(module), [](const Annotation &one) {
    return one.name == "lockstep.external" && !one.function->isDeclaration();
  });
}

} // namespace lockstep::driver
