// Generates gotos other than those of loops with two entries: out of several nested loops and
// switches at once, and backward.
#include "generator.h"

namespace lockstep::fuzz {

// A block that a goto can leave from any depth. If items may leave it one by one, it has no
// barriers.
void Generator::nest(Block &out, const Flow &outer) {
  auto s = make_stmt(StmtKind::nest, labels_++);
  Flow flow = outer;
  flow.uniform = outer.uniform && random_.chance(50);
  flow.barriers = outer.barriers && flow.uniform;
  if (!flow.uniform && outer.loop == Flow::Loop::uniform)
    flow.loop = Flow::Loop::none;
  flow.exit = s->ref;
  flow.exit_uniform = flow.uniform;
  flow.exit_phases = phases_;
  ++flow.depth;
  const size_t scope = visible_.size();
  Block body = block(flow, 1);
  loop(body, flow);
  for (StmtPtr &more : block(flow, int(random_.between(1, 2))))
    body.push_back(std::move(more));
  restore(body, flow.exit_phases);
  visible_.resize(scope);
  s->blocks.push_back(std::move(body));
  out.push_back(std::move(s));
}

// if (...) goto the end of the nest;
void Generator::jump(Block &out, const Flow &flow) {
  auto s = make_stmt(StmtKind::branch);
  s->expr.push_back(truth(use(flow, flow.exit_uniform)));
  s->blocks.resize(2);
  const std::vector<Phase> here = phases_;
  restore(s->blocks[0], flow.exit_phases);
  s->blocks[0].push_back(make_stmt(StmtKind::jump, flow.exit));
  phases_ = here;
  out.push_back(std::move(s));
}

// A loop whose back edge is a goto.
void Generator::again(Block &out, const Flow &outer) {
  const uint32_t rounds = random_.between(1, 4);
  const bool uniform = outer.uniform && random_.chance(60);
  auto s = make_stmt(StmtKind::again, new_variable(type_uint, uniform, true));
  Flow flow = outer;
  flow.uniform = uniform;
  flow.barriers = outer.barriers && uniform;
  flow.loop = Flow::Loop::none;
  flow.weight *= rounds;
  ++flow.depth;
  s->expr.push_back(make_literal(type_uint, rounds));
  s->expr.push_back(truth(use(outer, uniform)));
  visible_.push_back(s->ref);
  const std::vector<Phase> entry = phases_;
  s->blocks.push_back(block(flow, int(random_.between(1, 4))));
  restore(s->blocks.back(), entry);
  out.push_back(std::move(s));
}

} // namespace lockstep::fuzz
