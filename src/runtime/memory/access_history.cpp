#include "runtime/memory/access_history.h"

#include "runtime/events/events.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

namespace lockstep::runtime {

AccessHistory::Ranges::iterator AccessHistory::split_at(std::size_t offset) {
  auto after = ranges_.upper_bound(offset);
  auto at = std::prev(after);
  return at->first == offset ? at : ranges_.emplace_hint(after, offset, at->second);
}

void AccessHistory::forget_settled(Range &range) {
  const bool is_listened_to = anyone_listens(); // a listener needs edges from settled commands
  if (!is_listened_to && range.writer && range.writer->settled())
    range.writer = CommandRef();
  if (range.readers.size() < range.most)
    return;
  looked_at_ += range.readers.size();
  const auto settled = std::partition(range.readers.begin(), range.readers.end(),
                                      [](const CommandRef &reader) { return !reader->settled(); });
  if (is_listened_to && range.readers.end() - settled > 1) {
    const CommandRef marker = Command::create_marker();
    marker->reserve_dependencies(std::size_t(range.readers.end() - settled));
    std::for_each(settled, range.readers.end(),
                  [&](const CommandRef &reader) { marker->depend_on(*reader, EdgeKind::after); });
    marker->start(); // its dependencies are settled, so it settles at once
    *settled = marker;
    range.readers.erase(std::next(settled), range.readers.end());
  } else if (!is_listened_to) {
    range.readers.erase(settled, range.readers.end());
  }
  range.most = std::max(few, 2 * range.readers.size());
}

namespace {

// Collects the commands that a command comes after, each once, even if several ranges name it.
class Before {
public:
  explicit Before(std::vector<CommandRef> &all) : all_(all) {}
  void add(const CommandRef &command) {
    constexpr std::size_t few = 16;
    if (all_.size() < few) {
      if (std::any_of(all_.begin(), all_.end(),
                      [&](const CommandRef &known) { return known.get() == command.get(); }))
        return;
    } else {
      if (known_.empty())
        for (const CommandRef &each : all_)
          known_.insert(each.get());
      if (!known_.insert(command.get()).second)
        return;
    }
    all_.push_back(command);
  }

private:
  std::vector<CommandRef> &all_;
  std::unordered_set<const Command *> known_; // the same commands; used if there are many
};

} // namespace

void AccessHistory::add(std::size_t begin, std::size_t end, AccessMode mode, Command &command,
                        std::vector<CommandRef> &before) {
  if (begin >= end)
    return;
  was_written_ |= writes(mode);
  Before known(before);
  auto comes_after = [&](const CommandRef &other) {
    ++looked_at_;
    if (other && other.get() != &command && (anyone_listens() || !other->settled()))
      known.add(other);
  };
  const auto first = split_at(begin), last = split_at(end);
  for (auto at = first; at != last; ++at) {
    Range &range = at->second;
    forget_settled(range);
    comes_after(range.writer);
    if (writes(mode)) {
      std::for_each(range.readers.begin(), range.readers.end(), comes_after);
      range = {.writer = CommandRef(&command), .readers = {}};
    } else if ((range.readers.empty() || range.readers.back().get() != &command) &&
               range.writer.get() != &command) {
      range.readers.emplace_back(&command); // a reader that is already recorded is the last one
    }
  }
  // The ranges that were written become one range.
  for (auto at = std::next(first); writes(mode) && at != last;)
    at = ranges_.erase(at);
}

std::vector<CommandRef> AccessHistory::unsettled() {
  std::lock_guard lock(mutex_);
  std::vector<CommandRef> all;
  for (auto &[begin, range] : ranges_) {
    range.most = std::min(range.most, few);
    forget_settled(range);
    for (const CommandRef &each : range.readers)
      if (anyone_listens() || !each->settled())
        all.push_back(each);
    if (range.writer)
      all.push_back(range.writer);
  }
  return all;
}

CommandRef AccessHistory::any_unsettled() {
  std::lock_guard lock(mutex_);
  for (const auto &[begin, range] : ranges_) {
    for (const CommandRef &each : range.readers)
      if (!each->settled())
        return each;
    if (range.writer && !range.writer->settled())
      return range.writer;
  }
  return {};
}

std::size_t AccessHistory::size() const {
  std::size_t size = 0;
  for (const auto &[begin, range] : ranges_)
    size += range.readers.size() + (range.writer ? 1 : 0);
  return size;
}

void wait_for(const std::vector<CommandRef> &commands) {
  for (const CommandRef &command : commands)
    command->wait();
}

} // namespace lockstep::runtime
