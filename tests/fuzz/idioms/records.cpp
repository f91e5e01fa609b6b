// Kernels with structures, vectors, three dimensions in one, and indices that are read.
#include "idiom.h"

#include <algorithm>
#include <numeric>

namespace lockstep::fuzz::idioms {

namespace {

void choose_size(Speller &s, Idiom &idiom, std::size_t count) {
  static const std::vector<std::size_t> sizes = {1, 16, 32, 64, 100, 256};
  idiom.local[0] = s.random.pick(sizes);
  idiom.global[0] = rounded_up(std::max<std::size_t>(count, 1), idiom.local[0]);
}

} // namespace

// Records of a few members, passed to functions by value or by pointer.
Idiom make_records(Speller &s) {
  Idiom idiom;
  const std::size_t count = s.size(1, 400), members = s.between(2, 6);
  const std::string n = s.parameter(idiom, "n", int64_t(count));
  const Element type = s.number(), type_sum = type.is_float ? type_float : type_int;
  const std::string t = type.name, sum = type_sum.name, m = std::to_string(members);
  const Numbers in = s.numbers(count * members);
  Numbers expected(count), moved(count * members);
  const std::size_t skipped = s.between(0, unsigned(members - 1));
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < members; ++k) {
      const int64_t value = in[i * members + k];
      moved[i * members + k] = k == skipped ? value + 1 : value * 2;
      expected[i] += value * int64_t(k + 1);
    }
  choose_size(s, idiom, count);
  const bool is_array = s.chance(40);
  auto member = [&](const std::string &of, std::size_t k) {
    return of + (is_array ? "v[" + std::to_string(k) + "]" : "v" + std::to_string(k));
  };
  std::string fields, adds, changes;
  for (std::size_t k = 0; k < members; ++k) {
    fields += is_array ? "" : "  " + t + " v" + std::to_string(k) + ";\n";
    changes += "  " + member("r->", k) + (k == skipped ? " += 1" : " *= 2") + ";\n";
  }
  if (is_array)
    fields = "  " + t + " v[" + m + "];\n";
  const bool by_pointer = s.chance(50);
  const std::string of = by_pointer ? "r->" : "r.";
  for (std::size_t k = 0; k < members; ++k)
    adds += (k ? " + " : "") + member(of, k) + " * " + std::to_string(k + 1);
  idiom.functions = "typedef struct {\n" + fields + "} Record;\n" + sum + " weigh(" +
                    (by_pointer ? "const Record *r" : "Record r") + ") {\n  return " + adds +
                    ";\n}\nRecord change(Record value) {\n  Record *r = &value;\n" + changes +
                    "  return value;\n}\n";
  idiom.body += "  global const Record *from = (global const Record *)in;\n"
                "  global Record *to = (global Record *)moved;\n" +
                s.declare("i", s.global_id(0, idiom.local[0]));
  const std::string call = by_pointer ? "weigh(&r)" : "weigh(r)";
  idiom.body += s.guarded(
      {s.less("i", n)},
      "  const Record r = from[i];\n" +
          s.pick({"  to[i] = change(r);\n  out[i] = " + call + ";\n",
                  "  out[i] = " + call + ";\n  const Record q = change(r);\n  to[i] = q;\n"}),
      true);
  idiom.arguments.push_back(buffer("in", type, in));
  idiom.arguments.push_back(result("moved", type, s.numbers(count * members), moved));
  idiom.arguments.push_back(result("out", type_sum, s.numbers(count), expected));
  return idiom;
}

// Vectors of four, and the rest one by one.
Idiom make_vectors(Speller &s) {
  Idiom idiom;
  const std::size_t count = s.size(1, 900);
  const std::string n = s.parameter(idiom, "n", int64_t(count));
  const Element type = s.number();
  const unsigned lanes = 2U << s.between(0, 2), factor = s.between(1, 5);
  const std::string w = std::to_string(lanes), t = type.name, v = t + w, f = std::to_string(factor);
  const Numbers a = s.numbers(count), b = s.numbers(count);
  Numbers expected(count);
  for (std::size_t i = 0; i < count; ++i)
    expected[i] = a[i] * factor + b[i];
  choose_size(s, idiom, (count + lanes - 1) / lanes);
  idiom.body +=
      s.declare("i", s.global_id(0, idiom.local[0])) + "  const uint first = i * " + w + ";\n";
  const std::string load =
      s.pick({"vload" + w + "(i, P)", "vload" + w + "(0, P + first)",
              "*(global const " + v + " *)(P + first)", "((global const " + v + " *)P)[i]"});
  auto from = [&](const std::string &p) {
    std::string text;
    for (char each : load)
      text += each == 'P' ? p : std::string(1, each);
    return text;
  };
  const std::string value = from("a") + " * (" + t + ")" + f + " + " + from("b");
  const std::string whole = s.pick({"    vstore" + w + "(" + value + ", i, out);\n",
                                    "    *(global " + v + " *)(out + first) = " + value + ";\n"});
  idiom.body += "  if (first + " + w + " <= " + n + ") {\n" + whole +
                "  } else {\n    for (uint k = first; k < " + n + "; ++k)\n      out[k] = a[k] * " +
                f + " + b[k];\n  }\n";
  idiom.arguments.push_back(buffer("a", type, a));
  idiom.arguments.push_back(buffer("b", type, b));
  idiom.arguments.push_back(result("out", type, s.numbers(count), expected));
  return idiom;
}

// A volume whose three indices come of one by division.
Idiom make_volume(Speller &s) {
  Idiom idiom;
  const std::size_t nx = s.size(1, 40), ny = s.between(1, 12), nz = s.between(1, 12),
                    count = nx * ny * nz;
  const std::string x = s.parameter(idiom, "nx", int64_t(nx)),
                    y = s.parameter(idiom, "ny", int64_t(ny)),
                    z = s.parameter(idiom, "nz", int64_t(nz));
  const Element type = s.number(), type_out = type.is_float ? type_float : s.integer();
  const Numbers in = s.numbers(count);
  Numbers expected = s.numbers(count);
  const Numbers before = expected;
  const bool wraps = s.chance(40); // at the ends; otherwise these stay
  for (std::size_t k = 0; k < nz; ++k)
    for (std::size_t j = 0; j < ny; ++j)
      for (std::size_t i = 0; i < nx; ++i) {
        if (!wraps && (i == 0 || i + 1 == nx || j + 1 == ny || k + 1 == nz))
          continue;
        auto of = [&](std::size_t p, std::size_t q, std::size_t r) {
          return in[(r % nz * ny + q % ny) * nx + p % nx];
        };
        expected[(k * ny + j) * nx + i] =
            of(i + nx - 1, j, k) + of(i + 1, j, k) * 2 + of(i, j + 1, k) * 3 + of(i, j, k + 1);
      }
  choose_size(s, idiom, count);
  idiom.body += s.declare("id", s.global_id(0, idiom.local[0]));
  idiom.body += s.pick({s.declare("i", "id % " + x) + s.declare("j", "id / " + x + " % " + y) +
                            s.declare("k", "id / (" + x + " * " + y + ")"),
                        s.declare("k", "id / (" + y + " * " + x + ")") +
                            s.declare("left", "id - k * (" + x + " * " + y + ")") +
                            s.declare("j", "left / " + x) + s.declare("i", "left - j * " + x)});
  const std::string plane = "(" + s.product(x, y) + ")";
  auto at = [&](const std::string &i, const std::string &j, const std::string &k) {
    return "in[" +
           s.pick({"((" + k + ") * " + y + " + (" + j + ")) * " + x + " + (" + i + ")",
                   "(" + i + ") + " + x + " * (" + j + ") + " + plane + " * (" + k + ")"}) +
           "]";
  };
  const std::string left = wraps ? s.pick({"(i + " + x + " - 1) % " + x,
                                           "(i == 0 ? " + x + " - 1 : i - 1)"})
                                 : "i - 1",
                    right = wraps ? s.pick({"(i + 1) % " + x, "(i + 1 == " + x + " ? 0 : i + 1)"})
                                  : "i + 1",
                    down = wraps ? "(j + 1) % " + y : "j + 1",
                    behind = wraps ? "(k + 1) % " + z : "k + 1";
  Speller::Texts conditions = {s.less("k", z)};
  if (!wraps) {
    conditions = {s.less("k + 1", z), s.less("j + 1", y), s.less("i + 1", x), "i > 0"};
    if (s.chance(50))
      std::swap(conditions[1], conditions[3]);
  }
  idiom.body +=
      s.guarded(conditions,
                "  out[" + s.pick({"id", "(k * " + y + " + j) * " + x + " + i"}) +
                    "] = " + at(left, "j", "k") + " + " + at(right, "j", "k") + " * 2 + " +
                    at("i", down, "k") + " * 3 + " + at("i", "j", behind) + ";\n",
                true);
  idiom.arguments.push_back(buffer("in", type, in));
  idiom.arguments.push_back(result("out", type_out, before, expected));
  return idiom;
}

// Through a permutation that is read: from there, or to there.
Idiom make_permutation(Speller &s) {
  Idiom idiom;
  const std::size_t count = s.size(1, 900);
  const std::string n = s.parameter(idiom, "n", int64_t(count));
  const Element type = s.number();
  static const std::vector<Element> index_types = {
      type_int, type_uint, {"ushort", 2, false, false}, {"ulong", 8, false, false}};
  const Numbers in = s.numbers(count);
  Numbers order(count), expected(count);
  std::iota(order.begin(), order.end(), 0);
  const unsigned kind = s.between(0, 2); // random, reversed, by blocks
  for (std::size_t i = count; i-- > 1 && kind == 0;)
    std::swap(order[i], order[s.between(0, unsigned(i))]);
  if (kind == 1)
    std::reverse(order.begin(), order.end());
  for (std::size_t i = 0; i + 8 <= count && kind == 2; i += 8)
    std::reverse(order.begin() + long(i), order.begin() + long(i + 8));
  const bool scatters = s.chance(50);
  for (std::size_t i = 0; i < count; ++i)
    if (scatters)
      expected[std::size_t(order[i])] = in[i] + 1;
    else
      expected[i] = in[std::size_t(order[i])] + 1;
  choose_size(s, idiom, count);
  idiom.body += s.declare("i", s.global_id(0, idiom.local[0]));
  const std::string text =
      scatters ? "  out[order[i]] = in[i] + 1;\n" : "  out[i] = in[order[i]] + 1;\n";
  idiom.body += s.guarded({s.less("i", n)}, text, true);
  idiom.arguments.push_back(buffer("in", type, in));
  idiom.arguments.push_back(buffer("order", s.random.pick(index_types), order));
  idiom.arguments.push_back(result("out", type, s.numbers(count), expected));
  return idiom;
}

} // namespace lockstep::fuzz::idioms
