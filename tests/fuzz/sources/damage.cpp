#include "damage.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace lockstep::fuzz {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
}

std::string repeated(size_t count, std::string_view text) {
  std::string result;
  result.reserve(count * text.size());
  for (size_t i = 0; i < count; ++i)
    result += text;
  return result;
}

// A number from one to `most`; each order of magnitude is equally likely.
uint32_t some(Random &random, uint32_t most) {
  uint32_t limit = 1;
  while (limit < most && random.chance(75))
    limit *= 4;
  return 1 + random.below(std::min(limit, most));
}

const std::vector<std::string> words = {"if",
                                        "else",
                                        "while",
                                        "for",
                                        "do",
                                        "switch",
                                        "case",
                                        "default",
                                        "goto",
                                        "return",
                                        "break",
                                        "continue",
                                        "sizeof",
                                        "typedef",
                                        "struct",
                                        "union",
                                        "enum",
                                        "extern",
                                        "static",
                                        "inline",
                                        "kernel",
                                        "global",
                                        "local",
                                        "constant",
                                        "private",
                                        "generic",
                                        "const",
                                        "volatile",
                                        "restrict",
                                        "void",
                                        "bool",
                                        "char",
                                        "short",
                                        "int",
                                        "long",
                                        "float",
                                        "double",
                                        "half",
                                        "size_t",
                                        "event_t",
                                        "uchar3",
                                        "int4",
                                        "float16",
                                        "double8",
                                        "half3",
                                        "image2d_t",
                                        "image3d_t",
                                        "sampler_t",
                                        "queue_t",
                                        "clk_event_t",
                                        "pipe",
                                        "reserve_id_t",
                                        "atomic_int",
                                        "atomic_flag",
                                        "read_only",
                                        "write_only",
                                        "read_write",
                                        "__attribute__",
                                        "__builtin_astype",
                                        "asm",
                                        "typeof",
                                        "_Generic",
                                        "_Bool",
                                        "_Atomic",
                                        "_BitInt(128)",
                                        "__block",
                                        "this",
                                        "new",
                                        "get_global_id",
                                        "barrier",
                                        "read_imagef",
                                        "write_imagei",
                                        "enqueue_kernel",
                                        "work_group_barrier",
                                        "printf",
                                        "as_float4",
                                        "convert_int4_sat_rte",
                                        "vload3",
                                        "atomic_fetch_add",
                                        "sub_group_shuffle",
                                        "(",
                                        ")",
                                        "{",
                                        "}",
                                        "[",
                                        "]",
                                        ";",
                                        ",",
                                        "+",
                                        "-",
                                        "*",
                                        "/",
                                        "%",
                                        "&",
                                        "|",
                                        "^",
                                        "<<",
                                        ">>",
                                        "&&",
                                        "||",
                                        "!",
                                        "~",
                                        "?",
                                        ":",
                                        "=",
                                        "+=",
                                        "==",
                                        "->",
                                        ".",
                                        "...",
                                        "#",
                                        "##",
                                        "\\\n",
                                        "0",
                                        "1",
                                        "-1",
                                        "0x7fffffff",
                                        "0xffffffffffffffff",
                                        "1e400",
                                        "1e-400f",
                                        "0x1p-1074",
                                        "1.0h",
                                        "'\\xff'",
                                        "\"\"",
                                        "NAN"};

const std::vector<std::string> attributes = {
    "__attribute__((reqd_work_group_size(0,1,1)))",
    "__attribute__((reqd_work_group_size(65536,65536,65536)))",
    "__attribute__((work_group_size_hint(4294967295,1,1)))",
    "__attribute__((vec_type_hint(void)))",
    "__attribute__((intel_reqd_sub_group_size(3)))",
    "__attribute__((aligned(1073741824)))",
    "__attribute__((vector_size(1048576)))",
    "__attribute__((ext_vector_type(1000)))",
    "__attribute__((address_space(7)))",
    "__attribute__((packed,noinline,overloadable))",
    "__attribute__((opencl_unroll_hint(2147483647)))",
    "__attribute__((always_inline)) __attribute__((noinline))"};

const std::vector<std::string> directives = {"\n#include __FILE__\n",
                                             "\n#include \"damaged.h\"\n",
                                             "\n#include \"nothing/there.h\"\n",
                                             "\n#include </dev/null>\n",
                                             "\n#include \"/proc/self/mem\"\n",
                                             "\n#include \"/dev/zero\"\n",
                                             "\n#define int float\n",
                                             "\n#define kernel\n",
                                             "\n#define A(x) A(x A(x))\nA(A(A(1)))\n",
                                             "\n#define B B B\nB\n",
                                             "\n#if 1\n",
                                             "\n#if 1/0\n",
                                             "\n#else\n",
                                             "\n#endif\n",
                                             "\n#error \xff\xfe\n",
                                             "\n#line 4294967295 \"a\\\"b\"\n",
                                             "\n#pragma OPENCL EXTENSION all : enable\n",
                                             "\n#pragma OPENCL EXTENSION cl_khr_fp64 : disable\n",
                                             "\n#pragma unroll 1000000\n",
                                             "\n#pragma clang loop vectorize_width(3)\n",
                                             "\n#pragma pack(push, 3)\n",
                                             "\n_Static_assert(0, \"\");\n"};

// Constructs that nest: text before, text after.
const std::vector<std::pair<std::string, std::string>> nests = {{"(", ")"},
                                                                {"{", "}"},
                                                                {"[", "]"},
                                                                {"-", ""},
                                                                {"!", ""},
                                                                {"~", ""},
                                                                {"*", ""},
                                                                {"&", ""},
                                                                {"(int)", ""},
                                                                {"1?", ":0"},
                                                                {"1+", ""},
                                                                {"if(1)", ""},
                                                                {"if(1);else ", ""},
                                                                {"while(1)", ""},
                                                                {"for(;;)", ""},
                                                                {"do ", "while(1);"},
                                                                {"switch(1){case 1:", "}"},
                                                                {"struct{", "}a;"},
                                                                {"(int4)(1,", ")"},
                                                                {"sizeof(", ")"},
                                                                {"a(", ")"},
                                                                {"a[", "]"},
                                                                {"a,", ""},
                                                                {"\"a\"", ""},
                                                                {"^(){", "}"},
                                                                {"#if 1\n", "\n#endif\n"},
                                                                {"/*", "*/"},
                                                                {"typeof(", ")"}};

std::string huge(Random &random) {
  const uint32_t length = some(random, 1 << 18);
  switch (random.below(9)) {
  case 0:
    return repeated(length, "9");
  case 1:
    return "0x" + repeated(length, "f") + "ull";
  case 2:
    return "1." + repeated(length, "3") + "f";
  case 3:
    return "1e" + repeated(length, "9");
  case 4:
    return "\"" + repeated(length, "s") + "\"";
  case 5:
    return "'" + repeated(length, "c") + "'";
  case 6:
    return repeated(length, "identifier");
  case 7:
    return "int a[" + std::to_string(random.next()) + "] = {[" + std::to_string(random.next()) +
           "] = 1};";
  default:
    return "0x1." + repeated(length, "8") + "p" + std::to_string(random.next());
  }
}

class Damage {
public:
  Damage(const std::string &source, const std::string &other, Random &random)
      : tokens_(split(source)), other_(split(other)), random_(random) {}

  void one() {
    switch (random_.weighted({10, 10, 10, 10, 10, 10, 8, 8, 6, 6, 6, 4, 60})) {
    case 0: // dropped
      tokens_.erase(tokens_.begin() + long(place()), tokens_.begin() + long(place_after(8)));
      break;
    case 1: // duplicated
      insert(some_of(tokens_, 16));
      break;
    case 2:
      std::swap(tokens_[place()], tokens_[place()]);
      break;
    case 3:
      tokens_[place()] = random_.pick(words);
      break;
    case 4:
      insert(random_.pick(words) + " ");
      break;
    case 5: // from another program
      insert(some_of(other_, 64));
      break;
    case 6:
      insert(random_.pick(attributes) + " ");
      break;
    case 7:
      insert(random_.pick(directives));
      break;
    case 8:
      nest();
      break;
    case 9:
      insert(huge(random_));
      break;
    case 10:
      bytes();
      break;
    case 11: // truncated
      tokens_.resize(place() + 1);
      break;
    default:
      change_slightly();
    }
    if (tokens_.empty())
      tokens_.push_back(";");
  }

  std::string text() const {
    std::string all;
    for (const std::string &token : tokens_)
      all += token;
    return all;
  }

private:
  size_t place() {
    first_ = random_.below(uint32_t(tokens_.size()));
    return first_;
  }
  size_t place_after(uint32_t most) {
    return std::min(tokens_.size(), first_ + some(random_, most));
  }
  void insert(const std::string &text) { tokens_.insert(tokens_.begin() + long(place()), text); }

  std::string some_of(const std::vector<std::string> &all, uint32_t most) {
    const size_t begin = random_.below(uint32_t(all.size()));
    std::string text;
    for (size_t i = begin; i < std::min(all.size(), begin + some(random_, most)); ++i)
      text += all[i];
    return text;
  }

  void nest() {
    const auto &[before, after] = random_.pick(nests);
    const uint32_t depth = some(random_, 20000);
    std::string &token = tokens_[place()];
    const bool is_closed = random_.chance(70);
    token = repeated(depth, before) + token + (is_closed ? repeated(depth, after) : "");
  }

  // Changes that often keep the program valid: another number, operator, type or name of the same
  // program.
  void change_slightly() {
    static const std::vector<std::string> numbers = {"0",          "1",  "-1",   "2",    "3",
                                                     "7",          "31", "64",   "255",  "65536",
                                                     "2147483647", "0u", "1.5f", "1e30f"};
    static const std::vector<std::string> operators = {"+", "-", "*", "/", "%",
                                                       "<", ">", "&", "|", "^"};
    static const std::vector<std::string> types = {"char", "uchar", "short", "ushort", "int",
                                                   "uint", "long",  "ulong", "float",  "double",
                                                   "half", "bool",  "size_t"};
    for (int tries = 0; tries < 50; ++tries) {
      std::string &token = tokens_[place()];
      for (const std::vector<std::string> *kind : {&operators, &types})
        if (std::find(kind->begin(), kind->end(), token) != kind->end()) {
          token = random_.pick(*kind);
          return;
        }
      if (std::isdigit(static_cast<unsigned char>(token[0]))) {
        token = random_.pick(numbers);
        return;
      }
      const std::string &another = tokens_[place()];
      if (std::isalpha(static_cast<unsigned char>(token[0])) &&
          std::isalpha(static_cast<unsigned char>(another[0])) && random_.chance(10)) {
        token = another;
        return;
      }
    }
  }

  void bytes() {
    std::string &token = tokens_[place()];
    for (uint32_t i = some(random_, 64); i > 0; --i)
      token.insert(token.begin() + random_.below(uint32_t(token.size()) + 1),
                   char(random_.below(256)));
  }

  std::vector<std::string> tokens_;
  const std::vector<std::string> other_;
  Random &random_;
  size_t first_ = 0;
};

const std::vector<std::string> right_options = {"",
                                                "-cl-std=CL1.1",
                                                "-cl-std=CL1.2",
                                                "-cl-std=CL2.0",
                                                "-cl-std=CL3.0",
                                                "-cl-opt-disable",
                                                "-cl-mad-enable",
                                                "-cl-fast-relaxed-math",
                                                "-cl-denorms-are-zero",
                                                "-cl-single-precision-constant",
                                                "-cl-kernel-arg-info",
                                                "-cl-uniform-work-group-size",
                                                "-Werror",
                                                "-w",
                                                "-g",
                                                "-D N=7",
                                                "-DX",
                                                "-I /nothing/there",
                                                "-I."};
const std::vector<std::string> wrong_options = {"-cl-std=CL9.9",
                                                "-cl-std=",
                                                "-cl-",
                                                "-",
                                                "--",
                                                "-D",
                                                "-D 1=2",
                                                "-D\"",
                                                "-DA=\"a b",
                                                "-I",
                                                "-O3 -Wl,-x",
                                                "-emit-llvm -o /dev/null",
                                                "-fplugin=/dev/null",
                                                "-include /dev/zero",
                                                "@/dev/zero",
                                                "\xff\xfe",
                                                "-x c++",
                                                "-D int=float",
                                                "-D kernel=",
                                                "-DA(x)=A(A(x))"};

} // namespace

std::vector<std::string> split(std::string_view source) {
  std::vector<std::string> tokens;
  for (size_t at = 0; at < source.size();) {
    size_t end = at + 1;
    if (is_word(source[at]))
      while (end < source.size() && is_word(source[end]))
        ++end;
    else if (std::isspace(static_cast<unsigned char>(source[at])))
      while (end < source.size() && std::isspace(static_cast<unsigned char>(source[end])))
        ++end;
    tokens.emplace_back(source.substr(at, end - at));
    at = end;
  }
  return tokens;
}

std::string damaged(const std::string &source, const std::string &other, Random &random) {
  Damage damage(source, other, random);
  for (uint32_t i = random.chance(60) ? 1 : some(random, 6); i > 0; --i)
    damage.one();
  return damage.text();
}

std::string random_options(Random &random, bool may_be_wrong) {
  std::string options;
  for (uint32_t i = random.below(3); i > 0; --i)
    options += random.pick(right_options) + " ";
  if (may_be_wrong)
    options += random.chance(90) ? random.pick(wrong_options) : repeated(some(random, 65536), "-D");
  return options;
}

std::string random_link_options(Random &random) {
  static const std::vector<std::string> all = {"",
                                               "",
                                               "-create-library",
                                               "-create-library -enable-link-options",
                                               "-cl-finite-math-only",
                                               "-cl-std=CL3.0",
                                               "-enable-link-options",
                                               "-nonsense",
                                               "\"",
                                               "-D X"};
  return random.pick(all);
}

} // namespace lockstep::fuzz
