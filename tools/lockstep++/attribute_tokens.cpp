#include "tools/lockstep++/attribute_tokens.h"

#include "tools/lockstep++/sycl_attributes.h"

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendOptions.h"
#include "clang/Frontend/Utils.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/Token.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace lockstep::driver {
namespace {

using clang::Token;
namespace tok = clang::tok;
using Tokens = llvm::SmallVector<Token, 0>;

bool opens(const Token &token) {
  return token.isOneOf(tok::l_paren, tok::l_square, tok::l_brace);
}
bool closes(const Token &token) {
  return token.isOneOf(tok::r_paren, tok::r_square, tok::r_brace);
}

// Returns the index of the bracket that closes the one at `open`; the size if there is none.
size_t closing_bracket(llvm::ArrayRef<Token> tokens, size_t open) {
  int depth = 0;
  for (size_t i = open; i < tokens.size(); ++i)
    if (opens(tokens[i]))
      ++depth;
    else if (closes(tokens[i]) && --depth == 0)
      return i;
  return tokens.size();
}
// Returns the index of the bracket that the last token closes.
std::optional<size_t> opening_bracket(llvm::ArrayRef<Token> tokens) {
  int depth = 0;
  for (size_t i = tokens.size(); i-- > 0;)
    if (closes(tokens[i]))
      ++depth;
    else if (opens(tokens[i]) && --depth == 0)
      return i;
  return std::nullopt;
}
// Returns the index of the `<` that matches the `>` at the end.
std::optional<size_t> opening_angle(llvm::ArrayRef<Token> tokens) {
  int depth = 0;
  for (size_t i = tokens.size(); i > 0; --i) {
    const Token &token = tokens[i - 1];
    if (token.is(tok::r_paren) || token.is(tok::r_square) || token.is(tok::r_brace)) {
      const auto open = opening_bracket(tokens.take_front(i));
      if (!open)
        return std::nullopt;
      i = *open + 1;
    } else if (token.is(tok::greater))
      ++depth;
    else if (token.is(tok::greatergreater))
      depth += 2;
    else if (token.is(tok::less) && --depth <= 0)
      return i - 1;
  }
  return std::nullopt;
}

bool begins_list(llvm::ArrayRef<Token> tokens, size_t at) {
  return at + 1 < tokens.size() && tokens[at].is(tok::l_square) && tokens[at + 1].is(tok::l_square);
}
// Removes the attribute lists at the end.
llvm::ArrayRef<Token> without_lists(llvm::ArrayRef<Token> tokens) {
  while (tokens.size() > 3 && tokens.back().is(tok::r_square) &&
         tokens.drop_back().back().is(tok::r_square)) {
    const auto open = opening_bracket(tokens);
    if (!open || !begins_list(tokens, *open))
      break;
    tokens = tokens.take_front(*open);
  }
  return tokens;
}

struct Attribute {
  size_t begin = 0, name = 0, arguments = 0,
         end = 0; // name: after its scope; arguments: the parenthesis, or the end
  const SyclAttribute *what = nullptr; // null: another attribute
};
struct List {
  size_t scope = 0; // of [[using scope: ...]]; 0 if there is none
  llvm::SmallVector<Attribute, 4> attributes;
  size_t end = 0;
  bool has_sycl = false;
};

// Reads `[[...]]` at `at`; none if it is something else.
std::optional<List> read_list(llvm::ArrayRef<Token> tokens, size_t at) {
  const auto is = [&](size_t i, tok::TokenKind kind) {
    return i < tokens.size() && tokens[i].is(kind);
  };
  const auto name = [&](size_t i) {
    const bool has_name = i < tokens.size() && !tokens[i].isAnnotation() &&
                          !tokens[i].isLiteral() && tokens[i].getIdentifierInfo();
    return has_name ? tokens[i].getIdentifierInfo()->getName() : llvm::StringRef();
  };
  List list;
  llvm::StringRef common; // [[using sycl: ...]]
  at += 2;
  if (is(at, tok::kw_using) && is(at + 2, tok::colon)) {
    common = name(at + 1);
    list.scope = at + 1;
    at += 3;
  }
  while (!is(at, tok::r_square)) {
    if (is(at, tok::comma) || is(at, tok::ellipsis)) {
      ++at;
      continue;
    }
    Attribute &one = list.attributes.emplace_back();
    one.begin = at;
    llvm::StringRef scope = common, own = name(at++);
    if (own.empty())
      return std::nullopt;
    if (is(at, tok::coloncolon)) {
      scope = own;
      own = name(at + 1);
      at += 2;
    }
    one.name = at - 1;
    one.what = find_sycl_attribute(scope, own);
    list.has_sycl |= one.what != nullptr;
    one.arguments = at;
    if (is(at, tok::l_paren))
      at = closing_bracket(tokens, at) + 1;
    one.end = at;
  }
  if (!is(at + 1, tok::r_square))
    return std::nullopt;
  list.end = at + 2;
  return list;
}

// Rewrites the tokens of one declaration and changes the SYCL attributes.
class Rewriter {
public:
  explicit Rewriter(clang::Preprocessor &preprocessor) : preprocessor_(preprocessor) {}

  void add(llvm::ArrayRef<Token> tokens) {
    for (size_t i = 0; i < tokens.size();) {
      const auto list = begins_list(tokens, i) ? read_list(tokens, i) : std::nullopt;
      if (list && list->has_sycl) {
        add_list(tokens, i, *list);
        i = list->end;
      } else {
        made_.push_back(tokens[i++]);
      }
    }
  }
  // Makes `namespace sycl { using namespace cl::sycl; }` of `namespace sycl = cl::sycl;`.
  void add_reopened(llvm::ArrayRef<Token> tokens) {
    const Token &semicolon = tokens.back();
    made_.append(tokens.begin(), tokens.begin() + 2);
    add_words(tokens[2], {"{", "using", "namespace"});
    made_.append(tokens.begin() + 3, tokens.end());
    add_words(semicolon, {"}"});
  }
  const Tokens &made() const { return made_; }

private:
  void add_list(llvm::ArrayRef<Token> tokens, size_t begin, const List &list) {
    const auto place = behind_lambda_parameters();
    if (place)
      add_as_gnu(tokens, list, *place);
    const auto add_all = [&](size_t from, size_t to) {
      made_.append(tokens.begin() + from, tokens.begin() + to);
    };
    add_all(begin, begin + 2);
    const char *separator = "";
    for (const Attribute &one : list.attributes) {
      if (one.what && place)
        continue;
      add_words(tokens[one.begin], {separator});
      separator = ",";
      if (list.scope) { // it would also apply to the annotation
        add_all(list.scope, list.scope + 1);
        add_words(tokens[one.begin], {"::"});
      }
      if (!one.what) {
        add_all(one.begin, one.end);
        continue;
      }
      add_all(one.begin, one.arguments);
      add_words(tokens[one.name], {",", "clang", "::"});
      add_annotation(tokens, one);
    }
    add_all(list.end - 2, list.end); // the remaining list may be [[]], which has no effect
  }

  void add_as_gnu(llvm::ArrayRef<Token> tokens, const List &list, size_t place) {
    const Tokens behind(made_.begin() + place, made_.end());
    made_.truncate(place);
    for (const Attribute &one : list.attributes)
      if (one.what) {
        add_words(tokens[one.begin], {"__attribute__", "(", "("});
        add_annotation(tokens, one);
        add_words(tokens[one.name], {")", ")"});
      }
    made_.append(behind);
  }

  // Adds the arguments by value, in one object; detail/attribute_numbers.hpp gives the reason.
  void add_annotation(llvm::ArrayRef<Token> tokens, const Attribute &one) {
    const Token &name = tokens[one.name];
    add_words(name, {"annotate", "("});
    Token &text = made_.emplace_back();
    text.startToken();
    text.setKind(tok::string_literal);
    preprocessor_.CreateString(("\"lockstep." + one.what->name + "\"").str(), text,
                               name.getLocation(), name.getLocation());
    add_words(name, {",", "::", "sycl", "::", "detail", "::", one.what->numbers, "("});
    if (one.what->has_type)
      add_words(name, {"sizeof", "("});
    if (one.arguments != one.end)
      add(tokens.slice(one.arguments + 1, one.end - one.arguments - 2));
    if (one.what->has_type)
      add_words(name, {")"});
    add_words(tokens[one.end - 1], {")", ")"});
  }

  // If the specifiers of a lambda expression end here, returns the position at which a GNU
  // attribute belongs to the call operator; else none.
  std::optional<size_t> behind_lambda_parameters() const {
    llvm::ArrayRef<Token> before = made_;
    while (true) {
      before = without_lists(before);
      if (before.empty())
        return std::nullopt;
      const Token &last = before.back();
      if (last.isOneOf(tok::kw_mutable, tok::kw_constexpr, tok::kw_consteval, tok::kw_static,
                       tok::kw_noexcept)) {
        before = before.drop_back();
        continue;
      }
      const auto open = last.is(tok::r_paren) ? opening_bracket(before) : std::nullopt;
      if (!open || *open == 0)
        return std::nullopt;
      const llvm::ArrayRef<Token> head = before.take_front(*open);
      if (!head.back().isOneOf(tok::kw_noexcept, tok::kw_throw, tok::kw___attribute))
        return ends_introducer(head) ? std::optional(before.size()) : std::nullopt;
      before = head.drop_back(); // noexcept(...), or an attribute that this class has added
    }
  }
  // Accepts [captures], <template parameters>, [[attributes]].
  static bool ends_introducer(llvm::ArrayRef<Token> tokens) {
    tokens = without_lists(tokens);
    if (!tokens.empty() && tokens.back().isOneOf(tok::greater, tok::greatergreater)) {
      const auto open = opening_angle(tokens);
      tokens = tokens.take_front(open.value_or(0));
    }
    return !tokens.empty() && tokens.back().is(tok::r_square);
  }

  void add_words(const Token &near, llvm::ArrayRef<llvm::StringRef> words) {
    for (const llvm::StringRef word : words) {
      if (word.empty())
        continue;
      Token &token = made_.emplace_back();
      token.startToken();
      token.setLocation(near.getLocation());
      token.setLength(unsigned(word.size()));
      if (word == "(")
        token.setKind(tok::l_paren);
      else if (word == ")")
        token.setKind(tok::r_paren);
      else if (word == "::")
        token.setKind(tok::coloncolon);
      else if (word == ",")
        token.setKind(tok::comma);
      else if (word == "{")
        token.setKind(tok::l_brace);
      else if (word == "}")
        token.setKind(tok::r_brace);
      else {
        token.setIdentifierInfo(preprocessor_.getIdentifierInfo(word));
        token.setKind(token.getIdentifierInfo()->getTokenID());
      }
    }
  }

  clang::Preprocessor &preprocessor_;
  Tokens made_;
};

// Reads each declaration ahead of the parser, which then gets the changed tokens. All lookahead and
// tentative parsing of the parser stays within one declaration.
class DeclarationReader {
public:
  explicit DeclarationReader(clang::Preprocessor &preprocessor) : preprocessor_(preprocessor) {}

  void on_token(const Token &first) {
    // The watcher also sees the tokens that this class reads. During tentative parsing, the parser
    // caches the tokens that it reads, and would get the tokens after them twice.
    if (is_reading_ || preprocessor_.isBacktrackEnabled() || first.is(tok::eof))
      return;
    is_reading_ = true;
    const int opened = read(first);
    is_reading_ = false;
    Rewriter rewriter(preprocessor_);
    if (scopes_ == 0 && defines_sycl())
      rewriter.add_reopened(read_);
    else
      rewriter.add(read_);
    scopes_ += opened;
    const Tokens &made = rewriter.made(); // begins with `first`, which the parser already has
    if (made.size() == 1)
      return;
    auto rest = std::make_unique<Token[]>(made.size() - 1);
    std::copy(made.begin() + 1, made.end(), rest.get());
    preprocessor_.EnterTokenStream(std::move(rest), unsigned(made.size() - 1),
                                   /*DisableMacroExpansion=*/true, /*IsReinject=*/true);
  }

private:
  // Returns the number of brackets that stay open: 1 at the head of a namespace, -1 at its end.
  int read(const Token &first) {
    read_.assign(1, first);
    int depth = 0;
    while (!ends_with_last(depth)) {
      Token next;
      preprocessor_.Lex(next);
      read_.push_back(next);
    }
    return depth;
  }
  // The declarations of a namespace are read one by one.
  bool ends_with_last(int &depth) const {
    const Token &last = read_.back();
    depth += opens(last) - closes(last);
    if (last.is(tok::eof) || (last.is(tok::unknown) && read_.size() > 1))
      return true;
    if (last.is(tok::l_brace) && depth == 1)
      return begins_namespace();
    return depth < 0 || (depth == 0 && last.isOneOf(tok::semi, tok::r_brace));
  }
  bool begins_namespace() const {
    const bool is_inline = read_.front().is(tok::kw_inline) && read_.size() > 1;
    return read_[is_inline].is(tok::kw_namespace) ||
           (read_.size() == 3 && read_.front().is(tok::kw_extern) &&
            tok::isStringLiteral(read_[1].getKind()));
  }

  // Returns true for `namespace sycl = cl::sycl;`.
  bool defines_sycl() const {
    const auto is = [&](size_t i, llvm::StringRef name) {
      const clang::IdentifierInfo *given = read_[i].getIdentifierInfo();
      return given && given->getName() == name;
    };
    if (read_.size() < 7 || read_.size() > 8 || !is(0, "namespace") || !is(1, "sycl") ||
        read_[2].isNot(tok::equal))
      return false;
    const size_t behind = read_[3].is(tok::coloncolon) ? 4 : 3;
    return read_.size() == behind + 4 && is(behind, "cl") &&
           read_[behind + 1].is(tok::coloncolon) && is(behind + 2, "sycl");
  }

  clang::Preprocessor &preprocessor_;
  Tokens read_;
  int scopes_ = 0; // open namespaces and blocks of extern "C"
  bool is_reading_ = false;
};

// CompilerInstance creates the preprocessor when its action begins, and passes it to dependency
// collectors.
class Attachment : public clang::DependencyCollector {
  void attachToPreprocessor(clang::Preprocessor &preprocessor) override {
    preprocessor.setTokenWatcher([reader = DeclarationReader(preprocessor)](
                                     const Token &token) mutable { reader.on_token(token); });
  }
  void attachToASTReader(clang::ASTReader &) override {}
};

bool parses(clang::frontend::ActionKind action) {
  namespace frontend = clang::frontend;
  return !llvm::is_contained({frontend::PrintPreprocessedInput, frontend::RunPreprocessorOnly,
                              frontend::RewriteMacros, frontend::RewriteTest, frontend::DumpTokens,
                              frontend::DumpRawTokens, frontend::InitOnly,
                              frontend::PrintDependencyDirectivesSourceMinimizerOutput},
                             action);
}

} // namespace

void change_attribute_tokens(clang::CompilerInstance &compiler) {
  if (parses(compiler.getFrontendOpts().ProgramAction))
    compiler.addDependencyCollector(std::make_shared<Attachment>());
}

} // namespace lockstep::driver
