#include "front_ends/opencl_c/build_options.h"

#include "platform/linux/leaked.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <functional>

namespace lockstep::compiler {
namespace {

// Error messages quote options; a very long one is truncated.
std::string shortened(std::string_view text) {
  constexpr size_t limit = 80;
  return text.size() <= limit ? std::string(text) : std::string(text.substr(0, limit)) + "...";
}

Error invalid(std::string message) {
  return {ErrorKind::invalid_argument, std::move(message)};
}

struct CompileFlag {
  std::string_view name;
  bool CompileOptions::*member; // set when given; may be null
  bool passed_to_clang;
};

// Every option of section 5.8.6 that takes no value.
constexpr CompileFlag compile_flags[] = {
    {"-cl-single-precision-constant", nullptr, true},
    {"-cl-denorms-are-zero", &CompileOptions::denorms_are_zero, false},
    {"-cl-fp32-correctly-rounded-divide-sqrt", nullptr, true},
    {"-cl-opt-disable", &CompileOptions::optimize, false},
    {"-cl-strict-aliasing", &CompileOptions::strict_aliasing, false},
    {"-cl-uniform-work-group-size", nullptr, true},
    {"-cl-no-subgroup-ifp", nullptr, false}, // only a permission
    {"-cl-mad-enable", nullptr, true},
    {"-cl-no-signed-zeros", nullptr, true},
    {"-cl-unsafe-math-optimizations", &CompileOptions::denorms_are_zero, true},
    {"-cl-finite-math-only", nullptr, true},
    {"-cl-fast-relaxed-math", &CompileOptions::denorms_are_zero, true},
    {"-w", &CompileOptions::no_warnings, false},
    {"-Werror", &CompileOptions::warnings_are_errors, false},
    {"-cl-kernel-arg-info", &CompileOptions::kernel_arg_info, false},
    {"-g", &CompileOptions::debug_info, false},
};

struct LinkFlag {
  std::string_view name;
  std::vector<bool LinkOptions::*> members;
};

// Section 5.8.7. An option that implies others sets their members too.
const std::vector<LinkFlag> &link_flags() {
  using L = LinkOptions;
  return leaked([] {
    return std::vector<LinkFlag>{
        {"-create-library", {&L::create_library}},
        {"-enable-link-options", {&L::enable_link_options}},
        {"-cl-denorms-are-zero", {&L::denorms_are_zero}},
        {"-cl-no-signed-zeros", {&L::no_signed_zeros}},
        {"-cl-unsafe-math-optimizations",
         {&L::unsafe_math, &L::no_signed_zeros, &L::denorms_are_zero}},
        {"-cl-finite-math-only", {&L::finite_math_only}},
        {"-cl-fast-relaxed-math",
         {&L::finite_math_only, &L::unsafe_math, &L::no_signed_zeros, &L::denorms_are_zero}},
        {"-cl-no-subgroup-ifp", {}},
    };
  });
}

bool starts_identifier(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}
bool continues_identifier(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// A macro definition in clang's syntax. The text ends at the first newline (section 5.8.6.1). An
// invalid name is rejected here; clang would report it in a file that the user has never seen.
Result<std::string> checked_definition(std::string_view text) {
  text = text.substr(0, text.find_first_of("\r\n"));
  size_t end = 0;
  while (end < text.size() && continues_identifier(text[end]))
    ++end;
  bool well_formed = end > 0 && starts_identifier(text[0]) &&
                     (end == text.size() || text[end] == '=' || text[end] == '(');
  if (!well_formed)
    return invalid(fmt::format("the option -D needs a macro name, not '{}' (OpenCL API 5.8.6.1)",
                               shortened(text)));
  return std::string(text);
}

// C++ for OpenCL (cl_ext_cxx_for_opencl). 0: another language.
unsigned cxx_version(std::string_view value) {
  return value == "CLC++" || value == "CLC++1.0" ? 100 : value == "CLC++2021" ? 202100 : 0;
}

Result<unsigned> language_version(std::string_view value) {
  struct Known {
    std::string_view name;
    unsigned version;
  };
  constexpr Known known[] = {{"CL1.0", 100}, {"CL1.1", 110}, {"CL1.2", 120},
                             {"CL2.0", 200}, {"CL3.0", 300}, {"CL3.1", 310}};
  auto found = std::ranges::find(known, value, &Known::name);
  if (found == std::end(known))
    return invalid(fmt::format(
        "-cl-std={} is not a version of OpenCL C; known are CL1.0, CL1.1, CL1.2, CL2.0, CL3.0 "
        "and CL3.1 (OpenCL API 5.8.6.5), and CLC++ (cl_ext_cxx_for_opencl)",
        shortened(value)));
  return found->version;
}

// `-D text` or `-Dtext`: the value of an option that may follow its name directly.
Result<std::string> value_of(const std::vector<std::string> &words, size_t &index) {
  std::string_view word = words[index];
  if (word.size() > 2)
    return std::string(word.substr(2));
  if (index + 1 == words.size())
    return invalid(
        fmt::format("the option {} at the end lacks its value (OpenCL API 5.8.6.1)", word));
  return words[++index];
}

Result<void> apply_word(CompileOptions &result, const std::vector<std::string> &words,
                        size_t &index) {
  const std::string &word = words[index];
  if (word.starts_with("-D")) {
    auto value = value_of(words, index);
    LOCKSTEP_TRY(value);
    auto definition = checked_definition(*value);
    LOCKSTEP_TRY(definition);
    result.definitions.push_back(std::move(*definition));
    return {};
  }
  if (word.starts_with("-I")) {
    auto value = value_of(words, index);
    LOCKSTEP_TRY(value);
    result.include_directories.push_back(std::move(*value));
    return {};
  }
  if (word.starts_with("-cl-std=")) {
    const std::string_view value = std::string_view(word).substr(8);
    result.cxx_version = cxx_version(value);
    if (result.cxx_version)
      return {};
    auto version = language_version(value);
    LOCKSTEP_TRY(version);
    result.language_version = *version;
    return {};
  }
  auto flag = std::ranges::find(compile_flags, word, &CompileFlag::name);
  if (flag == std::end(compile_flags))
    return invalid(
        fmt::format("'{}' is not a compiler option (OpenCL API 5.8.6)", shortened(word)));
  if (flag->member)
    result.*(flag->member) = flag->member != &CompileOptions::optimize;
  if (flag->passed_to_clang)
    result.clang_flags.push_back(word);
  return {};
}

// Sets the members of an option of section 5.8.7; false if it is none.
bool apply_link_word(LinkOptions &result, std::string_view word) {
  auto flag = std::ranges::find(link_flags(), word, &LinkFlag::name);
  if (flag == link_flags().end())
    return false;
  for (auto member : flag->members)
    result.*member = true;
  return true;
}

} // namespace

Result<std::vector<std::string>> split_options(std::string_view options) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < options.size(); ++i) {
    char c = options[i];
    char next = i + 1 < options.size() ? options[i + 1] : '\0';
    bool escapes = c == '\\' && quote != '\'' &&
                   (next == '"' || next == '\\' || (quote == 0 && (next == '\'' || next == ' ')));
    if (escapes) {
      word += next;
      in_word = true;
      ++i;
    } else if (quote ? c == quote : c == '"' || c == '\'') {
      quote = quote ? 0 : c;
      in_word = true;
    } else if (!quote && std::isspace(static_cast<unsigned char>(c))) {
      if (in_word)
        words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote)
    return invalid(
        fmt::format("the build options have a quotation mark {} that is not closed", quote));
  if (in_word)
    words.push_back(std::move(word));
  return words;
}

Result<CompileOptions> parse_compile_options(std::string_view options) {
  auto words = split_options(options);
  LOCKSTEP_TRY(words);
  CompileOptions result;
  for (size_t index = 0; index < words->size(); ++index)
    LOCKSTEP_TRY(apply_word(result, *words, index));
  return result;
}

Result<LinkOptions> parse_link_options(std::string_view options) {
  auto words = split_options(options);
  LOCKSTEP_TRY(words);
  LinkOptions result;
  for (const std::string &word : *words)
    if (!apply_link_word(result, word))
      return invalid(
          fmt::format("'{}' is not a linker option (OpenCL API 5.8.7)", shortened(word)));
  if (result.enable_link_options && !result.create_library)
    return invalid("-enable-link-options needs -create-library (OpenCL API 5.8.7.1)");
  return result;
}

Result<IlOptions> parse_il_options(std::string_view options) {
  auto words = split_options(options);
  LOCKSTEP_TRY(words);
  IlOptions result;
  CompileOptions others;
  for (size_t index = 0; index < words->size(); ++index) {
    const std::string word = (*words)[index];
    if (word.starts_with("-cl-std=")) // also a version that the device does not have
      continue;
    LOCKSTEP_TRY(apply_word(others, *words, index));
    apply_link_word(result.maths, word);
    result.uniform_work_group_size |= word == "-cl-uniform-work-group-size";
  }
  result.optimize = others.optimize;
  result.debug_info = others.debug_info;
  return result;
}

} // namespace lockstep::compiler
