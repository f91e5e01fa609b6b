// Kernels that compute indices of their ids in all types of integers, with the conversions that C
// makes of them. Compilers look in such expressions for rows, columns and neighbors, where an index
// that wraps in a narrow type must not be taken for one that does not.
#include "idiom.h"

#include <algorithm>
#include <memory>

namespace lockstep::fuzz::idioms {

namespace {

struct Item {
  std::array<int64_t, 2> id, me, group;              // by dimension
  int64_t linear, local_linear, group_linear, items; // without the offset; of the group
  int64_t k = 0;                                     // of a loop
};

// C leaves the result open: overflow of a signed number, or a shift that is too far.
struct Undefined {};

struct Expression {
  std::string text;
  Element type;
  std::function<int64_t(const Item &)> value;
};

const Element &type_long() {
  static const Element type{"long", 8, true, false};
  return type;
}
const Element &type_ulong() {
  static const Element type{"ulong", 8, false, false};
  return type;
}

// Integer promotion.
Element promoted(const Element &type) {
  return type.bytes < 4 ? type_int : type;
}

// The usual arithmetic conversions.
Element common(const Element &a, const Element &b) {
  const Element p = promoted(a), q = promoted(b);
  if (p.bytes != q.bytes)
    return p.bytes > q.bytes ? p : q;
  return p.is_signed ? q : p;
}

// Numbers of ulong are the int64_t of the same bits.
int64_t checked(const Element &type, __int128 exact) {
  if (type.is_signed) {
    const __int128 most = (__int128{1} << (8 * type.bytes - 1)) - 1;
    if (exact > most || exact < -most - 1)
      throw Undefined();
    return int64_t(exact);
  }
  return wrapped(type, int64_t(uint64_t(exact)));
}

__int128 exact(const Element &type, int64_t number) {
  return type.is_signed || type.bytes < 8 ? __int128(number) : __int128(uint64_t(number));
}

class Indices {
public:
  explicit Indices(Speller &s, Idiom &idiom) : s_(s) {
    static const std::vector<int64_t> widths = {1,  2,  4,  7,  8,  16,  16, 20,
                                                32, 32, 48, 64, 64, 128, 256};
    width_ = parameter(idiom, "w", s.random.pick(widths));
    for (const char *name : {"p", "q"})
      leaves_.push_back(parameter(idiom, name, s.between(0, 40)));
  }
  void add(const std::string &name, const Element &type,
           std::function<int64_t(const Item &)> value) {
    leaves_.push_back({name, type, std::move(value)});
  }

  Expression make(unsigned depth) {
    if (depth == 0 || s_.chance(15))
      return leaf();
    switch (s_.between(0, 7)) {
    case 0:
      return cast(any_type(), make(depth - 1));
    case 7:
      return by_width(make(depth - 1));
    case 1:
    case 2:
      return by_constant(make(depth - 1));
    case 3:
      return choice(depth);
    default:
      return binary(s_.pick({"+", "+", "-", "*", "&", "|", "^"}), make(depth - 1), make(depth - 1));
    }
  }
  Expression literal(int64_t number) {
    return {std::to_string(number), type_int, [=](const Item &) { return number; }};
  }
  Expression leaf() {
    return s_.chance(15) ? literal(s_.between(0, 300)) : s_.random.pick(leaves_);
  }
  Expression cast(const Element &type, const Expression &of) {
    return {std::string("(") + type.name + ")(" + of.text + ")", type,
            [=](const Item &item) { return wrapped(type, of.value(item)); }};
  }
  Expression binary(const std::string &sign, const Expression &a, const Expression &b) {
    const Element type = common(a.type, b.type);
    const char op = sign[0];
    return {"(" + a.text + " " + sign + " " + b.text + ")", type, [=](const Item &item) {
              const int64_t p = wrapped(type, a.value(item)), q = wrapped(type, b.value(item));
              const __int128 x = exact(type, p), y = exact(type, q);
              switch (op) {
              case '+':
                return checked(type, x + y);
              case '-':
                return checked(type, x - y);
              case '*':
                if (!type.is_signed)
                  return wrapped(type, int64_t(uint64_t(p) * uint64_t(q)));
                return checked(type, x * y);
              case '&':
                return p & q;
              case '|':
                return p | q;
              default:
                return p ^ q;
              }
            }};
  }
  Expression compare(const Expression &a, const Expression &b) {
    const Element type = common(a.type, b.type);
    const std::string sign = s_.pick({"<", "<=", ">", ">=", "==", "!="});
    return {"(" + a.text + " " + sign + " " + b.text + ")", type_int, [=](const Item &item) {
              const __int128 x = exact(type, wrapped(type, a.value(item))),
                             y = exact(type, wrapped(type, b.value(item)));
              const bool is_less = sign[0] == '<' ? x < y : sign[0] == '>' ? y < x : false;
              const bool is = sign == "=="   ? x == y
                              : sign == "!=" ? x != y
                                             : is_less || (sign.size() == 2 && x == y);
              return int64_t(is);
            }};
  }
  // A row or a column, of rows whose width the compiler does not know.
  Expression by_width(const Expression &a) {
    const Element type = common(a.type, width_.type);
    const bool is_row = s_.chance(50);
    return {"(" + a.text + (is_row ? " / " : " % ") + width_.text + ")", type,
            [=, w = width_](const Item &item) {
              const __int128 x = exact(type, wrapped(type, a.value(item))), y = w.value(item);
              return checked(type, is_row ? x / y : x % y);
            }};
  }
  // A multiple, a quotient, a remainder, or a shift.
  Expression by_constant(const Expression &a) {
    const std::string sign = s_.pick({"*", "/", "%", "<<", ">>", "&"});
    const bool shifts = sign.size() == 2;
    static const std::vector<int64_t> numbers = {1,  2,  3,  4,  5,  7,   8,   15, 16,
                                                 31, 32, 48, 63, 64, 127, 255, 256};
    const int64_t number = shifts ? s_.between(0, 6) : s_.random.pick(numbers);
    const bool is_unsigned = s_.chance(30);
    const Element type =
        shifts ? promoted(a.type) : common(a.type, is_unsigned ? type_uint : type_int);
    return {"(" + a.text + " " + sign + " " + std::to_string(number) + (is_unsigned ? "u" : "") +
                ")",
            type, [=](const Item &item) {
              const int64_t p = wrapped(type, a.value(item));
              const __int128 x = exact(type, p);
              if (sign == "*")
                return checked(type, x * number);
              if (sign == "/")
                return checked(type, x / number);
              if (sign == "%")
                return checked(type, x % number);
              if (sign == "&")
                return p & number;
              if (sign == ">>")
                return checked(type, x >> number);
              if (type.is_signed && x < 0)
                throw Undefined();
              return checked(type, x << number);
            }};
  }
  Expression choice(unsigned depth) {
    const Expression is = compare(make(depth - 1), make(depth - 1)), a = make(depth - 1),
                     b = make(depth - 1);
    const Element type = common(a.type, b.type);
    return {"(" + is.text + " ? " + a.text + " : " + b.text + ")", type, [=](const Item &item) {
              const Expression &taken = is.value(item) ? a : b;
              return wrapped(type, taken.value(item));
            }};
  }
  Element any_type() {
    static const std::vector<Element> types = {type_int,
                                               type_uint,
                                               {"uchar", 1, false, false},
                                               {"char", 1, true, false},
                                               {"ushort", 2, false, false},
                                               {"short", 2, true, false},
                                               type_long(),
                                               type_ulong()};
    return s_.random.pick(types);
  }
  // A number below `size` that the expression gives.
  Expression within(const Expression &a, std::size_t size) {
    const auto number = int64_t(size);
    const bool is_power = (size & (size - 1)) == 0;
    if (is_power && s_.chance(60))
      return binary("&", a, literal(number - 1));
    const Element type = s_.chance(70) ? type_uint : type_ulong();
    const Expression of = cast(type, a);
    return {"(" + of.text + " % " + std::to_string(number) + ")", type,
            [=](const Item &item) { return int64_t(exact(type, of.value(item)) % number); }};
  }

private:
  Expression parameter(Idiom &idiom, const std::string &name, int64_t number) {
    const std::string text = s_.parameter(idiom, name, number);
    const Element type = text == name ? idiom.arguments.back().type : type_int;
    return {text, type, [=](const Item &) { return number; }};
  }

  Speller &s_;
  Expression width_;
  std::vector<Expression> leaves_;
};

// An index that differs between all items: of 0 to count - 1.
Expression any_order(Speller &s, const std::string &i, std::size_t count,
                     const std::function<int64_t(const Item &)> &id) {
  const std::string n = std::to_string(count), last = std::to_string(count - 1);
  const auto all = int64_t(count);
  const bool is_power = (count & (count - 1)) == 0;
  const int64_t c = s.between(0, unsigned(count - 1));
  const std::string number = std::to_string(c);
  int64_t width = s.between(1, 16);
  while (all % width)
    --width;
  const std::string w = std::to_string(width), h = std::to_string(all / width);
  switch (s.between(0, is_power ? 6 : 4)) {
  case 0:
    return {last + " - " + i, type_int, [=](const Item &item) { return all - 1 - id(item); }};
  case 1:
    return {"(" + i + " + " + number + ") % " + n, type_int,
            [=](const Item &item) { return (id(item) + c) % all; }};
  case 2:
    return {i + " % " + w + " * " + h + " + " + i + " / " + w, type_int,
            [=](const Item &item) { return id(item) % width * (all / width) + id(item) / width; }};
  case 3:
    return {i + " / " + w + " * " + w + " + (" + w + " - 1 - " + i + " % " + w + ")", type_int,
            [=](const Item &item) {
              return id(item) / width * width + (width - 1 - id(item) % width);
            }};
  case 5:
    return {i + " ^ " + number, type_int, [=](const Item &item) { return id(item) ^ c; }};
  case 6:
    return {"(uint)" + i + " * " + std::to_string(2 * c + 1) + "u & " + last, type_int,
            [=](const Item &item) { return id(item) * (2 * c + 1) & (all - 1); }};
  default:
    return {i, type_int, id};
  }
}

struct Statement {
  std::string text;
  std::function<int64_t(Item, int64_t)> run; // returns the new sum
};

Statement sum_of(const Expression &what, unsigned factor) {
  return {"  sum += " + what.text + " * " + std::to_string(factor) + ";\n",
          [=](const Item &item, int64_t sum) { return sum + what.value(item) * factor; }};
}

Statement either(const Expression &is, const Statement &yes, const Statement *no) {
  return {"  if (" + is.text + ") {\n" + yes.text + (no ? "  } else {\n" + no->text : "") + "  }\n",
          [=, otherwise = no ? no->run : nullptr](const Item &item, int64_t sum) {
            if (is.value(item))
              return yes.run(item, sum);
            return otherwise ? otherwise(item, sum) : sum;
          }};
}

// Its counter has any type, and occurs in the indices.
Statement sum_in_loop(Speller &s, const Indices &indices,
                      const std::shared_ptr<const Numbers> &input) {
  Indices inside = indices;
  const Expression end = inside.within(inside.make(s.between(0, 2)), 20);
  const Element type = inside.any_type();
  inside.add("k", type, [](const Item &item) { return item.k; });
  const Expression at = inside.within(inside.make(s.between(1, 3)), input->size());
  const int64_t step = s.between(1, 5);
  const bool falls = s.chance(30);
  const std::string by = std::to_string(step);
  return {std::string("  for (") + type.name + " k = " + (falls ? end.text : "0") + "; " +
              (falls ? "k >= " + by : "k < " + end.text) + "; k " + (falls ? "-= " : "+= ") + by +
              ")\n    sum += in[" + at.text + "];\n",
          [=](Item item, int64_t sum) {
            const int64_t last = end.value(item);
            for (item.k = falls ? last : 0; falls ? item.k >= step : item.k < last;
                 item.k += falls ? -step : step)
              sum += (*input)[std::size_t(at.value(item))];
            return sum;
          }};
}

// All items of a launch of one or two dimensions, by their linear ids.
std::vector<Item> choose_items(Speller &s, Idiom &idiom) {
  static const std::vector<std::array<std::size_t, 2>> lines = {{1, 1},   {4, 1},  {8, 1},
                                                                {16, 1},  {24, 1}, {32, 1},
                                                                {64, 1},  {64, 1}, {100, 1},
                                                                {128, 1}, {256, 1}},
                                                       areas = {{16, 1}, {8, 8},  {16, 4},
                                                                {32, 2}, {4, 4},  {16, 16},
                                                                {1, 16}, {10, 3}, {64, 2}};
  idiom.dimensions = s.chance(60) ? 1 : 2;
  idiom.local = s.random.pick(idiom.dimensions == 1 ? lines : areas);
  for (unsigned d = 0; d < idiom.dimensions; ++d) {
    idiom.global[d] = idiom.local[d] * s.between(1, idiom.dimensions == 1 ? 6 : 3);
    idiom.offset[d] = s.chance(15) ? s.between(1, 300) : 0;
  }
  std::vector<Item> items;
  const auto width = int64_t(idiom.global[0]), columns = int64_t(idiom.local[0]),
             lines_of_group = int64_t(idiom.local[1]);
  for (int64_t y = 0; y < int64_t(idiom.global[1]); ++y)
    for (int64_t x = 0; x < width; ++x) {
      Item item{.id = {x + int64_t(idiom.offset[0]), y + int64_t(idiom.offset[1])},
                .me = {x % columns, y % lines_of_group},
                .group = {x / columns, y / lines_of_group},
                .linear = y * width + x,
                .local_linear = 0,
                .group_linear = 0,
                .items = columns * lines_of_group};
      item.local_linear = item.me[1] * columns + item.me[0];
      item.group_linear = item.group[1] * (width / columns) + item.group[0];
      items.push_back(item);
    }
  return items;
}

void declare_ids(Speller &s, Idiom &idiom, Indices &indices) {
  using Get = int64_t (*)(const Item &);
  struct Id {
    std::string name, call;
    Get get;
  };
  const bool shifts = idiom.offset[0] != 0;
  std::vector<Id> ids = {
      {"i", shifts ? "get_global_id(0)" : s.global_id(0, idiom.local[0]),
       [](const Item &item) { return item.id[0]; }},
      {"me", "get_local_id(0)", [](const Item &item) { return item.me[0]; }},
      {"group", "get_group_id(0)", [](const Item &item) { return item.group[0]; }}};
  if (s.chance(30))
    ids.push_back({"lin", "get_global_linear_id()", [](const Item &item) { return item.linear; }});
  if (s.chance(30))
    ids.push_back(
        {"place", "get_local_linear_id()", [](const Item &item) { return item.local_linear; }});
  if (idiom.dimensions == 2) {
    ids.push_back({"j", idiom.offset[1] ? "get_global_id(1)" : s.global_id(1, idiom.local[1]),
                   [](const Item &item) { return item.id[1]; }});
    ids.push_back({"my", "get_local_id(1)", [](const Item &item) { return item.me[1]; }});
  }
  for (const Id &id : ids) {
    const Element type = indices.any_type();
    idiom.body += std::string("  const ") + type.name + " " + id.name + " = " + id.call + ";\n";
    indices.add(id.name, type,
                [type, get = id.get](const Item &item) { return wrapped(type, get(item)); });
  }
}

// Atomic updates of counters, in any order.
class Updates {
public:
  Updates(Speller &s, Idiom &idiom) : s_(s), kind_(s.between(0, 6)) {
    type_ = s.chance(50) ? type_int : type_uint;
    const int64_t first = kind_ == 4 ? -1 : kind_ == 2 ? 1'000'000 : 0;
    before_ = Numbers(s.between(1, 40), first);
    counts_ = std::make_shared<Numbers>(before_);
    by_swap_ = kind_ == 0 && s.chance(25);
    if (by_swap_)
      idiom.functions +=
          std::string("void add(volatile global ") + type_.name +
          " *to, int number) {\n  int old, seen = *to;\n  do {\n    old = seen;\n    "
          "seen = atomic_cmpxchg(to, old, old + number);\n  } while (seen != "
          "old);\n}\n";
  }
  Statement make(Indices &indices, const Expression &value) {
    static const char *const names[] = {"add", "sub", "min", "max", "and", "or", "xor"};
    static const std::vector<Update> updates = {[](int64_t a, int64_t b) { return a + b; },
                                                [](int64_t a, int64_t b) { return a - b; },
                                                [](int64_t a, int64_t b) { return std::min(a, b); },
                                                [](int64_t a, int64_t b) { return std::max(a, b); },
                                                [](int64_t a, int64_t b) { return a & b; },
                                                [](int64_t a, int64_t b) { return a | b; },
                                                [](int64_t a, int64_t b) { return a ^ b; }};
    const bool counts = kind_ < 2 && !by_swap_ && s_.chance(30);
    const Expression at = indices.within(indices.make(s_.between(0, 3)), before_.size());
    const std::string to = s_.pick({"&counts[" + at.text + "]", "counts + " + at.text});
    const std::string text =
        by_swap_ ? "add(" + to + ", " + value.text + ")"
        : counts ? std::string(kind_ == 0 ? "atomic_inc(" : "atomic_dec(") + to + ")"
                 : std::string("atomic_") + names[kind_] + "(" + to + ", (" + type_.name + ")" +
                       value.text + ")";
    return {"  " + text + ";\n",
            [=, run = updates[kind_], all = counts_](const Item &item, int64_t sum) {
              int64_t &count = (*all)[std::size_t(at.value(item))];
              count = run(count, counts ? 1 : value.value(item));
              return sum;
            }};
  }
  Argument argument() const {
    Argument all = result("counts", type_, before_, *counts_);
    all.qualifier = "volatile global";
    return all;
  }

private:
  using Update = int64_t (*)(int64_t, int64_t);
  Speller &s_;
  const unsigned kind_;
  bool by_swap_ = false;
  Element type_{};
  Numbers before_;
  std::shared_ptr<Numbers> counts_;
};

Idiom try_indices(Speller &s) {
  Idiom idiom;
  const std::vector<Item> items = choose_items(s, idiom);
  const std::size_t local = std::size_t(items[0].items), count = items.size(),
                    size = s.chance(60) ? std::size_t{1} << s.between(3, 9) : s.between(1, 400);
  Indices indices(s, idiom);
  declare_ids(s, idiom, indices);
  const Element type_in = s.integer();
  Argument in = buffer("in", type_in, s.numbers(size));
  const auto input = std::make_shared<const Numbers>(in.numbers);
  const bool has_tile = s.chance(40);
  const Expression filled = indices.within(indices.make(s.between(0, 3)), size);
  const auto tiles = std::make_shared<Numbers>(count);
  auto tile_at = [](const Item &item, int64_t at) {
    return std::size_t(item.group_linear * item.items + at);
  };
  if (has_tile) {
    idiom.body += "  local int tile[" + std::to_string(local) +
                  "];\n  tile[get_local_linear_id()] = in[" + filled.text + "];\n" + s.barrier();
    for (const Item &item : items)
      (*tiles)[tile_at(item, item.local_linear)] = (*input)[std::size_t(filled.value(item))];
  }
  auto load = [&] {
    const bool of_tile = has_tile && s.chance(50);
    const Expression at = indices.within(indices.make(s.between(1, 4)), of_tile ? local : size);
    if (of_tile)
      return Expression{"tile[" + at.text + "]", type_int,
                        [=](const Item &item) { return (*tiles)[tile_at(item, at.value(item))]; }};
    return Expression{"in[" + at.text + "]", type_in,
                      [=](const Item &item) { return (*input)[std::size_t(at.value(item))]; }};
  };
  Updates updates(s, idiom);
  auto simple = [&] {
    const Expression value = load();
    return s.chance(35) ? updates.make(indices, value) : sum_of(value, s.between(1, 9));
  };
  std::vector<Statement> statements;
  for (unsigned k = s.between(1, 3); k > 0; --k)
    switch (s.between(0, 2)) {
    case 0:
      statements.push_back(simple());
      break;
    case 1: {
      const Expression is =
          indices.compare(indices.make(s.between(1, 3)), indices.make(s.between(0, 2)));
      const Statement yes = simple(), no = simple();
      statements.push_back(either(is, yes, s.chance(40) ? &no : nullptr));
      break;
    }
    default:
      statements.push_back(sum_in_loop(s, indices, input));
    }
  const Expression to = any_order(s, "id", count, [](const Item &item) { return item.linear; });
  idiom.body += "  int sum = 0;\n  const int id = get_global_linear_id();\n";
  for (const Statement &each : statements)
    idiom.body += each.text;
  idiom.body += "  out[" + to.text + "] = sum;\n";
  Numbers expected(count);
  for (const Item &item : items) {
    int64_t sum = 0;
    for (const Statement &each : statements)
      sum = each.run(item, sum);
    expected[std::size_t(to.value(item))] = sum;
  }
  idiom.arguments.push_back(std::move(in));
  idiom.arguments.push_back(updates.argument());
  idiom.arguments.push_back(
      result("out", s.chance(50) ? type_int : s.integer(), s.numbers(count), expected));
  return idiom;
}

} // namespace

Idiom make_indices(Speller &s) {
  for (;;)
    try {
      return try_indices(s);
    } catch (const Undefined &) {
    }
}

} // namespace lockstep::fuzz::idioms
