// Computes the reports that the checker must make for a program. Each value has the set of its
// undefined bits, and a flag if it was computed from undefined values.
#include "program.h"

#include <algorithm>
#include <optional>

namespace lockstep::fuzz::undefined {

namespace {

struct Value {
  uint64_t number = 0, undefined = 0;
  bool is_computed = false;
};

uint64_t mask_of(unsigned bits) {
  return bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
}

struct Item {
  unsigned local_id = 0, global_id = 0;
  std::vector<Value> variables;
  std::array<std::array<Value, private_size>, 2> arrays{};
};

class Interpreter {
public:
  Interpreter(const Program &program, const Contents &contents) : program_(program) {
    for (unsigned i = 0; i != fresh_size; ++i)
      fresh_.push_back({contents.fresh[i], i < defined_words(program) ? 0 : mask_of(32), false});
    for (uint32_t word : contents.mine)
      mine_.push_back({word, mask_of(32), false});
  }

  Findings run() {
    for (unsigned group = 0; group != groups; ++group)
      run_group(group);
    return std::move(found_);
  }

private:
  Value nothing(unsigned bits) const { return {0, mask_of(bits), false}; }

  void run_group(unsigned group) {
    std::vector<Item> all(group_size);
    raw_.assign(group_size, std::nullopt);
    for (unsigned i : {0u, 1u})
      local_[i].assign(group_size * local_slots, nothing(program_.local_bits[i]));
    for (unsigned id = 0; id != group_size; ++id) {
      Item &item = all[id];
      item.local_id = id;
      item.global_id = group * group_size + id;
      for (unsigned i = 0; i != program_.variables.size(); ++i)
        item.variables.push_back(program_.variables[i].is_set
                                     ? Value{3 + i, 0, false}
                                     : nothing(program_.variables[i].bits));
      for (unsigned i : {0u, 1u})
        item.arrays[i].fill(nothing(program_.private_bits[i]));
    }
    for (const Phase &phase : program_.phases) {
      for (Item &item : all) {
        item_ = &item;
        block(phase.block);
      }
      meet(phase, all);
    }
  }

  void meet(const Phase &phase, std::vector<Item> &all) {
    if (phase.meeting == Meeting::copy && program_.local_bits[0] == 32)
      for (unsigned i = 0; i != local_size; ++i)
        local_[0][i] = fresh_[phase.from + i];
    if (phase.meeting == Meeting::barrier || phase.meeting == Meeting::copy)
      return;
    line_ = phase.line;
    uint64_t sum = 0, every = 1, one = 0;
    for (Item &item : all) {
      item_ = &item;
      const Value value = evaluate(phase.value);
      tell(value.undefined, "collective");
      sum += value.number;
      every &= value.number != 0;
      one |= value.number != 0;
    }
    const uint64_t result = phase.meeting == Meeting::all   ? every
                            : phase.meeting == Meeting::any ? one
                                                            : uint32_t(sum);
    for (Item &item : all)
      item.variables[phase.variable] = {result & mask_of(program_.variables[phase.variable].bits),
                                        0, false};
  }

  // Private memory is tracked by bits: where all bits are defined, the flag is lost.
  static Value kept(Value value) {
    value.is_computed = value.is_computed && value.undefined;
    return value;
  }
  void tell(bool is_found, const char *what) {
    if (is_found)
      found_.insert({line_, what});
  }
  unsigned index(const Expr &e, unsigned size) {
    const Value value = evaluate(e);
    tell(value.undefined & (size - 1), "access");
    return unsigned(value.number & (size - 1));
  }

  static Value compared(uint64_t result, bool is_undefined) {
    return {result, is_undefined, is_undefined};
  }
  static Value equality(const Value &a, const Value &b) {
    const uint64_t undefined = a.undefined | b.undefined;
    return compared(a.number == b.number, undefined && !((a.number ^ b.number) & ~undefined));
  }

  // Is `a` less than `b` for every content of the undefined bits?
  static Value comparison(const Value &a, const Value &b) {
    const bool at_most = (a.number & ~a.undefined) < (b.number | b.undefined),
               at_least = (a.number | a.undefined) < (b.number & ~b.undefined);
    return compared(a.number < b.number, at_most != at_least);
  }

  // Computes in `bits` bits, where integer promotion has no effect.
  Value binary(const Expr &e, const Value &a, const Value &b) const {
    const uint64_t mask = mask_of(e.bits), both = a.undefined | b.undefined,
                   amount = b.number & (e.bits - 1);
    const bool is_copied = a.is_computed || b.is_computed;
    switch (e.op) {
    case Op::bit_and:
      return {a.number & b.number,
              (a.undefined & b.undefined) | (a.number & b.undefined) | (a.undefined & b.number),
              is_copied};
    case Op::bit_or:
      return {a.number | b.number,
              (a.undefined & b.undefined) | (~a.number & b.undefined) | (a.undefined & ~b.number),
              is_copied};
    case Op::bit_xor:
      return {a.number ^ b.number, both, is_copied};
    case Op::left:
    case Op::right: {
      const bool is_left = e.op == Op::left, is_unknown = b.undefined & (e.bits - 1);
      auto shifted = [&](uint64_t from) { return is_left ? from << amount : from >> amount; };
      return {shifted(a.number) & mask, is_unknown ? mask : shifted(a.undefined) & mask,
              a.is_computed || is_unknown};
    }
    case Op::equal:
      return equality(a, b);
    case Op::less:
      return comparison(a, b);
    default: {
      const uint64_t result = e.op == Op::add        ? a.number + b.number
                              : e.op == Op::subtract ? a.number - b.number
                                                     : a.number * b.number;
      return {result & mask, both, both != 0};
    }
    }
  }

  Value evaluate(const Expr &e) {
    switch (e.kind) {
    case ExprKind::literal:
      return {e.number};
    case ExprKind::item:
      return {item_->local_id};
    case ExprKind::variable:
      return item_->variables[e.number];
    case ExprKind::of_private:
      return item_->arrays[e.number][index(e.args[0], private_size)];
    case ExprKind::of_local_own:
      return local_[e.number][item_->local_id * local_slots + e.slot];
    case ExprKind::of_local:
      return local_[e.number][index(e.args[0], local_size)];
    case ExprKind::of_fresh:
      return fresh_[index(e.args[0], fresh_size)];
    case ExprKind::of_mine:
      return mine(e.slot);
    case ExprKind::shift_by:
      return binary(e, evaluate(e.args[0]), {e.number});
    case ExprKind::complement: {
      Value value = evaluate(e.args[0]);
      value.number = ~value.number & mask_of(e.bits);
      return value;
    }
    case ExprKind::convert: {
      Value value = evaluate(e.args[0]);
      value.number &= mask_of(e.bits);
      value.undefined &= mask_of(e.bits);
      return value;
    }
    case ExprKind::choose: {
      const Value value = evaluate(e.args[0]);
      const bool is_unknown = comparison({5}, value).undefined;
      return {value.number > 5 ? e.number : e.other, is_unknown ? e.number ^ e.other : 0,
              is_unknown};
    }
    case ExprKind::binary:
      break;
    }
    const Value left = evaluate(e.args[0]), right = evaluate(e.args[1]);
    return binary(e, left, right);
  }

  Value &mine(unsigned slot) { return mine_[item_->global_id * mine_slots + slot]; }
  // Stores to memory for which only the undefined bits are tracked.
  void store_global(Value &to, const Value &value) {
    tell_store(value);
    to = {value.number, value.undefined, false};
  }
  void tell_store(const Value &value) { tell(value.undefined && value.is_computed, "write"); }

  void block(const Block &statements) {
    for (const Stmt &s : statements) {
      line_ = s.line;
      statement(s);
    }
  }
  // Called first for each statement, so that its line is the current one.
  void statement(const Stmt &s) {
    auto &raw = raw_[item_->local_id];
    switch (s.kind) {
    case StmtKind::assign:
      item_->variables[s.number] = kept(evaluate(s.value));
      return;
    case StmtKind::private_store: {
      const Value value = evaluate(s.value);
      item_->arrays[s.number][index(s.index, private_size)] = kept(value);
      return;
    }
    case StmtKind::local_store:
      local_[s.number][item_->local_id * local_slots + s.slot] = evaluate(s.value);
      return;
    case StmtKind::mine_store:
      return store_global(mine(s.slot), evaluate(s.value));
    case StmtKind::out_store:
      return tell_store(evaluate(s.value));
    case StmtKind::count: {
      const Value value = evaluate(s.value);
      Value &counter = mine(s.slot);
      tell(value.undefined | counter.undefined, "write");
      counter = {uint32_t(counter.number + value.number), 0, false};
      return;
    }
    case StmtKind::raw_store:
      raw = evaluate(s.value);
      return;
    case StmtKind::raw_copy:
      return tell_store(raw.value_or(nothing(32)));
    case StmtKind::raw_sum:
      return tell(raw.value_or(nothing(32)).undefined, "write");
    case StmtKind::raw_branch:
      return tell(comparison({2}, raw.value_or(nothing(32))).undefined, "branch");
    case StmtKind::branch: {
      const Value which = equality(evaluate(s.value), {});
      tell(which.undefined, "branch");
      return block(s.blocks[which.number ? 1 : 0]);
    }
    case StmtKind::loop:
      for (uint64_t i = 0;; ++i) {
        line_ = s.line;
        const Value end = evaluate(s.value),
                    goes_on = comparison({i}, {end.number & 3, end.undefined & 3});
        tell(goes_on.undefined, "branch");
        if (!goes_on.number)
          return;
        block(s.blocks[0]);
      }
    case StmtKind::choice: {
      const Value which = evaluate(s.value);
      tell(which.undefined & 3, "branch");
      return block(s.blocks[std::min<uint64_t>(which.number & 3, 2)]);
    }
    case StmtKind::block:
      item_->variables[s.number] = nothing(program_.variables[s.number].bits);
      return block(s.blocks[0]);
    }
  }

  const Program &program_;
  Findings found_;
  unsigned line_ = 0;
  Item *item_ = nullptr;
  std::vector<Value> fresh_, mine_;
  std::array<std::vector<Value>, 2> local_;
  std::vector<std::optional<Value>> raw_; // empty: as the group found it
};

} // namespace

Findings interpret(const Program &program, const Contents &contents) {
  return Interpreter(program, contents).run();
}

} // namespace lockstep::fuzz::undefined
