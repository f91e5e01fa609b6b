// Generates branches, loops, switches, and jumps out of them.
#include "generator.h"

namespace lockstep::fuzz {

// ---- control flow

void Generator::branch(Block &out, const Flow &outer) {
  auto s = make_stmt(StmtKind::branch);
  Flow flow = outer;
  const bool uniform = outer.uniform && (rows_ || random_.chance(50));
  flow.uniform = flow.barriers = uniform;
  flow.barriers = flow.barriers && outer.barriers;
  if (!uniform && outer.loop == Flow::Loop::uniform)
    flow.loop = Flow::Loop::none; // a single item may not leave a loop with barriers
  ++flow.depth;
  flow.weight *= 0.7;
  s->expr.push_back(truth(use(outer, uniform)));
  const std::vector<Phase> entry = phases_;
  for (int i = 0; i < 2; ++i) {
    s->blocks.push_back(i == 0 || random_.chance(60) ? block(flow, int(random_.between(1, 4)))
                                                     : Block());
    restore(s->blocks.back(), entry);
  }
  out.push_back(std::move(s));
}

Block Generator::loop_body(Flow flow, bool uniform, double rounds) {
  flow.uniform = uniform;
  flow.barriers = flow.barriers && uniform;
  flow.loop = uniform ? Flow::Loop::uniform : Flow::Loop::divergent;
  flow.in_switch = false;
  flow.loop_phases = phases_;
  flow.weight *= rounds;
  ++flow.depth;
  const std::vector<Phase> entry = phases_;
  Block body = block(flow, int(random_.between(1, 4)));
  restore(body, entry);
  // After the last barrier of an iteration, an item may leave the iteration alone. All items meet
  // again at the first barrier of the next iteration.
  if (uniform && !rows_ && random_.chance(25)) {
    flow.uniform = flow.barriers = false;
    flow.loop = Flow::Loop::none;
    auto skip = make_stmt(StmtKind::branch);
    skip->expr.push_back(truth(use(flow, false)));
    skip->blocks.resize(2);
    skip->blocks[0].push_back(make_stmt(StmtKind::next));
    body.push_back(std::move(skip));
    for (StmtPtr &s : block(flow, int(random_.between(1, 2))))
      body.push_back(std::move(s));
  }
  return body;
}

void Generator::for_loop(Block &out, const Flow &outer, bool uniform) {
  const uint32_t rounds = random_.between(1, 4);
  const size_t scope = visible_.size();
  auto s = make_stmt(StmtKind::for_loop);
  ExprPtr first, end;
  bool counter_uniform = uniform;
  // A loop is uniform even if its counter differs between items, as long as the number of
  // iterations is the same.
  if (uniform && !rows_ && random_.chance(35)) {
    counter_uniform = false;
    ExprPtr small = make_operation(Op::bit_and, expression(type_uint, {2, false, true}),
                                   make_literal(type_uint, 0xffff));
    const int start = declare_as(out, type_uint, false, true, std::move(small));
    first = read(start);
    end = make_operation(Op::add, read(start), make_literal(type_uint, rounds));
  } else if (random_.chance(40)) {
    first = make_literal(type_uint, random_.below(3));
    end = make_literal(type_uint, uint32_t(first->literal.lane[0]) + rounds);
  } else {
    first = make_literal(type_uint, 0);
    const int bound =
        declare_as(out, type_uint, uniform, true,
                   make_operation(Op::modulo, expression(type_uint, {2, uniform, true}),
                                  make_literal(type_uint, 63)));
    end =
        make_operation(Op::bit_and, read(bound), make_literal(type_uint, rounds > 2 ? 3 : rounds));
    if (random_.chance(50))
      end = make_operation(Op::add, std::move(end), make_literal(type_uint, 1));
  }
  s->ref = new_variable(type_uint, counter_uniform, true);
  const bool down = random_.chance(25);
  ExprPtr counter = read(s->ref);
  if (down) { // for (i = end; i > first; i = i - 1)
    s->expr.push_back(std::move(end));
    s->expr.push_back(make_operation(Op::less, std::move(first), std::move(counter)));
  } else {
    s->expr.push_back(std::move(first));
    s->expr.push_back(make_operation(Op::less, std::move(counter), std::move(end)));
  }
  s->expr.push_back(
      make_operation(down ? Op::subtract : Op::add, read(s->ref), make_literal(type_uint, 1)));
  visible_.push_back(s->ref);
  s->blocks.push_back(loop_body(outer, uniform, rounds));
  visible_.resize(scope);
  out.push_back(std::move(s));
}

void Generator::while_loop(Block &out, const Flow &outer, bool uniform) {
  const uint32_t rounds = random_.between(1, 4);
  auto s = make_stmt(random_.chance(60) ? StmtKind::while_loop : StmtKind::do_loop);
  s->ref = new_variable(type_uint, uniform, true);
  s->expr.push_back(make_literal(type_uint, rounds));
  // The condition is evaluated with the phases of the loop's beginning, also after the body.
  s->expr.push_back(truth(use(outer, uniform)));
  visible_.push_back(s->ref);
  s->blocks.push_back(loop_body(outer, uniform, rounds));
  visible_.pop_back();
  visible_.push_back(s->ref); // declared before the loop, so visible after it
  out.push_back(std::move(s));
}

void Generator::loop(Block &out, const Flow &flow) {
  // Not in functions: their result for uniform arguments counts as uniform.
  if (!rows_ && in_kernel_ && random_.chance(20))
    return strided_loop(out, flow);
  const bool uniform = flow.uniform && (rows_ || random_.chance(60));
  random_.chance(60) ? for_loop(out, flow, uniform) : while_loop(out, flow, uniform);
}

// A loop with two entries, made with goto: irreducible control flow.
void Generator::tangle(Block &out, const Flow &outer) {
  const uint32_t rounds = random_.between(1, 3);
  const bool uniform = outer.uniform && (rows_ || random_.chance(60));
  auto s = make_stmt(StmtKind::tangle, new_variable(type_uint, uniform, true));
  Flow flow = outer;
  flow.tangled = true;
  flow.uniform = uniform;
  flow.barriers = outer.barriers && uniform;
  if (!uniform && outer.loop == Flow::Loop::uniform)
    flow.loop = Flow::Loop::none;
  ++flow.depth;
  flow.weight *= rounds;
  s->expr.push_back(make_literal(type_uint, rounds));
  s->expr.push_back(truth(use(outer, uniform)));
  s->expr.push_back(truth(use(outer, uniform))); // evaluated with the phases of the beginning
  visible_.push_back(s->ref);
  const std::vector<Phase> entry = phases_;
  for (int i = 0; i < 2; ++i) {
    s->blocks.push_back(block(flow, int(random_.between(1, 3))));
    restore(s->blocks.back(), entry);
  }
  out.push_back(std::move(s));
}

void Generator::choice(Block &out, const Flow &outer) {
  auto s = make_stmt(StmtKind::choice);
  Flow flow = outer;
  const bool uniform = outer.uniform && (rows_ || random_.chance(50));
  flow.uniform = uniform;
  flow.barriers = outer.barriers && uniform;
  if (!uniform && outer.loop == Flow::Loop::uniform)
    flow.loop = Flow::Loop::none;
  flow.in_switch = true;
  ++flow.depth;
  flow.weight *= 0.5;
  s->expr.push_back(expression(type_uint, use(outer, uniform)));
  const std::vector<Phase> entry = phases_;
  const int cases = int(random_.between(2, 4));
  for (int i = 0; i < cases; ++i) {
    s->blocks.push_back(block(flow, int(random_.between(1, 3))));
    restore(s->blocks.back(), entry);
    s->falls.push_back(i + 1 < cases && random_.chance(30));
  }
  out.push_back(std::move(s));
}

// if (...) break; or continue;
void Generator::leave_loop(Block &out, const Flow &flow) {
  auto s = make_stmt(StmtKind::branch);
  const bool uniform = flow.loop == Flow::Loop::uniform;
  s->expr.push_back(truth(use(flow, uniform)));
  s->blocks.resize(2);
  const std::vector<Phase> here = phases_;
  restore(s->blocks[0], flow.loop_phases);
  s->blocks[0].push_back(
      make_stmt(flow.in_switch || random_.chance(40) ? StmtKind::next : StmtKind::leave));
  phases_ = here;
  out.push_back(std::move(s));
}

// if (...) return; -- by the whole group, or by one item where no barrier follows.
void Generator::leave_function(Block &out, const Flow &flow) {
  auto s = make_stmt(StmtKind::branch);
  const bool uniform = flow.barriers;
  s->expr.push_back(truth(use(flow, uniform)));
  s->blocks.resize(2);
  const std::vector<Phase> here = phases_;
  if (function_.group)
    restore(s->blocks[0], function_.phases);
  give_back(s->blocks[0], use(flow, false));
  phases_ = here;
  out.push_back(std::move(s));
}

} // namespace lockstep::fuzz
