#include "linear_code.h"

#include <map>

namespace lockstep::fuzz {

namespace {

class Builder {
public:
  std::vector<Step> build(const Function &f) {
    block(f.body);
    steps_.push_back({StepKind::give_back});
    for (auto [step, way, label] : go_tos_) {
      (way < 0 ? steps_[step].target : steps_[step].table[way]) = labels_.at(label);
    }
    return std::move(steps_);
  }

private:
  struct Leaving {
    std::vector<int> breaks, continues; // steps whose target is filled in later
    bool loop;
  };

  int here() const { return int(steps_.size()); }
  int emit(Step step) {
    steps_.push_back(std::move(step));
    return here() - 1;
  }
  void aim(const std::vector<int> &jumps, int target) {
    for (int jump : jumps)
      steps_[jump].target = target;
  }

  void block(const Block &b) {
    for (const StmtPtr &s : b)
      if (!s->cut)
        statement(*s);
  }

  void branch(const Stmt &s) {
    int test = emit({StepKind::test, &s, s.expr[0].get()});
    block(s.blocks[0]);
    int jump = emit({StepKind::jump});
    steps_[test].target = here();
    block(s.blocks[1]);
    steps_[jump].target = here();
  }

  void for_loop(const Stmt &s) {
    emit({StepKind::set, &s, s.expr[0].get(), s.ref});
    int top = here();
    int test = emit({StepKind::test, &s, s.expr[1].get()});
    open_.push_back({{}, {}, true});
    block(s.blocks[0]);
    aim(open_.back().continues, here());
    emit({StepKind::set, &s, s.expr[2].get(), s.ref});
    emit({StepKind::jump, &s, nullptr, -1, top});
    steps_[test].target = here();
    aim(open_.back().breaks, here());
    open_.pop_back();
  }

  void while_loop(const Stmt &s) {
    const bool test_first = s.kind == StmtKind::while_loop;
    emit({StepKind::set, &s, nullptr, s.ref});
    int enter = test_first ? emit({StepKind::jump}) : -1;
    int top = here();
    emit({StepKind::count, &s, nullptr, s.ref});
    open_.push_back({{}, {}, true});
    block(s.blocks[0]);
    aim(open_.back().continues, here());
    if (test_first)
      steps_[enter].target = here();
    int below = emit({StepKind::below, &s, s.expr[0].get(), s.ref});
    int test = emit({StepKind::test, &s, s.expr[1].get()});
    emit({StepKind::jump, &s, nullptr, -1, top});
    steps_[below].target = steps_[test].target = here();
    aim(open_.back().breaks, here());
    open_.pop_back();
  }

  void tangle(const Stmt &s) {
    emit({StepKind::set, &s, nullptr, s.ref});
    int test = emit({StepKind::test, &s, s.expr[1].get()});
    int enter_second = emit({StepKind::jump});
    int first = steps_[test].target = here();
    block(s.blocks[0]);
    steps_[enter_second].target = here();
    block(s.blocks[1]);
    emit({StepKind::count, &s, nullptr, s.ref});
    int below = emit({StepKind::below, &s, s.expr[0].get(), s.ref});
    int again = emit({StepKind::test, &s, s.expr[2].get()});
    emit({StepKind::jump, &s, nullptr, -1, first});
    steps_[below].target = steps_[again].target = here();
  }

  void choice(const Stmt &s) {
    int choose = emit({StepKind::choose, &s, s.expr[0].get()});
    std::vector<int> table;
    open_.push_back({{}, {}, false});
    for (size_t i = 0; i < s.blocks.size(); ++i) {
      table.push_back(here());
      block(s.blocks[i]);
      if (!s.falls[i])
        open_.back().breaks.push_back(emit({StepKind::jump}));
    }
    table.push_back(
        table.back()); // one value more than cases: the default, which is the last block
    aim(open_.back().breaks, here());
    open_.pop_back();
    steps_[choose].table = std::move(table);
  }

  void label(const Stmt &s) {
    labels_[s.ref] = here();
    block(s.blocks[0]);
  }

  void go_to(const Stmt &s) {
    std::vector<int> skips;
    if (s.ref >= 0) {
      emit({StepKind::count, &s, nullptr, s.ref});
      skips.push_back(emit({StepKind::below, &s, s.expr[0].get(), s.ref}));
    }
    skips.push_back(emit({StepKind::test, &s, s.expr[1].get()}));
    if (s.labels.size() == 1) {
      go_tos_.push_back({emit({StepKind::jump, &s}), -1, s.labels[0]});
    } else {
      const int choose = emit({StepKind::choose, &s, s.expr[2].get()});
      steps_[choose].table.resize(s.labels.size());
      for (size_t way = 0; way < s.labels.size(); ++way)
        go_tos_.push_back({choose, int(way), s.labels[way]});
    }
    aim(skips, here());
  }

  void counted_loop(const Stmt &s) {
    const bool test_first = s.style == 0;
    const int enter = test_first ? emit({StepKind::jump}) : -1;
    const int top = here();
    open_.push_back({{}, {}, true});
    block(s.blocks[0]);
    aim(open_.back().continues, here());
    if (test_first)
      steps_[enter].target = here();
    emit({StepKind::count, &s, nullptr, s.ref});
    const int below = emit({StepKind::below, &s, s.expr[0].get(), s.ref});
    const int test = emit({StepKind::test, &s, s.expr[1].get()});
    emit({StepKind::jump, &s, nullptr, -1, top});
    steps_[below].target = steps_[test].target = here();
    aim(open_.back().breaks, here());
    open_.pop_back();
  }

  void statement(const Stmt &s) {
    switch (s.kind) {
    case StmtKind::branch:
      return branch(s);
    case StmtKind::for_loop:
      return for_loop(s);
    case StmtKind::while_loop:
    case StmtKind::do_loop:
    case StmtKind::again:
      return while_loop(s);
    case StmtKind::nest:
      block(s.blocks[0]);
      aim(jumps_[s.ref], here());
      return;
    case StmtKind::jump:
      jumps_[s.ref].push_back(emit({StepKind::jump, &s}));
      return;
    case StmtKind::maze:
      emit({StepKind::set, &s, nullptr, s.ref});
      return block(s.blocks[0]);
    case StmtKind::label:
      return label(s);
    case StmtKind::go_to:
      return go_to(s);
    case StmtKind::counted_loop:
      return counted_loop(s);
    case StmtKind::tangle:
      return tangle(s);
    case StmtKind::choice:
      return choice(s);
    case StmtKind::leave:
      open_.back().breaks.push_back(emit({StepKind::jump, &s}));
      return;
    case StmtKind::next: {
      size_t loop = open_.size() - 1;
      while (!open_[loop].loop) // continue goes through a switch
        --loop;
      open_[loop].continues.push_back(emit({StepKind::jump, &s}));
      return;
    }
    case StmtKind::give_back:
      emit({StepKind::give_back, &s, s.expr.empty() ? nullptr : s.expr[0].get()});
      return;
    case StmtKind::barrier:
      emit({StepKind::barrier, &s});
      return;
    case StmtKind::async_copy:
    case StmtKind::copy_back:
      emit({StepKind::async_copy, &s});
      return;
    case StmtKind::together:
      emit({StepKind::together, &s});
      return;
    case StmtKind::call:
      emit({StepKind::call, &s});
      return;
    default:
      emit({StepKind::simple, &s});
      return;
    }
  }

  std::vector<Step> steps_;
  std::vector<Leaving> open_;
  std::map<int, std::vector<int>> jumps_; // to the end of each nest
  struct GoTo {
    int step, way; // way: entry of the step's table; -1: its target
    int label;
  };
  std::vector<GoTo> go_tos_;
  std::map<int, int> labels_; // positions of the labels
};

} // namespace

std::vector<Step> linear_code(const Function &function) {
  return Builder().build(function);
}

} // namespace lockstep::fuzz
