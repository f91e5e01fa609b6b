// Kernels that exchange values through local memory, or by collective functions of groups.
#include "idiom.h"

#include <algorithm>

namespace lockstep::fuzz::idioms {

// A bitonic network sorts what belongs to each group, ascending or descending.
Idiom make_sort(Speller &s) {
  Idiom idiom;
  const std::size_t local = std::size_t{1} << s.between(1, 8), each = s.chance(50) ? 1 : 2,
                    size = local * each, groups = s.between(1, 5);
  const Element type = s.number();
  const Numbers in = s.numbers(size * groups, 100);
  Numbers expected = in;
  const bool falls = s.chance(30);
  for (std::size_t g = 0; g < groups; ++g) {
    const auto begin = expected.begin() + long(g * size), end = begin + long(size);
    falls ? std::sort(begin, end, std::greater<>()) : std::sort(begin, end);
  }
  idiom.local[0] = local;
  idiom.global[0] = local * groups;
  const std::string n = std::to_string(size), l = std::to_string(local), t = type.name,
                    base = s.product("get_group_id(0)", n);
  const std::string swap =
      s.pick({"      const " + t +
                  " a = tile[p], b = tile[q];\n      if ((a > b) == up) {\n        tile[p] = "
                  "b;\n        tile[q] = a;\n      }\n",
              "      const " + t +
                  " a = tile[p], b = tile[q];\n      tile[p] = up ? min(a, b) : max(a, b);\n"
                  "      tile[q] = up ? max(a, b) : min(a, b);\n"});
  const bool calls = s.chance(40);
  const std::string body =
      "      const bool up = ((p & size) == 0) != " + std::string(falls ? "true" : "false") +
      ";\n" + swap;
  const std::string call = calls ? "      compare(tile, p, q, ((p & size) == 0) != " +
                                       std::string(falls ? "true" : "false") + ");\n"
                                 : body;
  if (calls)
    idiom.functions =
        "void compare(local " + t + " *tile, uint p, uint q, bool up) {\n" + swap + "}\n";
  idiom.body += s.declare("me", "get_local_id(0)") + "  local " + t + " tile[" + n + "];\n" +
                s.loop("i", "me", n, l, "  tile[i] = in[" + s.sum(base, "i") + "];\n") +
                s.barrier();
  idiom.body += "  for (uint size = 2; size <= " + n +
                "; size *= 2)\n    for (uint d = size / 2; d > 0; d /= 2) {\n";
  if (each == 2)
    idiom.body += "      const uint p = 2 * me - (me & (d - 1)), q = p + d;\n" + call;
  else
    idiom.body += "      const uint p = me, q = p ^ d;\n      if (q > p) {\n" + call + "      }\n";
  idiom.body += s.barrier() + "    }\n";
  idiom.body += s.loop("i", "me", n, l, "  out[" + s.sum(base, "i") + "] = tile[i];\n");
  idiom.arguments.push_back(buffer("in", type, in));
  idiom.arguments.push_back(result("out", type, s.numbers(size * groups), expected));
  return idiom;
}

// A tile with the neighbors of its ends.
Idiom make_convolution(Speller &s) {
  Idiom idiom;
  const std::size_t count = s.size(1, 900), local = std::size_t{1} << s.between(2, 8),
                    radius = s.between(1, unsigned(std::min<std::size_t>(local, 6)));
  const std::string n = s.parameter(idiom, "n", int64_t(count)), l = std::to_string(local),
                    r = std::to_string(radius);
  const Element type = s.number(), type_sum = type.is_float ? type_float : type_int;
  const Numbers in = s.numbers(count), weights = s.numbers(2 * radius + 1, 9);
  Numbers expected(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k <= 2 * radius; ++k)
      if (i + k >= radius && i + k - radius < count)
        expected[i] += in[i + k - radius] * weights[k];
  idiom.local[0] = local;
  idiom.global[0] = rounded_up(count, local);
  auto element = [&](const std::string &at) {
    return s.pick({"(" + at + " >= 0 && " + at + " < (int)(" + n + ")) ? in[" + at + "] : 0",
                   "(uint)(" + at + ") < (uint)(" + n + ") ? in[" + at + "] : 0"});
  };
  idiom.body += "  local " + std::string(type.name) + " tile[" + l + " + 2 * " + r + "];\n" +
                s.declare("me", "get_local_id(0)") + "  const int i = " + s.global_id(0, local) +
                ";\n";
  if (s.chance(50)) {
    idiom.body += "  tile[me + " + r + "] = " + element("i") + ";\n  if (me < " + r +
                  ") {\n    tile[me] = " + element("(i - " + r + ")") + ";\n    tile[me + " + l +
                  " + " + r + "] = " + element("(i + " + l + ")") + ";\n  }\n";
  } else {
    idiom.body += "  const int first = get_group_id(0) * " + l + " - " + r + ";\n" +
                  "  for (int k = me; k < " + l + " + 2 * " + r + "; k += " + l +
                  ")\n    tile[k] = " + element("(first + k)") + ";\n";
  }
  idiom.body += s.barrier() + "  " + type_sum.name + " sum = 0;\n" +
                s.pick({"", "#pragma unroll\n"}) + "  for (int k = 0; k <= 2 * " + r +
                "; ++k)\n    sum += " + s.product("tile[me + k]", "weights[k]") + ";\n" +
                s.guarded({s.less("i", n)}, "  out[i] = sum;\n", true);
  idiom.arguments.push_back(buffer("in", type, in));
  idiom.arguments.push_back(buffer("weights", type_sum, weights));
  idiom.arguments.back().qualifier = s.pick({"constant", "global const"});
  idiom.arguments.push_back(result("out", type_sum, s.numbers(count), expected));
  return idiom;
}

// By functions of OpenCL 2.0 for work-groups.
Idiom make_collective(Speller &s) {
  Idiom idiom;
  const std::size_t count = s.size(1, 1500),
                    local = s.chance(70) ? std::size_t{1} << s.between(0, 8) : s.between(1, 100),
                    groups = rounded_up(count, local) / local;
  const std::string n = s.parameter(idiom, "n", int64_t(count));
  const Element type = s.chance(50) ? type_int : s.chance(50) ? type_uint : type_float;
  const Numbers in = s.numbers(count);
  const unsigned kind = s.between(0, 4);
  static const char *const functions[] = {
      "work_group_reduce_add(v)", "work_group_reduce_max(v)", "work_group_scan_inclusive_add(v)",
      "work_group_scan_exclusive_add(v)", "work_group_broadcast(v, get_local_size(0) - 1)"};
  Numbers expected(groups * local);
  for (std::size_t g = 0; g < groups; ++g) {
    int64_t sum = 0, most = 0, last = 0;
    for (std::size_t me = 0; me < local; ++me) {
      const std::size_t i = g * local + me;
      last = i < count ? in[i] : 0;
      expected[i] = kind == 3 ? sum : sum + last;
      sum += last;
      most = std::max(most, last);
    }
    if (kind != 2 && kind != 3)
      std::fill_n(expected.begin() + long(g * local), local,
                  kind == 0   ? sum
                  : kind == 1 ? most
                              : last);
  }
  idiom.local[0] = local;
  idiom.global[0] = groups * local;
  idiom.body += s.declare("i", s.global_id(0, local));
  const std::string load =
      s.pick({"  const T v = " + s.less("i", n) + " ? in[i] : 0;\n",
              "  T v = 0;\n" + s.guarded({s.less("i", n)}, "  v = in[i];\n", false)});
  idiom.functions = std::string("#define T ") + type.name + "\n";
  idiom.body += load + "  out[i] = " + functions[kind] + ";\n";
  idiom.arguments.push_back(buffer("in", type, in));
  idiom.arguments.push_back(result("out", type, s.numbers(groups * local), expected));
  return idiom;
}

} // namespace lockstep::fuzz::idioms
