#include "program.h"

#include <algorithm>

namespace lockstep::fuzz::undefined {

namespace {

class Generator {
public:
  explicit Generator(uint64_t seed) : random_(seed * 0x9e3779b97f4a7c15 + 1) {
    program_.seed = seed;
  }

  Program make() {
    for (unsigned i = 0; i != 5; ++i)
      program_.variables.push_back({width(), random_.chance(40), false});
    for (auto *bits : {&program_.private_bits, &program_.local_bits})
      for (unsigned &one : *bits)
        one = width();
    Phase first; // writes all local memory
    for (unsigned array : {0u, 1u})
      for (unsigned slot = 0; slot != local_slots; ++slot)
        first.block.push_back({.kind = StmtKind::local_store,
                               .number = array,
                               .slot = slot,
                               .value = as(program_.local_bits[array],
                                           random_.chance(60) ? variable() : literal(32))});
    program_.phases.push_back(std::move(first));
    for (unsigned count = random_.between(1, 3); count != 0; --count) {
      is_shared_ = {random_.chance(50), random_.chance(50)};
      Phase phase;
      phase.block = block(3);
      meet(phase);
      program_.phases.push_back(std::move(phase));
    }
    return std::move(program_);
  }

private:
  unsigned width() {
    static const std::vector<unsigned> all = {8, 16, 32, 32, 32, 64};
    return random_.pick(all);
  }
  Expr literal(unsigned bits) {
    uint64_t number = random_.chance(50) ? random_.below(9) : random_.next();
    if (bits < 64)
      number &= (uint64_t(1) << bits) - 1;
    // The compiler folds sums with 0 and products with 0 and 1.
    number = std::max<uint64_t>(number, 2);
    return {.kind = ExprKind::literal, .bits = bits, .number = number};
  }
  Expr variable() {
    const auto number = random_.pick(visible());
    return {.kind = ExprKind::variable, .bits = program_.variables[number].bits, .number = number};
  }
  std::vector<unsigned> visible() const {
    std::vector<unsigned> all = open_;
    for (unsigned i = 0; i != program_.variables.size(); ++i)
      if (!program_.variables[i].is_of_block)
        all.push_back(i);
    return all;
  }
  static Expr as(unsigned bits, Expr from) {
    if (from.bits == bits)
      return from;
    return {.kind = ExprKind::convert, .bits = bits, .args = {std::move(from)}};
  }
  Expr leaf(unsigned depth) { return random_.chance(15) ? literal(width()) : place(depth); }
  Expr place(unsigned depth) {
    const auto array = random_.below(2);
    switch (random_.weighted({14, 2, 5, 5, 5, 4, 4})) {
    case 0:
      return variable();
    case 1:
      return {.kind = ExprKind::item, .bits = 32};
    case 2:
      return {.kind = ExprKind::of_private,
              .bits = program_.private_bits[array],
              .number = array,
              .args = {expr(32, depth)}};
    case 3:
      return {.kind = ExprKind::of_local_own,
              .bits = program_.local_bits[array],
              .number = array,
              .slot = random_.below(local_slots)};
    case 4:
      if (is_shared_[array])
        return {.kind = ExprKind::of_local,
                .bits = program_.local_bits[array],
                .number = array,
                .args = {expr(32, depth)}};
      return variable();
    case 5:
      return {.kind = ExprKind::of_fresh, .bits = 32, .args = {expr(32, depth)}};
    default:
      return {.kind = ExprKind::of_mine, .bits = 32, .slot = random_.below(mine_slots)};
    }
  }
  Expr expr(unsigned bits, unsigned depth) {
    if (depth == 0 || random_.chance(25))
      return as(bits, leaf(depth ? depth - 1 : 0));
    --depth;
    switch (random_.weighted({10, 3, 2, 2})) {
    case 0: {
      const Op op = Op(random_.below(10));
      // The compiler knows the result of adding 0, the bits that a shift moves out, and the bits
      // that a conversion clears. So such operands are loaded from memory, in their own width.
      if (op <= Op::multiply || op == Op::left || op == Op::right) {
        Expr left = place(depth);
        Expr right = as(left.bits, place(depth));
        if (op <= Op::multiply && random_.chance(50)) {
          right = literal(left.bits);
          right.number |= 1; // the last bit of a product with an even number is known
        }
        return as(bits, {.kind = ExprKind::binary,
                         .bits = left.bits,
                         .op = op,
                         .args = {std::move(left), std::move(right)}});
      }
      Expr left = expr(bits, depth), right = random_.chance(50) ? literal(bits) : expr(bits, depth);
      return {.kind = ExprKind::binary, .bits = bits, .op = op, .args = {left, right}};
    }
    case 1:
      return {.kind = ExprKind::shift_by,
              .bits = bits,
              .number = random_.below(bits),
              .op = random_.chance(50) ? Op::left : Op::right,
              .args = {expr(bits, depth)}};
    case 2:
      return {.kind = ExprKind::complement, .bits = bits, .args = {expr(bits, depth)}};
    default:
      return as(bits, expr(width(), depth));
    }
  }

  Block block(unsigned depth) {
    Block made;
    for (unsigned count = random_.between(2, depth == 3 ? 7 : 3); count != 0; --count)
      made.push_back(statement(depth));
    return made;
  }
  Stmt statement(unsigned depth) {
    const auto array = random_.below(2);
    Stmt s;
    switch (random_.weighted({20, 8, 8, 5, 8, 2, 2, 1, 1, 1, depth ? 8u : 0, depth ? 4u : 0,
                              depth ? 3u : 0, depth ? 4u : 0})) {
    case 0:
      s.number = random_.pick(visible());
      s.value = expr(program_.variables[s.number].bits, 3);
      if (random_.chance(8)) // not nested: the compiler computes with both literals
        s.value = {.kind = ExprKind::choose,
                   .bits = s.value.bits,
                   .number = literal(8).number,
                   .other = literal(8).number,
                   .args = {expr(32, 2)}};
      return s;
    case 1:
      s.kind = StmtKind::private_store;
      s.number = array;
      s.index = expr(32, 2);
      s.value = expr(program_.private_bits[array], 2);
      return s;
    case 2:
      if (is_shared_[array])
        return statement(depth);
      s.kind = StmtKind::local_store;
      s.number = array;
      s.slot = random_.below(local_slots);
      s.value = expr(program_.local_bits[array], 2);
      return s;
    case 3:
      s.kind = StmtKind::mine_store;
      s.slot = random_.below(mine_slots);
      s.value = expr(32, 2);
      return s;
    case 4:
      s.kind = StmtKind::out_store;
      s.slot = random_.below(out_slots);
      s.value = expr(32, 3);
      return s;
    case 5:
      s.kind = StmtKind::count;
      s.slot = random_.below(mine_slots);
      // Never adds 0, which would only read.
      s.value = {.kind = ExprKind::binary,
                 .op = Op::bit_or,
                 .args = {as(32, random_.chance(50) ? variable() : literal(8)), {.number = 1}}};
      return s;
    case 6:
      s.kind = StmtKind::raw_store;
      s.value = expr(32, 2);
      return s;
    case 7:
    case 8:
    case 9:
      s.kind = StmtKind(unsigned(StmtKind::raw_copy) + random_.below(3));
      s.slot = random_.below(out_slots);
      return s;
    case 10:
      s.kind = StmtKind::branch;
      s.value = expr(width(), 2);
      s.blocks = {block(depth - 1), random_.chance(40) ? block(depth - 1) : Block{}};
      return s;
    case 11:
      s.kind = StmtKind::loop;
      s.value = expr(32, 1);
      s.number = loops_++;
      s.blocks = {block(depth - 1)};
      return s;
    case 12:
      s.kind = StmtKind::choice;
      s.value = expr(32, 2);
      for (unsigned i = 0; i != 3; ++i)
        s.blocks.push_back(block(0));
      return s;
    default:
      s.kind = StmtKind::block;
      s.number = unsigned(program_.variables.size());
      program_.variables.push_back({width(), false, true});
      open_.push_back(s.number);
      s.blocks = {block(depth - 1)};
      open_.pop_back();
      return s;
    }
  }

  void meet(Phase &phase) {
    phase.meeting = Meeting(random_.weighted({4, 1, 1, 2, 2}));
    phase.from = random_.below(fresh_size - local_size + 1);
    phase.variable = random_.below(5);
    phase.value = expr(32, 1);
    if (phase.value.kind == ExprKind::literal)
      phase.value = as(32, variable());
  }

  Random random_;
  Program program_;
  std::vector<unsigned> open_; // variables of enclosing blocks
  std::array<bool, 2> is_shared_{};
  unsigned loops_ = 0;
};

} // namespace

Program generate(uint64_t seed) {
  return Generator(seed).make();
}

} // namespace lockstep::fuzz::undefined
