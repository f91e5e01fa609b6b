// Generates mazes: statements with gotos in all directions, forward and backward, into and out of
// loops and branches, to one of several labels, and into cycles with several entries.
//
// Mazes end: backward jumps and loop iterations in them count in one variable, up to a limit. Mazes
// are legal: variables are declared before all labels or in blocks without labels, and the phases
// are the same at all labels.
#include "generator.h"

namespace lockstep::fuzz {

std::vector<int> Generator::some_labels(const std::vector<int> &of) {
  std::vector<int> labels;
  for (uint32_t i = random_.chance(50) ? 1 : random_.between(2, 3); i > 0; --i)
    labels.push_back(random_.pick(of));
  return labels;
}

// if (++jumps < limit && ...) goto one of the labels. `choice_uniform`: all items of the group jump
// to the same label.
StmtPtr Generator::go_to(const Maze &maze, std::vector<int> labels, bool counts, bool uniform,
                         bool choice_uniform) {
  auto s = make_stmt(StmtKind::go_to, counts ? maze.jumps : -1);
  s->expr.push_back(make_literal(type_uint, maze.limit));
  s->expr.push_back(random_.chance(25) ? make_literal(type_int, 1)
                                       : truth(use(maze.flow, uniform)));
  if (labels.size() > 1)
    s->expr.push_back(expression(type_uint, use(maze.flow, choice_uniform)));
  s->labels = std::move(labels);
  return s;
}

// A label, and the statements after it.
StmtPtr Generator::part(const Maze &maze, int label, const Flow &flow) {
  auto s = make_stmt(StmtKind::label, label);
  s->needed = true;
  s->blocks.push_back(block(flow, int(random_.between(1, 3))));
  restore(s->blocks[0], maze.phases);
  return s;
}

// The statements of several labels, within the constructs that C requires around them.
void Generator::enclosed_parts(Block &out, const Maze &maze, size_t first, size_t last, int depth) {
  const bool uniform = maze.flow.uniform;
  Maze inner = maze;
  StmtPtr s;
  switch (random_.below(4)) {
  case 0: {
    s = make_stmt(StmtKind::branch);
    s->expr.push_back(truth(use(maze.flow, uniform)));
    s->blocks.resize(2);
    const size_t middle = random_.chance(50) ? first + random_.below(uint32_t(last - first)) : last;
    parts(s->blocks[0], maze, first, middle, depth + 1);
    parts(s->blocks[1], maze, middle, last, depth + 1);
    break;
  }
  case 1: {
    s = make_stmt(StmtKind::choice);
    s->expr.push_back(expression(type_uint, use(maze.flow, uniform)));
    inner.breaks = true;
    for (size_t at = first; at != last;) {
      const size_t next = at + random_.between(1, uint32_t(last - at));
      parts(s->blocks.emplace_back(), inner, at, next, depth + 1);
      s->falls.push_back(next != last && random_.chance(40));
      at = next;
    }
    break;
  }
  default: {
    s = make_stmt(StmtKind::counted_loop, maze.jumps);
    s->style = int(random_.below(2));
    s->expr.push_back(make_literal(type_uint, maze.limit));
    s->expr.push_back(truth(use(maze.flow, uniform)));
    inner.breaks = inner.continues = true;
    parts(s->blocks.emplace_back(), inner, first, last, depth + 1);
  }
  }
  s->needed = true; // there are labels in it
  out.push_back(std::move(s));
}

void Generator::parts(Block &out, const Maze &maze, size_t first, size_t last, int depth) {
  const bool uniform = maze.flow.uniform;
  while (first != last) {
    const size_t next = first + random_.between(1, uint32_t(last - first));
    if (depth < 3 && random_.chance(45)) {
      enclosed_parts(out, maze, first, next, depth);
      first = next;
    } else {
      out.push_back(part(maze, maze.labels[first++], maze.flow));
    }
    if (random_.chance(65))
      out.push_back(go_to(maze, some_labels(maze.labels), true, uniform, uniform));
    if ((maze.breaks || maze.continues) && random_.chance(20)) {
      auto s = make_stmt(StmtKind::branch);
      s->expr.push_back(truth(use(maze.flow, uniform)));
      s->blocks.resize(2);
      s->blocks[0].push_back(make_stmt(maze.continues && (!maze.breaks || random_.chance(50))
                                           ? StmtKind::next
                                           : StmtKind::leave));
      out.push_back(std::move(s));
    }
  }
}

// Items take different paths to each meeting label, and may enter the loop around it anywhere. From
// a meeting label on they run together, because all items must run a loop with a barrier equally
// often.
void Generator::meetings(Block &out, const Maze &maze) {
  Flow alone = maze.flow;
  alone.uniform = alone.barriers = false;
  alone.tangled = true;
  std::vector<std::vector<int>> paths(random_.between(1, 2)); // to each meeting label
  std::vector<int> heads;
  for (std::vector<int> &labels : paths) {
    for (uint32_t i = random_.between(3, 5); i > 0; --i)
      labels.push_back(labels_++);
    heads.push_back(labels[0]);
  }
  out.push_back(go_to(maze, some_labels(random_.pick(paths)), false, true, false));
  for (const std::vector<int> &labels : paths) {
    for (size_t i = 0; i + 1 != labels.size(); ++i) {
      out.push_back(part(maze, labels[i], alone));
      if (random_.chance(60))
        out.push_back(go_to(maze, some_labels({labels.begin() + ptrdiff_t(i) + 1, labels.end()}),
                            false, false, false));
    }
    auto meeting = make_stmt(StmtKind::label, labels.back());
    meeting->needed = true;
    random_barrier(meeting->blocks.emplace_back());
    for (StmtPtr &more : block(maze.flow, int(random_.below(3))))
      meeting->blocks[0].push_back(std::move(more));
    restore(meeting->blocks[0], maze.phases);
    out.push_back(std::move(meeting));
    out.push_back(go_to(maze, {random_.pick(heads)}, true, true, true));
  }
}

void Generator::maze(Block &out, const Flow &outer) {
  --mazes_left_;
  Maze maze;
  maze.limit = random_.between(2, 7);
  maze.flow = outer;
  maze.flow.uniform = outer.uniform && random_.chance(outer.barriers ? 70 : 40);
  maze.flow.barriers = outer.barriers && maze.flow.uniform;
  maze.flow.loop = Flow::Loop::none;
  maze.flow.tangled = outer.tangled || !maze.flow.uniform;
  maze.flow.weight *= 3;
  ++maze.flow.depth;
  maze.phases = phases_;
  maze.jumps = new_variable(type_uint, maze.flow.uniform, true);
  auto s = make_stmt(StmtKind::maze, maze.jumps);
  Block &body = s->blocks.emplace_back();
  if (maze.flow.barriers && random_.chance(50)) {
    meetings(body, maze);
  } else {
    for (uint32_t i = random_.between(2, 5); i > 0; --i)
      maze.labels.push_back(labels_++);
    if (random_.chance(70))
      body.push_back(
          go_to(maze, some_labels(maze.labels), true, maze.flow.uniform, maze.flow.uniform));
    parts(body, maze, 0, maze.labels.size(), 0);
  }
  out.push_back(std::move(s));
}

} // namespace lockstep::fuzz
