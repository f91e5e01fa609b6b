#include "abi/assumptions.h"

namespace lockstep::compiler {

namespace {

// Writer and Reader share the `visit` functions, one for each type.
class Writer {
public:
  void word(auto &value) { words_.push_back(static_cast<int64_t>(value)); }
  template <class T> void list(std::vector<T> &list) {
    words_.push_back(static_cast<int64_t>(list.size()));
  }
  std::vector<int64_t> words_;
};

class Reader {
public:
  explicit Reader(std::span<const int64_t> words) : words_(words) {}
  template <class T> void word(T &value) { value = static_cast<T>(next()); }
  template <class T> void list(std::vector<T> &list) {
    const auto size = static_cast<uint64_t>(next());
    list.resize(size <= words_.size() ? size : 0);
  }

private:
  int64_t next() {
    if (words_.empty())
      return 0;
    const int64_t word = words_.front();
    words_ = words_.subspan(1);
    return word;
  }
  std::span<const int64_t> words_;
};

void visit(auto &stream, LaunchAtom &atom) {
  stream.word(atom.number);
  stream.word(atom.index);
  stream.word(atom.shift);
  if (atom.number == LaunchNumber::member) {
    stream.word(atom.byte);
    stream.word(atom.size);
  }
}

void visit(auto &stream, int64_t &word) {
  stream.word(word);
}

template <class T> void visit(auto &stream, std::vector<T> &list) {
  stream.list(list);
  for (T &each : list)
    visit(stream, each);
}

void visit(auto &stream, LaunchTerm &term) {
  stream.word(term.factor);
  visit(stream, term.atoms);
}

void visit(auto &stream, FittingSum &fitting) {
  visit(stream, fitting.sum);
  stream.word(fitting.bits);
  stream.word(fitting.is_signed);
}

void visit(auto &stream, AccessAddress &place) {
  visit(stream, place.offset);
  stream.word(place.size);
}

void visit(auto &stream, Division &division) {
  visit(stream, division.dividend);
  visit(stream, division.divisor);
  stream.word(division.bits);
  stream.word(division.is_by_power_of_two);
}

void visit(auto &stream, Guard &guard) {
  visit(stream, guard.sum);
  visit(stream, guard.bound);
  stream.word(guard.bits);
  stream.word(guard.is_signed);
  visit(stream, guard.fitting);
}

void visit(auto &stream, DistinctAddresses &places) {
  stream.word(places.number);
  stream.word(places.argument);
  visit(stream, places.fitting);
  stream.word(places.is_of_one_item);
  visit(stream, places.counters);
  visit(stream, places.steps);
  stream.word(places.are_bounds);
  visit(stream, places.places);
  visit(stream, places.divisions);
  visit(stream, places.guards);
}

void visit(auto &stream, ArgumentUse &use) {
  stream.word(use.argument);
  stream.word(use.writes);
  stream.word(use.is_atomic);
  stream.word(use.byte);
  stream.word(use.number);
  visit(stream, use.reach);
}

void visit(auto &stream, DisjointRanges &ranges) {
  stream.word(ranges.number);
  visit(stream, ranges.distance);
  visit(stream, ranges.first);
  visit(stream, ranges.second);
  visit(stream, ranges.fitting);
}

void visit(auto &stream, AccessCondition &condition) {
  stream.word(condition.kind);
  visit(stream, condition.sum);
  visit(stream, condition.fitting);
}

void visit(auto &stream, Sweep &sweep) {
  stream.word(sweep.counter);
  visit(stream, sweep.start);
  visit(stream, sweep.step);
  visit(stream, sweep.bound);
  visit(stream, sweep.fitting);
}

void visit(auto &stream, MustAccess &entry) {
  stream.word(entry.number);
  stream.word(entry.argument);
  stream.word(entry.byte);
  stream.word(entry.kind);
  visit(stream, entry.place);
  visit(stream, entry.fitting);
  visit(stream, entry.of_iterations);
  visit(stream, entry.counters);
  visit(stream, entry.steps);
  visit(stream, entry.conditions);
  visit(stream, entry.sweeps);
}

void visit(auto &stream, InBoundsAccess &in_bounds) {
  stream.word(in_bounds.size);
  visit(stream, in_bounds.places);
}

void visit(auto &stream, Assumptions &all) {
  visit(stream, all.arguments);
  stream.word(all.are_disjoint);
  visit(stream, all.unequal);
  visit(stream, all.ranges);
  visit(stream, all.must_accesses);
  visit(stream, all.in_bounds);
  stream.word(all.synchronizes);
  stream.word(all.uses_others);
}

} // namespace

std::vector<int64_t> words_of(const Assumptions &assumptions) {
  if (assumptions.are_none())
    return {};
  Writer writer;
  Assumptions copy = assumptions;
  visit(writer, copy);
  return std::move(writer.words_);
}

Assumptions assumptions_of(std::span<const int64_t> words) {
  Assumptions all;
  Reader reader(words);
  visit(reader, all);
  return all;
}

} // namespace lockstep::compiler
