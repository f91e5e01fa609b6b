// Kernels whose work-items add, count and place things together.
#include "idiom.h"

#include <algorithm>

namespace lockstep::fuzz::idioms {

namespace {

// As programs add floats that have no atomic functions for them.
const char *const add_float = R"(
void add_float(volatile global float *to, float number) {
  union { uint bits; float value; } old, next;
  do {
    old.value = *to;
    next.value = old.value + number;
  } while (atomic_cmpxchg((volatile global uint *)to, old.bits, next.bits) != old.bits);
}
)";

// Which elements a work-item takes: body uses in[i].
std::string walk(Speller &s, const std::string &n, std::size_t local, std::size_t groups,
                 std::size_t count, const std::string &body) {
  const std::string all = s.pick({"get_global_size(0)", std::to_string(local * groups),
                                  "get_num_groups(0) * get_local_size(0)"});
  if (s.chance(60))
    return s.loop("i", s.global_id(0, local), n, all, body);
  const std::size_t each = (count + local * groups - 1) / (local * groups);
  const std::string e = std::to_string(each);
  if (s.chance(50)) // consecutive ones
    return s.loop("q", "0", e, "1",
                  s.declare("i", s.product(s.global_id(0, local), e) + " + q") +
                      s.guarded({s.less("i", n)}, body, false));
  return s.loop("q", "0", e, "1",
                s.declare("i", s.product("q", "(" + all + ")") + " + " + s.global_id(0, local)) +
                    s.guarded({s.less("i", n)}, body, false));
}

struct Operation {
  std::string apply; // of a and b
  int64_t first;
  int64_t (*run)(int64_t, int64_t);
};
std::string applied(const std::string &text, const std::string &a, const std::string &b) {
  std::string result;
  for (char each : text)
    result += each == 'A' ? a : each == 'B' ? b : std::string(1, each);
  return result;
}

// Combines tile[0] to tile[size - 1] into tile[0].
std::string tree(Speller &s, std::size_t size, const Operation &operation) {
  const std::string l = std::to_string(size);
  auto step = [&](const std::string &condition, const std::string &to, const std::string &from) {
    return "    if (" + condition + ")\n      tile[" + to +
           "] = " + applied(operation.apply, "tile[" + to + "]", "tile[" + from + "]") + ";\n" +
           s.barrier();
  };
  switch (s.between(0, 3)) {
  case 0:
    return "  for (uint rest = " + l + " / 2; rest > 0; rest >>= 1) {\n" +
           step("me < rest", "me", "me + rest") + "  }\n";
  case 1:
    return "  for (int d = 1; d < " + l + "; d *= 2) {\n" +
           step("me % (2 * d) == 0", "me", "me + d") + "  }\n";
  case 2:
    return "  for (int d = 1; d < " + l + "; d <<= 1) {\n    const int at = 2 * d * me;\n" +
           step("at < " + l, "at", "at + d") + "  }\n";
  default: {
    std::string text;
    for (std::size_t half = size / 2; half > 0; half /= 2)
      text += step("me < " + std::to_string(half), "me", "me + " + std::to_string(half));
    return text;
  }
  }
}

} // namespace

Idiom make_reduction(Speller &s) {
  Idiom idiom;
  const std::size_t count = s.size(1, 3000), local = std::size_t{1} << s.between(0, 8),
                    groups = s.size(1, 9);
  const std::string n = s.parameter(idiom, "n", int64_t(count));
  static const std::vector<Operation> operations = {
      {"A + B", 0, [](int64_t a, int64_t b) { return a + b; }},
      {"A + B", 0, [](int64_t a, int64_t b) { return a + b; }},
      {"min(A, B)", 99, [](int64_t a, int64_t b) { return std::min(a, b); }},
      {"(A > B ? A : B)", 0, [](int64_t a, int64_t b) { return std::max(a, b); }}};
  const std::size_t which = s.between(0, 3);
  const Operation &operation = operations[which];
  Element type_in = s.number();
  const Element type = type_in.is_float ? type_float : s.chance(50) ? type_int : type_uint;
  const std::string t = type.name, l = std::to_string(local);
  const Numbers in = s.numbers(count);
  int64_t whole = operation.first;
  for (int64_t number : in)
    whole = operation.run(whole, number);
  idiom.local[0] = local;
  idiom.global[0] = local * groups;
  idiom.body += s.declare("me", "get_local_id(0)") + "  local " + t + " tile[" + l + "];\n  " + t +
                " sum = " + std::to_string(operation.first) + ";\n";
  idiom.body += walk(s, n, local, groups, count,
                     "  sum = " + applied(operation.apply, "sum", "(" + t + ")in[i]") + ";\n");
  idiom.body += "  tile[me] = sum;\n" + s.barrier() + tree(s, local, operation);
  idiom.arguments.push_back(buffer("in", type_in, in));
  const unsigned end = which < 2 ? s.between(0, 1) : type.is_float ? 1 : s.between(0, 1);
  if (end == 0 && type.is_float) {
    idiom.functions = add_float;
    idiom.body += "  if (me == 0)\n    add_float(out, tile[0]);\n";
  } else if (end == 0) {
    idiom.body += std::string("  if (me == 0)\n    ") +
                  (which < 2    ? "atomic_add"
                   : which == 2 ? "atomic_min"
                                : "atomic_max") +
                  "(out, tile[0]);\n";
  } else { // the group that comes last
    idiom.body += "  local uint is_last;\n  if (me == 0) {\n    parts[get_group_id(0)] = tile[0];\n"
                  "    mem_fence(CLK_GLOBAL_MEM_FENCE);\n    is_last = atomic_inc(count) == "
                  "get_num_groups(0) - 1;\n  }\n  barrier(CLK_LOCAL_MEM_FENCE | "
                  "CLK_GLOBAL_MEM_FENCE);\n  if (is_last) {\n    " +
                  t + " all = " + std::to_string(operation.first) + ";\n" +
                  s.loop("g", "me", "get_num_groups(0)", l,
                         "  all = " + applied(operation.apply, "all", "parts[g]") + ";\n") +
                  "  tile[me] = all;\n" + s.barrier() + tree(s, local, operation) +
                  "  if (me == 0)\n    *out = tile[0];\n  }\n";
    idiom.arguments.push_back(
        result("parts", type, Numbers(groups), {})); // in what order is left open
    idiom.arguments.back().qualifier = s.pick({"volatile global", "global"});
    idiom.arguments.push_back(result("count", type_uint, {0}, {int64_t(groups)}));
    idiom.arguments.back().qualifier = "volatile global";
  }
  idiom.arguments.push_back(result("out", type, {operation.first}, {whole}));
  return idiom;
}

Idiom make_histogram(Speller &s) {
  Idiom idiom;
  const std::size_t count = s.size(1, 3000), bins = s.between(1, 64),
                    local = std::size_t{1} << s.between(0, 8), groups = s.between(1, 6);
  const std::string n = s.parameter(idiom, "n", int64_t(count)), b = std::to_string(bins);
  const Element type_in = s.integer();
  const Element type = s.chance(50) ? type_uint : type_int;
  const Numbers in = s.numbers(count, 100), weights = s.numbers(count);
  const unsigned kind = s.between(0, 3); // count, add, or, maximum
  static const char *const functions[] = {"atomic_inc(X)", "atomic_add(X, Y)", "atomic_or(X, Y)",
                                          "atomic_max(X, Y)"};
  Numbers before(bins), expected(bins);
  for (std::size_t i = 0; i < count; ++i) {
    int64_t &bin = expected[std::size_t(in[i]) % bins];
    const int64_t weight = weights[i];
    bin = kind == 0   ? bin + 1
          : kind == 1 ? bin + weight
          : kind == 2 ? bin | weight
                      : std::max(bin, weight);
  }
  auto update = [&](const std::string &to, const std::string &value, bool merges) {
    std::string text;
    for (const char *at = functions[merges && kind == 0 ? 1 : kind]; *at; ++at)
      text += *at == 'X' ? to : *at == 'Y' ? value : std::string(1, *at);
    return "  " + text + ";\n";
  };
  idiom.local[0] = local;
  idiom.global[0] = local * groups;
  const bool by_groups = s.chance(60), is_float = !by_groups && kind == 1 && s.chance(60);
  const std::string to = by_groups ? "bins" : "out";
  if (is_float)
    idiom.functions = add_float;
  const std::string bin = "in[i] % " + b;
  const std::string body = is_float
                               ? "  add_float(out + " + bin + ", weights[i]);\n"
                               : s.pick({update("&" + to + "[" + bin + "]", "weights[i]", false),
                                         "  const uint bin = " + bin + ";\n" +
                                             update(to + " + bin", "weights[i]", false)});
  if (by_groups)
    idiom.body += "  local " + std::string(type.name) + " bins[" + b + "];\n" +
                  s.declare("me", "get_local_id(0)") +
                  s.loop("c", "me", b, std::to_string(local), "  bins[c] = 0;\n") + s.barrier();
  idiom.body += walk(s, n, local, groups, count, body);
  if (by_groups)
    idiom.body += s.barrier() +
                  s.loop("c", "me", b, std::to_string(local),
                         s.chance(50) ? update("out + c", "bins[c]", true)
                                      : "  if (bins[c])\n  " + update("&out[c]", "bins[c]", true));
  idiom.arguments.push_back(buffer("in", type_in, in));
  idiom.arguments.push_back(buffer("weights", type, weights));
  idiom.arguments.push_back(result("out", is_float ? type_float : type, before, expected));
  idiom.arguments.back().qualifier = s.chance(50) ? "volatile global" : "global";
  return idiom;
}

// Two halves of local memory: one is filled while the other is read.
Idiom make_stages(Speller &s) {
  Idiom idiom;
  const std::size_t local = std::size_t{2} << s.between(0, 6), groups = s.between(1, 4),
                    tiles = s.between(1, 9);
  const std::string l = std::to_string(local), n = s.parameter(idiom, "tiles", int64_t(tiles));
  const Element type = s.number(), type_sum = type.is_float ? type_float : type_int;
  const unsigned shift = s.between(0, unsigned(local - 1));
  const Numbers in = s.numbers(local * groups * tiles);
  Numbers before = s.numbers(local * groups), expected(local * groups);
  for (std::size_t g = 0; g < groups; ++g)
    for (std::size_t me = 0; me < local; ++me)
      for (std::size_t t = 0; t < tiles; ++t) {
        const int64_t *tile = &in[(g * tiles + t) * local];
        expected[g * local + me] += tile[me] * 2 + tile[(me + shift) % local] * int64_t(t + 1);
      }
  idiom.local[0] = local;
  idiom.global[0] = local * groups;
  const bool copies = s.chance(40), flat = s.chance(50);
  auto half = [&](const std::string &which, const std::string &at) {
    return flat ? "halves[(" + which + ") * " + l + " + " + at + "]"
                : "halves[" + which + "][" + at + "]";
  };
  idiom.body += s.declare("me", "get_local_id(0)") + "  local " + type.name + " halves" +
                (flat ? "[2 * " + l + "]" : "[2][" + l + "]") + ";\n  " + type_sum.name +
                " sum = 0;\n  global const " + type.name + " *mine = in + get_group_id(0) * " + l +
                " * " + n + ";\n";
  const std::string other = s.pick({"1 - (t & 1)", "(t + 1) & 1", "(t & 1) ^ 1", "(t + 1) % 2"}),
                    this_one = s.pick({"t & 1", "t % 2"});
  const std::string use = "    sum += " + half(this_one, "me") + " * 2 + " +
                          half(this_one, "(me + " + std::to_string(shift) + ") % " + l) +
                          " * (t + 1);\n";
  if (copies) {
    idiom.body += "  event_t arrived[2];\n  arrived[0] = async_work_group_copy(&" + half("0", "0") +
                  ", mine, " + l + ", 0);\n  for (int t = 0; t < " + n + "; ++t) {\n" +
                  "    wait_group_events(1, &arrived[t & 1]);\n    if (t + 1 < " + n +
                  ")\n      arrived[(t + 1) & 1] = async_work_group_copy(&" + half(other, "0") +
                  ", mine + (t + 1) * " + l + ", " + l + ", 0);\n" + use + s.barrier() + "  }\n";
  } else {
    const std::string fill = "      " + half(other, "me") + " = mine[(t + 1) * " + l + " + me];\n",
                      is_more = "    if (t + 1 < " + n + ")\n";
    idiom.body += "  " + half("0", "me") + " = mine[me];\n";
    if (s.chance(50)) // one barrier in each iteration
      idiom.body += "  for (int t = 0; t < " + n + "; ++t) {\n" + s.barrier() + is_more + fill +
                    use + "  }\n";
    else
      idiom.body += s.barrier() + "  for (int t = 0; t < " + n + "; ++t) {\n" + is_more + fill +
                    use + s.barrier() + "  }\n";
  }
  idiom.body += "  out[" + s.global_id(0, local) + "] = sum;\n";
  idiom.arguments.push_back(buffer("in", type, in));
  idiom.arguments.push_back(result("out", type_sum, before, expected));
  return idiom;
}

// Sums of all before: within a group, and, if groups wait for the one before, of all.
Idiom make_scan(Speller &s) {
  Idiom idiom;
  const std::size_t count = s.size(1, 2000), local = std::size_t{1} << s.between(0, 8),
                    groups = rounded_up(count, local) / local;
  const std::string n = s.parameter(idiom, "n", int64_t(count)), l = std::to_string(local);
  const Numbers in = s.numbers(count);
  const Element type = s.chance(50) ? type_int : type_uint;
  const std::string t = type.name;
  idiom.waits = s.chance(60);
  const bool exclusive = s.chance(30), tickets = idiom.waits && s.chance(50);
  Numbers before = s.numbers(count), expected(count);
  int64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!idiom.waits && i % local == 0)
      sum = 0;
    expected[i] = exclusive ? sum : sum + in[i];
    sum += in[i];
  }
  idiom.local[0] = local;
  idiom.global[0] = groups * local;
  idiom.body += s.declare("me", "get_local_id(0)") + "  local " + t + " tile[2][" + l +
                "];\n  local " + t +
                " before;\n  local uint number;\n  uint group = get_group_id(0);\n";
  if (tickets)
    idiom.body +=
        "  if (me == 0)\n    number = atomic_inc(ticket);\n" + s.barrier() + "  group = number;\n";
  idiom.body +=
      "  const uint i = group * " + l + " + me;\n  const " + t + " own = " + s.less("i", n) +
      " ? in[i] : 0;\n  uint from = 0;\n  tile[0][me] = own;\n" + s.barrier() +
      "  for (uint d = 1; d < " + l + "; d *= 2) {\n    tile[1 - from][me] = tile[from][me]" +
      s.pick({" + (me >= d ? tile[from][me - d] : 0);\n",
              ";\n    if (me >= d)\n      tile[1 - from][me] += tile[from][me - d];\n"}) +
      "    from = 1 - from;\n" + s.barrier() + "  }\n";
  if (idiom.waits) {
    const std::string poll = s.pick(
        {"atomic_add(&flags[group - 1], 0) == 0", "flags[group - 1] == 0",
         "atomic_or(flags + group - 1, 0) == 0", "atomic_cmpxchg(&flags[group - 1], 1, 1) != 1"});
    idiom.body +=
        "  if (me == 0) {\n    before = 0;\n    if (group > 0) {\n      while (" + poll +
        ")\n        ;\n      mem_fence(CLK_GLOBAL_MEM_FENCE);\n      before = sums[group - "
        "1];\n    }\n    sums[group] = before + tile[from][" +
        l + " - 1];\n    mem_fence(CLK_GLOBAL_MEM_FENCE);\n    " +
        s.pick({"atomic_xchg(&flags[group], 1)", "atomic_inc(flags + group)"}) + ";\n  }\n" +
        s.barrier();
  }
  const std::string value = std::string("tile[from][me]") + (exclusive ? " - own" : "") +
                            (idiom.waits ? " + before" : "");
  idiom.body += s.guarded({s.less("i", n)}, "  out[i] = " + value + ";\n", true);
  idiom.arguments.push_back(buffer("in", s.chance(50) ? type : type_int, in));
  idiom.arguments.push_back(result("out", type, before, expected));
  for (const char *name : {"flags", "sums", "ticket"}) {
    idiom.arguments.push_back(result(name, name[0] == 's' ? type : type_uint, Numbers(groups), {}));
    idiom.arguments.back().qualifier = "volatile global";
  }
  return idiom;
}

// The elements that fulfil a condition, without gaps.
Idiom make_compaction(Speller &s) {
  Idiom idiom;
  const std::size_t count = s.size(1, 1500), local = std::size_t{1} << s.between(0, 8);
  const std::string n = s.parameter(idiom, "n", int64_t(count));
  const Element type = s.number();
  const Numbers in = s.numbers(count, 60);
  const unsigned least = s.between(0, 60);
  Numbers expected;
  for (int64_t number : in)
    if (number >= least)
      expected.push_back(number);
  const int64_t kept = int64_t(expected.size());
  expected.resize(count);
  idiom.local[0] = local;
  idiom.global[0] = rounded_up(count, local);
  const std::string keeps = "in[i] >= " + std::to_string(least);
  idiom.body += s.declare("i", s.global_id(0, local));
  if (s.chance(50)) {
    idiom.body +=
        s.guarded({s.less("i", n), keeps},
                  s.pick({"  out[atomic_inc(count)] = in[i];\n",
                          "  const uint at = atomic_add(count, 1u);\n  out[at] = in[i];\n"}),
                  true);
  } else {
    idiom.body += "  local uint many, base;\n" + s.declare("me", "get_local_id(0)") +
                  "  if (me == 0)\n    many = 0;\n" + s.barrier() +
                  "  uint at = 0;\n  const bool keeps = " + s.less("i", n) + " && " + keeps +
                  ";\n  if (keeps)\n    at = atomic_inc(&many);\n" + s.barrier() + "  if (me == 0" +
                  s.pick({"", " && many > 0"}) + ")\n    base = atomic_add(count, many);\n" +
                  s.barrier() + "  if (keeps)\n    out[base + at] = in[i];\n";
  }
  idiom.arguments.push_back(buffer("in", type, in));
  idiom.arguments.push_back(result("count", type_uint, {0}, {kept}));
  idiom.arguments.push_back(result("out", type, Numbers(count), expected));
  idiom.arguments.back().is_in_any_order = true;
  return idiom;
}

} // namespace lockstep::fuzz::idioms
