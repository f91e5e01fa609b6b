// Kernels whose work-items each write elements of their own.
#include "idiom.h"

#include <algorithm>

namespace lockstep::fuzz::idioms {

namespace {

using Texts = Speller::Texts;
using Sizes = std::array<std::size_t, 2>;

// Either both, or one in which x and y are a division apart.
void choose_sizes(Speller &s, Idiom &idiom, std::size_t width, std::size_t height) {
  static const std::vector<Sizes> sizes = {{16, 1}, {8, 8},  {16, 16}, {32, 2}, {4, 16},
                                           {64, 1}, {64, 4}, {1, 1},   {5, 3},  {2, 32}};
  idiom.dimensions = 2;
  idiom.local = s.random.pick(sizes);
  idiom.global = {rounded_up(width, idiom.local[0]), rounded_up(height, idiom.local[1])};
}

void choose_size(Speller &s, Idiom &idiom, std::size_t count) {
  static const std::vector<std::size_t> sizes = {1, 7, 16, 64, 64, 96, 128, 256};
  idiom.dimensions = 1;
  idiom.local = {s.random.pick(sizes), 1};
  idiom.global = {rounded_up(count, idiom.local[0]), 1};
}

Element result_of(Speller &s, const Element &a, const Element &b) {
  return a.is_float || b.is_float ? type_float : s.integer();
}

// Declares x and y, and returns the conditions under which they are inside.
Texts declare_place(Speller &s, Idiom &idiom, const std::string &w, const std::string &h,
                    std::size_t width, std::size_t height) {
  if (s.chance(40)) {
    choose_size(s, idiom, width * height);
    idiom.body += s.declare("i", s.global_id(0, idiom.local[0]));
    const bool rows = s.chance(70);
    idiom.body += s.declare(rows ? "x" : "y", "i % " + (rows ? w : h)) +
                  s.declare(rows ? "y" : "x", "i / " + (rows ? w : h));
    if (s.chance(30))
      return {s.less("x", w), s.less("y", h)};
    return {s.less("i", s.product("(int)(" + w + ")", "(int)(" + h + ")"))};
  }
  const bool swapped = s.chance(25);
  choose_sizes(s, idiom, swapped ? height : width, swapped ? width : height);
  idiom.body += s.declare("x", s.global_id(swapped ? 1 : 0, idiom.local[swapped ? 1 : 0]));
  idiom.body += s.declare("y", s.global_id(swapped ? 0 : 1, idiom.local[swapped ? 0 : 1]));
  Texts conditions = {s.less("x", w), s.less("y", h)};
  if (s.chance(50))
    std::swap(conditions[0], conditions[1]);
  return conditions;
}

// How an array of `width` columns and `height` rows is in memory.
struct Layout {
  bool by_columns = false, mirrored = false;
  unsigned offset = 0;
  std::size_t index(std::size_t x, std::size_t y, std::size_t width, std::size_t height) const {
    const std::size_t column = mirrored ? width - 1 - x : x;
    return offset + (by_columns ? column * height + y : y * width + column);
  }
  std::string text(Speller &s, const std::string &w, const std::string &h) const {
    const std::string column = mirrored ? "(" + w + ") - 1 - x" : "x";
    std::string at = by_columns ? s.at(column, h, "y") : s.at("y", w, column);
    return offset ? s.sum(at, std::to_string(offset)) : at;
  }
};

Layout any_layout(Speller &s) {
  return {s.chance(35), s.chance(15), s.chance(20) ? s.between(1, 9) : 0};
}

} // namespace

Idiom make_map(Speller &s) {
  Idiom idiom;
  const std::size_t width = s.size(1, 70), height = s.size(1, 20);
  const std::string w = s.parameter(idiom, "w", int64_t(width)),
                    h = s.parameter(idiom, "h", int64_t(height));
  const Element type_a = s.number(), type_b = s.number(), type = result_of(s, type_a, type_b);
  const Layout at_a = any_layout(s), at_b = any_layout(s), at_out = any_layout(s);
  const Numbers a = s.numbers(width * height + 9), b = s.numbers(width * height + 9),
                table = s.numbers(16, 255);
  Numbers before = s.numbers(width * height + 9), expected = before;
  const Texts conditions = declare_place(s, idiom, w, h, width, height);
  const unsigned kind = s.between(0, type_a.is_float ? 2 : 4), factor = s.between(1, 9);
  const std::string f = std::to_string(factor), left = "a[" + at_a.text(s, w, h) + "]",
                    right = "b[" + at_b.text(s, w, h) + "]";
  const std::string texts[] = {s.sum(s.product(left, f), right),
                               "(" + left + " > " + right + " ? " + left + " : " + right + ")",
                               s.sum(s.product(left, right), f),
                               "table[(int)" + left + " & 15] + " + right,
                               "(((int)" + left + " >> 1) ^ " + f + ") + " + right};
  idiom.body +=
      s.guarded(conditions, "  out[" + at_out.text(s, w, h) + "] = " + texts[kind] + ";\n", true);
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x) {
      const int64_t p = a[at_a.index(x, y, width, height)], q = b[at_b.index(x, y, width, height)];
      const int64_t values[] = {p * factor + q, std::max(p, q), p * q + factor,
                                table[std::size_t(p)] + q, ((p >> 1) ^ factor) + q};
      expected[at_out.index(x, y, width, height)] = values[kind];
    }
  idiom.arguments.push_back(buffer("a", type_a, a));
  idiom.arguments.push_back(buffer("b", type_b, b));
  idiom.arguments.push_back(buffer("table", {"uchar", 1, false, false}, table));
  if (s.chance(50))
    idiom.arguments.back().qualifier = "constant";
  idiom.arguments.push_back(result("out", type, before, expected));
  return idiom;
}

Idiom make_stencil(Speller &s) {
  Idiom idiom;
  const std::size_t width = s.size(2, 70), height = s.size(2, 20);
  const std::string w = s.parameter(idiom, "w", int64_t(width)),
                    h = s.parameter(idiom, "h", int64_t(height));
  const Element type_in = s.number(), type = result_of(s, type_in, type_in);
  const Numbers in = s.numbers(width * height);
  Numbers before = s.numbers(width * height), expected = before;
  Texts conditions = declare_place(s, idiom, w, h, width, height);
  const bool clamps = s.chance(50);
  auto element = [&](const std::string &x, const std::string &y) {
    return "in[" + s.at(y, w, x) + "]";
  };
  const std::string one = s.pick({"1", "1u"});
  std::string left = "x - " + one, right = "x + " + one, up = "y - " + one, down = "y + " + one;
  if (clamps) {
    left = s.pick({"(x > 0 ? x - 1 : 0)", "max((int)x - 1, 0)"});
    up = s.pick({"(y > 0 ? y - 1 : 0)", "max((int)y - 1, 0)"});
    right = s.pick({"(x + 1 < " + w + " ? x + 1 : x)", "min((int)x + 1, (int)(" + w + ") - 1)"});
    down = s.pick({"(y + 1 < " + h + " ? y + 1 : y)", "min((int)y + 1, (int)(" + h + ") - 1)"});
  } else {
    conditions.push_back(s.pick({"x > 0", "x >= 1", "x != 0"}));
    conditions.push_back(s.pick({"y > 0", "0 < y"}));
    conditions.push_back(s.pick({"x + 1 < " + w, "(int)x < (int)(" + w + ") - 1",
                                 "(uint)x - 1u < (uint)(" + w + ") - 2u"}));
    conditions.push_back(s.pick({"y + 1 < " + h, "(int)y < (int)(" + h + ") - 1"}));
  }
  idiom.body += s.guarded(conditions,
                          "  out[" + s.at("y", w, "x") + "] = " + element("x", "y") + " * 4 + " +
                              element(left, "y") + " + " + element(right, "y") + " + " +
                              element("x", up) + " + " + element("x", down) + ";\n",
                          true);
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x) {
      if (!clamps && (x == 0 || y == 0 || x + 1 == width || y + 1 == height))
        continue;
      auto of = [&](std::size_t column, std::size_t row) { return in[row * width + column]; };
      expected[y * width + x] = of(x, y) * 4 + of(x ? x - 1 : 0, y) +
                                of(std::min(x + 1, width - 1), y) + of(x, y ? y - 1 : 0) +
                                of(x, std::min(y + 1, height - 1));
    }
  idiom.arguments.push_back(buffer("in", type_in, in));
  idiom.arguments.push_back(result("out", type, before, expected));
  return idiom;
}

// By tiles in local memory; a group has as many rows of work-items as the tile has, or fewer.
Idiom make_transpose(Speller &s) {
  Idiom idiom;
  const std::size_t width = s.size(1, 100), height = s.size(1, 100);
  const std::string w = s.parameter(idiom, "w", int64_t(width)),
                    h = s.parameter(idiom, "h", int64_t(height));
  const Element type = s.number();
  const Numbers in = s.numbers(width * height);
  Numbers before = s.numbers(width * height), expected = before;
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x)
      expected[x * height + y] = in[y * width + x];
  const std::size_t tile = std::size_t{4} << s.between(0, 3), rows = tile >> s.between(0, 2);
  const std::string t = std::to_string(tile), r = std::to_string(rows),
                    step = std::to_string(tile + s.between(0, 1));
  idiom.dimensions = 2;
  idiom.local = {tile, rows};
  idiom.global = {rounded_up(width, tile), rounded_up(height, tile) / tile * rows};
  if (s.chance(30))
    idiom.arguments.push_back(local("tile", type, unsigned(tile * (tile + 1))));
  else
    idiom.body += std::string("  local ") + type.name + " tile[" + t + " * " + step + "];\n";
  idiom.body += s.declare("i", "get_local_id(0)") + s.declare("j", "get_local_id(1)") +
                s.declare("x", s.sum(s.product("get_group_id(0)", t), "i")) +
                s.declare("y", s.sum(s.product("get_group_id(1)", t), "j"));
  auto move = [&](const std::string &x, const std::string &y, const std::string &columns,
                  const std::string &lines, const std::string &to) {
    const std::string body = s.guarded({s.less(x, columns), s.less(y, lines)}, to, false);
    return rows == tile ? body : s.loop("k", "0", t, r, body);
  };
  const std::string k = rows == tile ? "" : " + k";
  idiom.body +=
      move("x", "y" + k, w, h,
           "  tile[" + s.at("j" + k, step, "i") + "] = in[" + s.at("y" + k, w, "x") + "];\n");
  idiom.body += s.barrier();
  idiom.body += s.declare("to_x", s.sum(s.product("get_group_id(1)", t), "i")) +
                s.declare("to_y", s.sum(s.product("get_group_id(0)", t), "j"));
  idiom.body += move("to_x", "to_y" + k, h, w,
                     "  out[" + s.at("to_y" + k, h, "to_x") + "] = tile[" +
                         s.at("i", step, "j" + k) + "];\n");
  idiom.arguments.push_back(buffer("in", type, in));
  idiom.arguments.push_back(result("out", type, before, expected));
  return idiom;
}

// Bytes of three channels, at addresses that no vector type is aligned to.
Idiom make_pixels(Speller &s) {
  Idiom idiom;
  const std::size_t count = s.size(1, 600);
  const std::string n = s.parameter(idiom, "n", int64_t(count));
  static const Element byte{"uchar", 1, false, false};
  const Numbers in = s.numbers(3 * count, 255);
  const bool grey = s.chance(50);
  Numbers before = s.numbers(3 * count), expected = before;
  choose_size(s, idiom, count);
  idiom.body += s.declare("i", s.global_id(0, idiom.local[0]));
  std::string load =
      s.pick({"  const uchar3 p = vload3(i, in);\n",
              "  const uchar3 p = (uchar3)(in[3 * i], in[3 * i + 1], in[i * 3 + 2]);\n",
              "  const uchar3 p = (uchar3)(vload2(0, in + 3 * i), in[3 * i + 2]);\n",
              "  const uchar3 p = (uchar3)(in[3 * i], vload2(0, &in[3 * i + 1]));\n"});
  if (grey)
    load += s.pick(
        {"  out[i] = (p.x * 77 + p.y * 151 + p.z * 28) >> 8;\n",
         "  out[i] = convert_uchar((convert_uint(p.x) * 77u + p.y * 151u + p.z * 28u) / 256u);\n",
         "  const ushort3 q = convert_ushort3(p) * (ushort3)(77, 151, 28);\n"
         "  out[i] = (ushort)(q.x + q.y + q.z) >> 8;\n"});
  else
    load += s.pick({"  vstore3(p.zyx, i, out);\n",
                    "  out[3 * i] = p.z;\n  out[3 * i + 1] = p.y;\n  out[3 * i + 2] = p.x;\n",
                    "  vstore2(p.zy, 0, out + 3 * i);\n  out[3 * i + 2] = p.x;\n"});
  idiom.body += s.guarded({s.less("i", n)}, load, true);
  for (std::size_t i = 0; i < count; ++i) {
    const int64_t *p = &in[3 * i];
    if (grey)
      expected[i] = (p[0] * 77 + p[1] * 151 + p[2] * 28) >> 8;
    else
      for (std::size_t c = 0; c < 3; ++c)
        expected[3 * i + c] = p[2 - c];
  }
  idiom.arguments.push_back(buffer("in", byte, in));
  idiom.arguments.push_back(result("out", byte, before, expected));
  return idiom;
}

// Each work-item chooses by its number, and loops as often as it says.
Idiom make_choices(Speller &s) {
  Idiom idiom;
  const std::size_t count = s.size(1, 500);
  const std::string n = s.parameter(idiom, "n", int64_t(count));
  const Element type_in = s.integer(), type = s.integer();
  const Numbers in = s.numbers(count, 60);
  Numbers before = s.numbers(count), expected = before;
  const unsigned cases = s.between(3, 7), factor = s.between(1, 9);
  const bool falls = s.chance(50), returns = s.chance(30);
  choose_size(s, idiom, count);
  idiom.body += s.declare("i", s.global_id(0, idiom.local[0]));
  const std::string f = std::to_string(factor);
  std::string body = std::string("  ") + s.pick({"uint", "int", type_in.name}) +
                     " v = in[i];\n  int r = 0;\n  switch (v % " + std::to_string(cases) + ") {\n";
  body += "  case 0:\n    r = v * 3 + " + f + ";\n    break;\n  case 1:\n";
  body += s.loop("k", "0", "v", "1", "    r += k;\n");
  body += std::string(falls ? "" : "    break;\n") + "  case 2:\n";
  body += returns ? "    out[i] = v;\n    return;\n" : "    r += v * " + f + ";\n    break;\n";
  body += "  default:\n    for (uint w = v; w != 1; ) {\n      w = w & 1 ? 3 * w + 1 : w / 2;\n"
          "      if (++r == 50)\n        break;\n    }\n  }\n  out[i] = r;\n";
  idiom.body += s.guarded({s.less("i", n)}, body, true);
  for (std::size_t i = 0; i < count; ++i) {
    const int64_t v = in[i];
    int64_t r = 0;
    const unsigned which = unsigned(v % cases);
    if (which == 0)
      r = v * 3 + factor;
    if (which == 1)
      r = v * (v - 1) / 2;
    if ((which == 1 && falls) || which == 2)
      r = returns ? v : r + v * factor;
    if (which > 2)
      for (int64_t w = v; w != 1;) {
        w = w % 2 ? 3 * w + 1 : w / 2;
        if (++r == 50)
          break;
      }
    expected[i] = r;
  }
  idiom.arguments.push_back(buffer("in", type_in, in));
  idiom.arguments.push_back(result("out", type, before, expected));
  return idiom;
}

} // namespace lockstep::fuzz::idioms
