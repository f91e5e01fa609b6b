#include "idiom.h"

namespace lockstep::fuzz::idioms {

int64_t wrapped(const Element &type, int64_t number) {
  if (type.is_float || type.bytes == 8)
    return number;
  const unsigned shift = 64 - 8 * type.bytes;
  const uint64_t high = uint64_t(number) << shift;
  return type.is_signed ? int64_t(high) >> shift : int64_t(high >> shift);
}

Argument buffer(const std::string &name, Element type, Numbers numbers) {
  Argument argument{.type = type, .name = name, .numbers = std::move(numbers)};
  for (int64_t &number : argument.numbers)
    number = wrapped(type, number);
  argument.qualifier = "global const";
  return argument;
}

Argument result(const std::string &name, Element type, Numbers before, Numbers expected) {
  Argument argument = buffer(name, type, std::move(before));
  argument.qualifier = "global";
  argument.expected = std::move(expected);
  for (int64_t &number : argument.expected)
    number = wrapped(type, number);
  return argument;
}

Argument local(const std::string &name, Element type, unsigned elements) {
  return {.kind = Argument::Kind::local,
          .type = type,
          .name = name,
          .local_elements = elements,
          .qualifier = "local"};
}

std::string Idiom::source() const {
  std::string text = functions + attributes + "kernel void tested(";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument &argument = arguments[i];
    text += i ? ", " : "";
    if (argument.kind != Argument::Kind::number)
      text += argument.qualifier + " ";
    text += std::string(argument.type.name) +
            (argument.kind == Argument::Kind::number ? " " : " *") + argument.name;
  }
  return text + ") {\n" + body + "}\n";
}

Element Speller::number() {
  static const std::vector<Element> types = {type_int,
                                             type_float,
                                             type_uint,
                                             {"uchar", 1, false, false},
                                             {"ushort", 2, false, false},
                                             type_int,
                                             type_float,
                                             {"char", 1, true, false},
                                             {"short", 2, true, false},
                                             {"long", 8, true, false},
                                             {"ulong", 8, false, false}};
  return random.pick(types);
}

Element Speller::integer() {
  for (;;)
    if (const Element type = number(); !type.is_float)
      return type;
}

std::string Speller::index_type() {
  return pick({"int", "int", "uint", "size_t", "long", "ushort", "short", "unsigned long"});
}

std::string Speller::global_id(int dimension, std::size_t local) {
  const std::string d = "(" + std::to_string(dimension) + ")";
  const std::string size =
      chance(50) ? "get_local_size" + d : std::to_string(local) + pick({"", "u"});
  return pick({"get_global_id" + d, "get_global_id" + d,
               sum(product("get_group_id" + d, size), "get_local_id" + d),
               "mad24((int)get_group_id" + d + ", (int)" + size + ", (int)get_local_id" + d + ")"});
}

std::string Speller::declare(const std::string &name, const std::string &value) {
  const std::string type = index_type();
  return pick({"  const ", "  "}) + type + " " + name + " = " +
         pick({value, "(" + type + ")(" + value + ")"}) + ";\n";
}

std::string Speller::sum(const std::string &a, const std::string &b) {
  return chance(50) ? "(" + a + " + " + b + ")" : "(" + b + " + " + a + ")";
}

std::string Speller::product(const std::string &a, const std::string &b) {
  return chance(50) ? a + " * " + b : b + " * " + a;
}

std::string Speller::at(const std::string &row, const std::string &width,
                        const std::string &column) {
  switch (between(0, 5)) {
  case 0:
    return "mad24((int)(" + row + "), (int)(" + width + "), (int)(" + column + "))";
  case 1:
    return "(size_t)(" + row + ") * (" + width + ") + (" + column + ")";
  case 2:
    return "(uint)(" + column + ") + (" + width + ") * (uint)(" + row + ")";
  default:
    return sum(product("(" + row + ")", "(" + width + ")"), "(" + column + ")");
  }
}

std::string Speller::less(const std::string &a, const std::string &b) {
  return pick({a + " < " + b, b + " > " + a, "!(" + a + " >= " + b + ")",
               "(int)(" + a + ") <= (int)(" + b + ") - 1", a + " + 1 <= " + b});
}

std::string Speller::guarded(const Texts &conditions, const std::string &body, bool returns) {
  std::string all, none;
  for (const std::string &each : conditions) {
    all += (all.empty() ? "" : " && ") + ("(" + each + ")");
    none += (none.empty() ? "" : " || ") + ("!(" + each + ")");
  }
  switch (returns ? between(0, 4) : between(0, 1)) {
  case 0:
    return "  if (" + all + ") {\n" + body + "  }\n";
  case 1: {
    std::string text, end;
    for (const std::string &each : conditions) {
      text += "  if (" + each + ") {\n";
      end += "  }\n";
    }
    return text + body + end;
  }
  case 2:
    return "  if (" + none + ")\n    return;\n" + body;
  case 3: {
    std::string text;
    for (const std::string &each : conditions)
      text += "  if (!(" + each + "))\n    return;\n";
    return text + body;
  }
  default:
    return "  const bool is_inside = " + all + ";\n  if (!is_inside)\n    return;\n" + body;
  }
}

std::string Speller::loop(const std::string &name, const std::string &from, const std::string &to,
                          const std::string &step, const std::string &body) {
  const std::string type = pick({"int", "int", "uint", "size_t", "long"});
  const std::string bound = "(" + type + ")(" + to + ")", first = "(" + type + ")(" + from + ")";
  switch (between(0, 3)) {
  case 0:
    return "  {\n  " + type + " " + name + " = " + first + ";\n  while (" + name + " < " + bound +
           ") {\n" + body + "  " + name + " += " + step + ";\n  }\n  }\n";
  case 1:
    return "  for (" + type + " " + name + " = " + first + ", end_" + name + " = " + bound + "; " +
           name + " < end_" + name + "; " + name + " = " + name + " + " + step + ") {\n" + body +
           "  }\n";
  default:
    return "  for (" + type + " " + name + " = " + first + "; " + name + " < " + bound + "; " +
           name + " += " + step + ") {\n" + body + "  }\n";
  }
}

std::string Speller::barrier() {
  return pick({"  barrier(CLK_LOCAL_MEM_FENCE);\n", "  barrier(CLK_LOCAL_MEM_FENCE);\n",
               "  work_group_barrier(CLK_LOCAL_MEM_FENCE);\n",
               "  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"});
}

std::string Speller::parameter(Idiom &idiom, const std::string &name, int64_t number) {
  if (chance(15))
    return std::to_string(number);
  static const std::vector<Element> types = {type_int,
                                             type_int,
                                             type_uint,
                                             {"long", 8, true, false},
                                             {"ulong", 8, false, false},
                                             {"ushort", 2, false, false}};
  idiom.arguments.push_back({.kind = Argument::Kind::number,
                             .type = random.pick(types),
                             .name = name,
                             .numbers = {number}});
  return name;
}

Numbers Speller::numbers(std::size_t count, unsigned most) {
  Numbers list(count);
  for (int64_t &number : list)
    number = between(0, most);
  return list;
}

std::size_t Speller::size(unsigned least, unsigned most) {
  return chance(15) ? between(most, 5 * most) : between(least, most);
}

const std::vector<NamedMaker> &makers() {
  static const std::vector<NamedMaker> list = {
      {"map", make_map},
      {"stencil", make_stencil},
      {"transpose", make_transpose},
      {"product", make_product},
      {"tiled product", make_tiled_product},
      {"sparse rows", make_sparse_rows},
      {"reduction", make_reduction},
      {"histogram", make_histogram},
      {"stages", make_stages},
      {"scan", make_scan},
      {"compaction", make_compaction},
      {"pixels", make_pixels},
      {"choices", make_choices},
      {"sort", make_sort},
      {"convolution", make_convolution},
      {"collective", make_collective},
      {"records", make_records},
      {"vectors", make_vectors},
      {"volume", make_volume},
      {"permutation", make_permutation},
      {"blocked product", make_blocked_product},
      {"indices", make_indices},
  };
  return list;
}

} // namespace lockstep::fuzz::idioms
