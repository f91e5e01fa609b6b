#include "back_ends/nvidia/emit/check_ptx.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace lockstep::compiler {

namespace {

// PTX ISA section 4.4: a letter and further characters, or one of `_$%` and at least one further
// character. `_` alone is the operand that drops a result; WARP_SZ is a constant (section 4.6.1).
bool is_legal(std::string_view name) {
  const auto is_first = [](unsigned char c) {
    return std::isalpha(c) || c == '_' || c == '$' || c == '%';
  };
  const auto is_other = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '$'; };
  if (name.empty() || name == "WARP_SZ" ||
      (name.size() == 1 && !std::isalpha(static_cast<unsigned char>(name.front()))))
    return false;
  return is_first(static_cast<unsigned char>(name.front())) &&
         std::all_of(name.begin() + 1, name.end(), is_other);
}

std::string_view next_word(std::string_view &rest) {
  const size_t begin = rest.find_first_not_of(" \t\n");
  if (begin == rest.npos) {
    rest = {};
    return {};
  }
  rest.remove_prefix(begin);
  const size_t end = std::min(rest.find_first_of(" \t\n([;="), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end);
  return word;
}

struct Declaration {
  std::vector<std::string_view> directives; // ".extern", ".func"
  std::string_view name;

  bool has(std::string_view directive) const {
    return std::find(directives.begin(), directives.end(), directive) != directives.end();
  }
};

// Reads the declaration at the front of `rest`: directives, perhaps an alignment and the parameter
// of a result, then the name.
Declaration read_declaration(std::string_view rest) {
  Declaration read;
  for (;;) {
    const std::string_view word = next_word(rest);
    if (word.empty() && rest.starts_with('(')) { // a function's result
      rest.remove_prefix(std::min(rest.find(')'), rest.size() - 1) + 1);
      continue;
    }
    if (word.starts_with('.')) {
      read.directives.push_back(word);
      if (word == ".align" || word == ".attribute")
        next_word(rest);
      continue;
    }
    read.name = word;
    return read;
  }
}

bool begins_declaration(std::string_view line) {
  static constexpr std::array<std::string_view, 9> directives = {
      ".visible", ".extern", ".weak", ".common", ".entry", ".func", ".global", ".const", ".shared"};
  const std::string_view word = line.substr(0, line.find_first_of(" \t("));
  return std::find(directives.begin(), directives.end(), word) != directives.end();
}

} // namespace

std::string fault_in_ptx(std::string_view text) {
  for (size_t begin = 0; begin < text.size();) {
    std::string_view rest = text.substr(begin);
    begin += std::min(rest.find('\n'), rest.size() - 1) + 1;
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    if (!begins_declaration(rest))
      continue;
    const Declaration declaration = read_declaration(rest);
    if (!is_legal(declaration.name))
      return "PTX does not accept the name '" + std::string(declaration.name) + "'";
    if (declaration.has(".extern") && !declaration.has(".shared"))
      return "'" + std::string(declaration.name) + "' is declared, but not defined";
  }
  return {};
}

} // namespace lockstep::compiler
