// Products of matrices, dense and sparse.
#include "idiom.h"

namespace lockstep::fuzz::idioms {

namespace {

struct Matrices {
  std::size_t m, n, k;
  bool a_by_columns, b_by_columns;
  Numbers a, b, before, expected;
  Element type_a, type_b, type_sum, type_out;
};

Matrices make_matrices(Speller &s, unsigned beta) {
  Matrices all{.m = s.size(1, 40),
               .n = s.size(1, 70),
               .k = s.chance(90) ? s.size(1, 40) : s.size(500, 1200), // several blocks
               .a_by_columns = s.chance(20),
               .b_by_columns = s.chance(20),
               .a = {},
               .b = {},
               .before = {},
               .expected = {},
               .type_a = s.number(),
               .type_b = s.number(),
               .type_sum = type_int,
               .type_out = type_int};
  all.a = s.numbers(all.m * all.k, 7);
  all.b = s.numbers(all.k * all.n, 7);
  all.before = s.numbers(all.m * all.n, 100);
  all.expected.resize(all.m * all.n);
  for (std::size_t y = 0; y < all.m; ++y)
    for (std::size_t x = 0; x < all.n; ++x) {
      int64_t sum = all.before[y * all.n + x] * beta;
      for (std::size_t k = 0; k < all.k; ++k)
        sum += all.a[all.a_by_columns ? k * all.m + y : y * all.k + k] *
               all.b[all.b_by_columns ? x * all.k + k : k * all.n + x];
      all.expected[y * all.n + x] = sum;
    }
  if (all.type_a.is_float || all.type_b.is_float)
    all.type_sum = all.type_out = type_float;
  else {
    static const std::vector<Element> sums = {type_int, type_uint, {"long", 8, true, false}};
    all.type_sum = s.random.pick(sums);
    // a narrow result of what was there before has to hold it
    all.type_out = beta ? all.type_sum : s.integer();
  }
  return all;
}

void add_buffers(Speller &s, Idiom &idiom, const Matrices &all) {
  idiom.arguments.push_back(buffer("a", all.type_a, all.a));
  idiom.arguments.push_back(buffer("b", all.type_b, all.b));
  idiom.arguments.push_back(result("out", all.type_out, all.before, all.expected));
  if (s.chance(40))
    for (std::size_t i = idiom.arguments.size() - 3; i < idiom.arguments.size(); ++i)
      idiom.arguments[i].name.insert(0, "restrict ");
}

} // namespace

// Each work-item computes one element, or several columns of a row.
Idiom make_product(Speller &s) {
  Idiom idiom;
  const unsigned beta = s.chance(30) ? s.between(1, 3) : 0;
  const Matrices all = make_matrices(s, beta);
  const std::string m = s.parameter(idiom, "m", int64_t(all.m)),
                    n = s.parameter(idiom, "n", int64_t(all.n)),
                    depth = s.parameter(idiom, "depth", int64_t(all.k));
  const unsigned columns = s.chance(60) ? 1 : s.between(2, 4);
  const bool apart = s.chance(50); // the columns of a work-item are a stride apart
  static const std::vector<std::array<std::size_t, 2>> sizes = {{16, 1}, {8, 8},  {16, 16}, {32, 4},
                                                                {64, 1}, {1, 16}, {128, 2}};
  idiom.dimensions = 2;
  idiom.local = s.random.pick(sizes);
  const std::size_t items = (all.n + columns - 1) / columns;
  idiom.global = {rounded_up(items, idiom.local[0]), rounded_up(all.m, idiom.local[1])};
  idiom.body += s.declare("i", s.global_id(0, idiom.local[0])) +
                s.declare("y", s.global_id(1, idiom.local[1]));
  std::string sums, adds, stores;
  for (unsigned c = 0; c < columns; ++c) {
    const std::string number = std::to_string(c), sum = "sum" + number,
                      x = columns == 1 ? "i"
                          : apart      ? "i + " + number + " * " + std::to_string(idiom.global[0])
                                       : "i * " + std::to_string(columns) + " + " + number;
    sums += std::string("  ") + all.type_sum.name + " " + sum + " = 0;\n";
    const std::string left = "a[" + (all.a_by_columns ? s.at("k", m, "y") : s.at("y", depth, "k")) +
                             "]",
                      right =
                          "b[" + (all.b_by_columns ? s.at(x, depth, "k") : s.at("k", n, x)) + "]";
    const std::string add =
        "  " + s.pick({sum + " += ", sum + " = " + sum + " + "}) + s.product(left, right) + ";\n";
    adds += columns == 1 ? add : s.guarded({s.less(x, n)}, add, false);
    const std::string to = "out[" + s.at("y", n, x) + "]";
    const std::string store =
        "  " + to + " = " + (beta ? s.sum(s.product(to, std::to_string(beta)), sum) : sum) + ";\n";
    stores += columns == 1 ? store : s.guarded({s.less(x, n)}, store, false);
  }
  Speller::Texts conditions = {s.less("y", m)};
  if (columns == 1)
    conditions.push_back(s.less("i", n));
  idiom.body += s.guarded(conditions, sums + s.loop("k", "0", depth, "1", adds) + stores, true);
  add_buffers(s, idiom, all);
  return idiom;
}

// By tiles in local memory. Beyond the matrices a tile is zero.
Idiom make_tiled_product(Speller &s) {
  Idiom idiom;
  const Matrices all = make_matrices(s, 0);
  const std::string m = s.parameter(idiom, "m", int64_t(all.m)),
                    n = s.parameter(idiom, "n", int64_t(all.n)),
                    depth = s.parameter(idiom, "depth", int64_t(all.k));
  const std::size_t tile = std::size_t{4} << s.between(0, 2);
  const std::string t = std::to_string(tile), step = std::to_string(tile + s.between(0, 1));
  idiom.dimensions = 2;
  idiom.local = {tile, tile};
  idiom.global = {rounded_up(all.n, tile), rounded_up(all.m, tile)};
  if (s.chance(30))
    idiom.attributes = "__attribute__((reqd_work_group_size(" + t + ", " + t + ", 1)))\n";
  idiom.body += std::string("  local ") + all.type_a.name + " tile_a[" + t + "][" + step +
                "];\n  local " + all.type_b.name + " tile_b[" + t + "][" + step + "];\n";
  idiom.body += s.declare("i", "get_local_id(0)") + s.declare("j", "get_local_id(1)") +
                s.declare("x", s.global_id(0, tile)) + s.declare("y", s.global_id(1, tile)) + "  " +
                all.type_sum.name + " sum = 0;\n";
  auto load = [&](const std::string &to, const Speller::Texts &conditions,
                  const std::string &from) {
    if (s.chance(50))
      return "  " + to + " = (" + conditions[0] + ") && (" + conditions[1] + ") ? " + from +
             " : 0;\n";
    return "  " + to + " = 0;\n" + s.guarded(conditions, "  " + to + " = " + from + ";\n", false);
  };
  std::string body =
      load("tile_a[j][i]", {s.less("y", m), s.less("k + i", depth)},
           "a[" + (all.a_by_columns ? s.at("k + i", m, "y") : s.at("y", depth, "k + i")) + "]");
  body += load("tile_b[j][i]", {s.less("x", n), s.less("k + j", depth)},
               "b[" + (all.b_by_columns ? s.at("x", depth, "k + j") : s.at("k + j", n, "x")) + "]");
  body += s.barrier() + s.pick({"", "", "#pragma unroll\n"}) + "  for (int q = 0; q < " + t +
          "; ++q)\n    sum += " + s.product("tile_a[j][q]", "tile_b[q][i]") + ";\n" + s.barrier();
  idiom.body += s.loop("k", "0", depth, t, body);
  idiom.body += s.guarded({s.less("x", n), s.less("y", m)},
                          "  out[" + s.at("y", n, "x") + "] = sum;\n", true);
  add_buffers(s, idiom, all);
  return idiom;
}

// Each work-item computes a block of elements, in an array of its own.
Idiom make_blocked_product(Speller &s) {
  Idiom idiom;
  const Matrices all = make_matrices(s, 0);
  const std::string m = s.parameter(idiom, "m", int64_t(all.m)),
                    n = s.parameter(idiom, "n", int64_t(all.n)),
                    depth = s.parameter(idiom, "depth", int64_t(all.k));
  const std::size_t rows = s.between(1, 4), columns = s.between(1, 4);
  const std::string r = std::to_string(rows), c = std::to_string(columns);
  static const std::vector<std::array<std::size_t, 2>> sizes = {{16, 1}, {8, 8}, {16, 4}, {32, 2}};
  idiom.dimensions = 2;
  idiom.local = s.random.pick(sizes);
  idiom.global = {rounded_up((all.n + columns - 1) / columns, idiom.local[0]),
                  rounded_up((all.m + rows - 1) / rows, idiom.local[1])};
  const bool apart = s.chance(50); // a group's rows and columns are beside each other either way
  idiom.body +=
      s.declare("x", apart ? "get_group_id(0) * get_local_size(0) * " + c + " + get_local_id(0)"
                           : s.product("get_global_id(0)", c)) +
      s.declare("y", apart ? "get_group_id(1) * get_local_size(1) * " + r + " + get_local_id(1)"
                           : s.product("get_global_id(1)", r));
  const std::string row = apart ? "y + p * get_local_size(1)" : "y + p",
                    column = apart ? "x + q * get_local_size(0)" : "x + q";
  auto each = [&](const std::string &name, const std::string &to, const std::string &body) {
    return s.pick({"", "#pragma unroll\n"}) + "  for (int " + name + " = 0; " + name + " < " + to +
           "; ++" + name + ") {\n" + body + "  }\n";
  };
  idiom.body += "  " + std::string(all.type_sum.name) + " sums[" + r + "][" + c + "]" +
                s.pick({" = {{0}};\n", ";\n" + each("p", r, each("q", c, "  sums[p][q] = 0;\n"))});
  const std::string loads =
      "  " + std::string(all.type_a.name) + " left[" + r + "];\n  " + all.type_b.name + " right[" +
      c + "];\n" +
      each("p", r,
           "  left[p] = " + s.less(row, m) + " ? a[" +
               (all.a_by_columns ? s.at("k", m, row) : s.at(row, depth, "k")) + "] : 0;\n") +
      each("q", c,
           "  right[q] = " + s.less(column, n) + " ? b[" +
               (all.b_by_columns ? s.at(column, depth, "k") : s.at("k", n, column)) + "] : 0;\n");
  idiom.body += s.loop("k", "0", depth, "1",
                       loads + each("p", r, each("q", c, "  sums[p][q] += left[p] * right[q];\n")));
  idiom.body += each("p", r,
                     each("q", c,
                          s.guarded({s.less(row, m), s.less(column, n)},
                                    "  out[" + s.at(row, n, column) + "] = sums[p][q];\n", false)));
  add_buffers(s, idiom, all);
  return idiom;
}

// Rows of different lengths, by one work-item each, or by a group each.
Idiom make_sparse_rows(Speller &s) {
  Idiom idiom;
  const std::size_t rows = s.size(1, 90), columns = s.size(1, 50);
  Numbers starts = {0}, places, x = s.numbers(columns);
  const unsigned longest = s.chance(30) ? 70 : s.between(0, 9);
  for (std::size_t row = 0; row < rows; ++row) {
    for (unsigned i = s.between(0, longest); i > 0; --i)
      places.push_back(s.between(0, unsigned(columns - 1)));
    starts.push_back(int64_t(places.size()));
  }
  const Numbers values = s.numbers(places.size() + 1);
  places.push_back(0);
  const Element type = s.chance(50) ? type_float : type_int;
  Numbers before = s.numbers(rows), expected = before;
  for (std::size_t row = 0; row < rows; ++row) {
    expected[row] = 0;
    for (auto i = std::size_t(starts[row]); i < std::size_t(starts[row + 1]); ++i)
      expected[row] += values[i] * x[std::size_t(places[i])];
  }
  const std::string n = s.parameter(idiom, "rows", int64_t(rows));
  const bool by_groups = s.chance(40);
  idiom.local[0] = std::size_t{1} << s.between(by_groups ? 2 : 0, by_groups ? 6 : 8);
  idiom.global[0] = by_groups ? rows * idiom.local[0] : rounded_up(rows, idiom.local[0]);
  const std::string l = std::to_string(idiom.local[0]);
  const std::string add =
      s.pick({"  sum += values[i] * x[places[i]];\n",
              "  const int place = places[i];\n  sum += x[place] * values[i];\n"});
  const std::string sum = std::string("  ") + type.name + " sum = 0;\n";
  if (by_groups) {
    idiom.body += s.declare("row", "get_group_id(0)") + s.declare("me", "get_local_id(0)") +
                  "  local " + type.name + " sums[" + l + "];\n" + sum +
                  s.loop("i", "starts[row] + me", "starts[row + 1]", l, add) +
                  "  sums[me] = sum;\n" + s.barrier() + "  for (int rest = " + l +
                  " / 2; rest > 0; rest /= 2) {\n    if (me < rest)\n      sums[me] += sums[me + "
                  "rest];\n" +
                  s.barrier() + "  }\n  if (me == 0)\n    out[row] = sums[0];\n";
  } else {
    idiom.body += s.declare("row", s.global_id(0, idiom.local[0]));
    idiom.body += s.guarded({s.less("row", n)},
                            sum + s.loop("i", "starts[row]", "starts[row + 1]", "1", add) +
                                "  out[row] = sum;\n",
                            true);
  }
  idiom.arguments.push_back(buffer("starts", s.chance(50) ? type_int : type_uint, starts));
  idiom.arguments.push_back(buffer("places", s.chance(50) ? type_int : type_uint, places));
  idiom.arguments.push_back(buffer("values", type, values));
  idiom.arguments.push_back(buffer("x", type, x));
  idiom.arguments.push_back(result("out", type, before, expected));
  return idiom;
}

} // namespace lockstep::fuzz::idioms
