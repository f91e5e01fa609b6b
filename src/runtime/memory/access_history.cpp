#include "runtime/memory/access_history.h"

#include "runtime/events.h"

#include <algorithm>

namespace lockstep::runtime {

AccessHistory::Ranges::iterator AccessHistory::split_at(std::size_t offset) {
  auto after = ranges_.upper_bound(offset);
  auto at = std::prev(after);
  return at->first == offset ? at : ranges_.emplace_hint(after, offset, at->second);
}

void AccessHistory::forget_settled(Range &range) {
  if (anyone_listens()) // who would miss that the next command comes after it
    return;
  if (range.writer && range.writer->settled())
    range.writer = CommandRef();
  std::erase_if(range.readers, [](const CommandRef &reader) { return reader->settled(); });
}

void AccessHistory::add(std::size_t begin, std::size_t end, AccessMode mode, Command &command,
                        std::vector<CommandRef> &before) {
  if (begin >= end)
    return;
  auto comes_after = [&](const CommandRef &other) {
    if (other && other.get() != &command &&
        std::none_of(before.begin(), before.end(),
                     [&](const CommandRef &known) { return known.get() == other.get(); }))
      before.push_back(other);
  };
  const auto first = split_at(begin), last = split_at(end);
  for (auto at = first; at != last; ++at) {
    Range &range = at->second;
    forget_settled(range);
    comes_after(range.writer);
    if (writes(mode)) {
      std::for_each(range.readers.begin(), range.readers.end(), comes_after);
      range.readers.clear();
      range.writer = CommandRef(&command);
    } else if (std::none_of(range.readers.begin(), range.readers.end(),
                            [&](const CommandRef &r) { return r.get() == &command; }) &&
               range.writer.get() != &command) {
      range.readers.emplace_back(&command);
    }
  }
  // What is written as a whole is one range again, and what nobody uses joins its neighbour.
  for (auto at = std::next(first); writes(mode) && at != last;)
    at = ranges_.erase(at);
}

std::vector<CommandRef> AccessHistory::unsettled() {
  std::lock_guard lock(mutex_);
  std::vector<CommandRef> all;
  for (auto &[begin, range] : ranges_) {
    forget_settled(range);
    if (range.writer)
      all.push_back(range.writer);
    all.insert(all.end(), range.readers.begin(), range.readers.end());
  }
  return all;
}

void wait_for(const std::vector<CommandRef> &commands) {
  for (const CommandRef &command : commands)
    command->wait();
}

} // namespace lockstep::runtime
