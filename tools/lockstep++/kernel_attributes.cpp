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
    // As SYCL 1.2.1 and DPC++ had them first.
    {"cl::reqd_work_group_size", "__ls_wgs_reqd", "lockstep.reqd_work_group_size"},
    {"cl::work_group_size_hint", "__ls_wgs_hint", "lockstep.work_group_size_hint"},
    {"cl::intel_reqd_sub_group_size", "__lockstep_cl__sub", "lockstep.reqd_sub_group_size"},
    {"cl::vec_type_hint", "__lscv", ""},
    {"intel::reqd_work_group_size", "__lockstep__reqd", "lockstep.reqd_work_group_size"},
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

const KnownAttribute *known_attribute(llvm::StringRef scope, llvm::StringRef name) {
  for (const KnownAttribute &one : known_attributes)
    if (one.written.split("::") == std::pair(scope, name))
      return &one;
  return nullptr;
}

// White space and comments.
size_t after_blanks(llvm::StringRef text, size_t at) {
  while (true) {
    at = std::min(text.find_first_not_of(" \t\r\n", at), text.size());
    const llvm::StringRef rest = text.drop_front(at);
    const llvm::StringRef end = rest.starts_with("/*") ? "*/" : rest.starts_with("//") ? "\n" : "";
    if (end.empty())
      return at;
    const size_t found = text.find(end, at + 2);
    at = found == llvm::StringRef::npos ? text.size() : found + end.size();
  }
}

// Reads tokens of an attribute list, and stands before the next one.
class Reader {
public:
  Reader(llvm::StringRef text, size_t at) : text_(text), at_(at) {}
  size_t at() const { return at_; }
  void move_to(size_t at) { at_ = after_blanks(text_, at); }
  bool take(llvm::StringRef token) {
    if (!text_.substr(at_).starts_with(token))
      return false;
    move_to(at_ + token.size());
    return true;
  }
  llvm::StringRef take_name() {
    const llvm::StringRef name =
        text_.substr(at_).take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    move_to(at_ + name.size());
    return name;
  }

private:
  llvm::StringRef text_;
  size_t at_;
};

// Text of the same length, with as many lines: blanks make up for what is shorter.
void replace_by(std::string &text, size_t begin, size_t end, std::string with) {
  const auto lines = size_t(llvm::count(llvm::StringRef(text).slice(begin, end), '\n'));
  with.resize(end - begin - lines, ' ');
  with.append(lines, '\n');
  text.replace(begin, end - begin, with);
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

// Before the parenthesis that the last one of `text` closes.
size_t before_parentheses(llvm::StringRef text) {
  int depth = 0;
  for (size_t at = text.size(); at-- > 0;)
    if (text[at] == ')')
      ++depth;
    else if (text[at] == '(' && --depth == 0)
      return at;
  return 0;
}

// `[=](item<1> one) constexpr noexcept(true) [[…]] -> void {`: before those words too.
void move_before_specifiers(std::string &text, size_t begin, size_t end) {
  size_t first = begin;
  while (true) {
    llvm::StringRef before = llvm::StringRef(text).take_front(first).rtrim();
    const bool condition = before.ends_with(")");
    llvm::StringRef words = condition ? before.take_front(before_parentheses(before)) : before;
    words = words.rtrim();
    const llvm::StringRef rest =
        words.rtrim("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    const llvm::StringRef word = words.drop_front(rest.size());
    if (word != "noexcept" && (condition || (word != "mutable" && word != "constexpr")))
      break;
    first = rest.size();
  }
  // Of a function that is no lambda this would be wrong, and is refused either way.
  if (llvm::StringRef(text).take_front(first).rtrim().ends_with(")"))
    std::rotate(text.begin() + ptrdiff_t(first), text.begin() + ptrdiff_t(begin),
                text.begin() + ptrdiff_t(end));
}

// `at` is at a bracket. Does nothing unless a list of attributes begins there and all of them are known.
void replace_list(std::string &text, size_t at) {
  struct Found {
    size_t begin, end; // up to the parenthesis
    const KnownAttribute *what;
  };
  llvm::SmallVector<Found> all;
  Reader reader(text, at);
  if (!reader.take("[") || !reader.take("["))
    return;
  llvm::StringRef common; // [[using sycl: ...]]
  if (Reader ahead = reader; ahead.take_name() == "using") {
    common = ahead.take_name();
    if (!ahead.take(":"))
      return;
    reader = ahead;
  }
  do {
    const size_t begin = reader.at();
    llvm::StringRef scope = common;
    if (scope.empty()) {
      scope = reader.take_name();
      if (!reader.take("::"))
        return;
    }
    const KnownAttribute *known = known_attribute(scope, reader.take_name());
    if (!known || !llvm::StringRef(text).substr(reader.at()).starts_with("("))
      return;
    all.push_back({begin, reader.at(), known});
    reader.move_to(after_parentheses(text, reader.at()));
  } while (reader.take(","));
  const size_t close = reader.at();
  if (!reader.take("]") || !llvm::StringRef(text).substr(reader.at()).starts_with("]") ||
      is_in_string(text, at))
    return;
  const size_t end = reader.at() + 1;
  replace_by(text, close, end, "))");
  for (const Found &one : llvm::drop_begin(all))
    replace_by(text, one.begin, one.end, one.what->macro.str());
  replace_by(text, at, all.front().end, (opening + all.front().what->macro).str());
  if (const size_t list = after_blanks(text, end); list < text.size() && text[list] == '(')
    move_behind_declarator(text, at, end, list);
  else
    move_before_specifiers(text, at, end);
}

bool may_have_attributes(llvm::StringRef source) {
  return llvm::any_of(known_attributes, [&](const KnownAttribute &one) {
    return source.contains(one.written.split("::").second);
  });
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
      if (!buffer || !may_have_attributes((*buffer)->getBuffer()))
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

// A property of a function begins with the number of its key
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

} // namespace

std::string with_known_attributes(std::string source) {
  for (size_t at = source.find('['); at != std::string::npos; at = source.find('[', at + 1))
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
