#include "runtime/check/commands/command_order.h"

#include "runtime/check/assumptions/assumptions.h"
#include "runtime/check/host/host_views.h"
#include "runtime/check/report/findings.h"
#include "runtime/device/kernel.h"
#include "runtime/device/launch_names.h"
#include "runtime/graph/command.h"
#include "runtime/memory/map_change.h"
#include "runtime/memory/transfer_name.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

namespace lockstep::runtime {

namespace {

void join(std::map<uint32_t, uint32_t> &to, uint32_t chain, uint32_t position) {
  uint32_t &mine = to[chain];
  mine = std::max(mine, position);
}

// For an operation that is not a launch.
std::string name_of(const Operation &operation) {
  if (operation.is_host_code())
    return "host task";
  if (const MapChange *change = operation.map_change())
    return change->kind() == MapChange::Kind::begins ? "map" : "unmap";
  return transfer_name(operation.accesses());
}

bool covers(const std::map<uint32_t, uint32_t> &positions, uint32_t chain, uint32_t position) {
  const auto found = positions.find(chain);
  return found != positions.end() && found->second >= position;
}

} // namespace

bool CommandOrder::Node::knows(const Node &other) const {
  return covers(host->positions, other.chain, other.position) ||
         covers(positions, other.chain, other.position);
}

std::string CommandOrder::Node::name() const {
  if (kernel.empty())
    return title.empty() ? operation : title;
  return fmt::format("kernel '{}'", title.empty() ? kernel : title);
}

// ---- the graph

std::shared_ptr<CommandOrder::Node> CommandOrder::node_of(const Command &command) {
  return std::static_pointer_cast<Node>(command.beside());
}

void CommandOrder::end(Node &node) {
  if (const auto made = std::exchange(node.made, nullptr))
    --made->unended;
}

void CommandOrder::command_made(const Command &command) {
  const auto node = std::allocate_shared<Node>(NodeAllocator<Node>());
  node->number = ++commands_;
  {
    std::lock_guard lock(host_lock_);
    node->made = host_;
    ++host_->unended;
  }
  node->host = node->made;
  command.keep_beside(node);
}

void CommandOrder::command_enqueued(const Command &command, const CommandQueue &queue) {
  const std::shared_ptr<Node> node = node_of(command);
  if (!node)
    return;
  node->queue = &queue;
  const Operation *operation = command.operation();
  if (const MapChange *change = operation ? operation->map_change() : nullptr) {
    std::lock_guard lock(mutex_);
    note_mapping(*change, node);
  }
}

void CommandOrder::edge_added(const Command &before, const Command &after, EdgeKind) {
  const std::shared_ptr<Node> one = node_of(before), other = node_of(after);
  if (one && other)
    other->before.push_back(one);
}

// Some commands are destroyed without having ended.
void CommandOrder::command_gone(const Command &command) {
  if (const std::shared_ptr<Node> node = node_of(command))
    end(*node);
}

void CommandOrder::command_awaited(const Command &command) {
  std::lock_guard lock(mutex_);
  const std::shared_ptr<Node> found = node_of(command);
  if (!found || !found->has_ended)
    return;
  const Node &node = *found;
  std::shared_ptr<HostKnowledge> known;
  auto add = [&](uint32_t chain, uint32_t position) {
    if (covers(host_->positions, chain, position))
      return;
    if (!known) {
      known = std::make_shared<HostKnowledge>(host_->version + 1, host_->positions);
    }
    join(known->positions, chain, position);
    if (tails_[chain] == position)
      reusable_.insert(chain);
  };
  for (const auto &[chain, position] : node.positions)
    add(chain, position);
  if (node.position)
    add(node.chain, node.position);
  if (known) {
    std::lock_guard guard(host_lock_);
    if (host_->unended == 0)
      known_.pop_back();
    known_.push_back(known);
    host_ = std::move(known);
  }
  open_mapped();
}

void CommandOrder::command_polled(const Command &command) {
  std::lock_guard lock(mutex_);
  if (const std::shared_ptr<Node> node = node_of(command))
    node->was_polled = true;
}

// The end of a map does not allow the program to access the memory before the program has waited
// for the map.
void CommandOrder::open_mapped() {
  for (Mapping &mapping : mappings_)
    if (const Node &node = *mapping.touch.node;
        node.has_ended && !mapping.is_open && !mapping.end &&
        covers(host_->positions, node.chain, node.position)) {
      mapping.is_open = true;
      HostViews::instance().open({reinterpret_cast<const std::byte *>(mapping.touch.begin),
                                  mapping.touch.end - mapping.touch.begin, mapping.touch.writes});
    }
}

// A node continues a chain whose last command precedes it. Commands without an operation, such as
// markers, are in no chain: they pass on their predecessors.
void CommandOrder::place(Node &node, const Command &command) {
  if (command.is_user_event()) // the program has completed it now
    node.host = host_;
  for (const auto &before : node.before)
    if (before->has_ended && before->host->version > node.host->version)
      node.host = before->host;
  for (const auto &before : std::exchange(node.before, {})) {
    if (!before->has_ended)
      continue; // cancels the edge
    for (const auto &[chain, position] : before->positions)
      join(node.positions, chain, position);
    if (before->position)
      join(node.positions, before->chain, before->position);
  }
  if (command.operation())
    find_chain(node);
  node.has_ended = true;
  end(node);
  std::erase_if(node.positions, [&](const auto &each) {
    return covers(node.host->positions, each.first, each.second);
  });
}

void CommandOrder::find_chain(Node &node) {
  auto go_on = [&](uint32_t chain) {
    node.chain = chain;
    node.position = ++tails_[chain];
    reusable_.erase(chain);
  };
  for (const auto &[chain, position] : node.positions)
    if (tails_[chain] == position)
      return go_on(chain);
  for (const uint32_t chain : reusable_)
    if (covers(node.host->positions, chain, tails_[chain]))
      return go_on(chain);
  node.chain = uint32_t(tails_.size());
  node.position = 1;
  tails_.push_back(1);
}

void CommandOrder::command_ended(const Command &command, Status status) {
  const std::shared_ptr<Node> node = node_of(command);
  if (!node)
    return;
  const bool has_touched =
      command.operation() && !is_failure(status) && !has_missed_something_.load();
  std::vector<Touch> touches;
  if (has_touched)
    touches = touches_of(command);
  std::lock_guard lock(mutex_);
  place(*node, command);
  std::erase_if(mappings_, [&](const Mapping &mapping) {
    return mapping.end == node || (mapping.touch.node == node && is_failure(status));
  });
  if (!has_touched)
    return;
  if (const Launch *launch = command.operation()->launch()) {
    node->kernel = launch->kernel().name;
    node->title = launch->kernel().title;
  } else {
    node->operation = name_of(*command.operation());
    if (const char *title = command.operation()->title())
      node->title = title;
  }
  Findings::instance().was_checked();
  for (Touch &touch : touches) {
    touch.node = node;
    if (touch.is_of_host)
      find_mapped(touch);
  }
  compare(touches);
  for (const Touch &touch : touches)
    compare_with_mappings(touch);
  for (Touch &touch : touches)
    keep(std::move(touch));
}

// ---- memory

unsigned CommandOrder::Touches::size_class(const Touch &touch) {
  return unsigned(std::bit_width(touch.end - touch.begin));
}

template <class Function>
void CommandOrder::Touches::erase_of(ByBegin &all, unsigned number, const Touch &touch,
                                     std::size_t &most, Function is_gone) {
  const uintptr_t longest = (uintptr_t(1) << number) - 1;
  auto each = all.lower_bound(touch.begin - std::min(touch.begin, longest));
  for (; most && each != all.end() && each->first < touch.end; --most, ++looked_at_)
    if (is_gone(std::as_const(each->second))) {
      each = all.erase(each);
      --size_;
    } else {
      ++each;
    }
}

template <class Function>
void CommandOrder::Touches::erase_of(const Touch &touch, std::size_t most, Function is_gone) {
  for (auto &way : by_size_)
    for (auto &[number, all] : way)
      erase_of(all, number, touch, most, is_gone);
}

template <class Function>
void CommandOrder::Touches::for_all_that_may_meet(const Touch &touch, Function function) {
  std::size_t most = std::numeric_limits<std::size_t>::max();
  for (const bool writes : {false, true})
    if (writes || touch.writes)
      for (auto &[number, all] : by_size_[writes])
        erase_of(all, number, touch, most, [&](const Touch &each) {
          function(each);
          return false;
        });
}

template <class Function> void CommandOrder::Touches::erase_if(Function is_gone) {
  for (auto &way : by_size_)
    for (auto &[number, all] : way)
      size_ -= std::erase_if(all, [&](const auto &each) { return is_gone(each.second); });
}

void CommandOrder::Touches::add(Touch touch) {
  ByBegin &all = by_size_[touch.writes][size_class(touch)];
  const uintptr_t begin = touch.begin;
  all.emplace(begin, std::move(touch));
  ++size_;
}

std::vector<CommandOrder::Touch> CommandOrder::touches_of(const Command &command) {
  std::vector<Touch> touches;
  auto add = [&](const Access &access, std::size_t begin, std::size_t end) -> Touch & {
    Touch &touch = touches.emplace_back();
    touch.object_begin = reinterpret_cast<uintptr_t>(access.memory.data());
    touch.object_end = touch.object_begin + access.memory.size();
    touch.begin = touch.object_begin + begin;
    touch.end = touch.object_begin + end;
    touch.buffer = access.memory.buffer();
    touch.is_of_host = !access.memory.buffer();
    touch.argument = access.argument;
    return touch;
  };
  Operation &operation = *command.operation();
  if (const Launch *launch = operation.launch()) {
    for (const ReachedBytes &bytes : reached_by(*launch)) {
      Touch &touch = add(*bytes.access, bytes.begin, bytes.end);
      touch.writes = bytes.writes;
      touch.is_atomic = bytes.is_atomic;
      touch.is_exact = bytes.is_exact;
      touch.is_kernel = true;
    }
    return touches;
  }
  if (const MapChange *change = operation.map_change())
    return {touch_of(*change)};
  for (const Access &access : operation.accesses()) {
    Touch &touch = add(access, 0, access.memory.size());
    touch.writes = writes(access.mode);
    touch.is_exact = true;
    if (access.row_bytes != 0)
      touch.box = {access.row_bytes, access.rows, access.row_pitch, access.slices,
                   access.slice_pitch};
  }
  return touches;
}

// A map for writing may write until the unmap.
CommandOrder::Touch CommandOrder::touch_of(const MapChange &change) {
  const auto &[memory, for_writing, is_box, is_shared] = change.region();
  Touch touch;
  touch.begin = touch.object_begin = reinterpret_cast<uintptr_t>(memory.data());
  touch.end = touch.object_end = touch.begin + memory.size();
  touch.buffer = memory.buffer();
  touch.writes = for_writing;
  touch.is_exact = !is_box;
  touch.is_of_map = true;
  return touch;
}

// In the order of the calls; mapped_regions.h pairs unmaps with maps the same way.
void CommandOrder::note_mapping(const MapChange &change, const std::shared_ptr<Node> &node) {
  const void *memory = change.region().memory.buffer().get();
  if (change.kind() == MapChange::Kind::begins) {
    std::erase_if(mappings_, [](const Mapping &each) { return each.touch.buffer.expired(); });
    mappings_.push_back({memory, change.region().is_shared, touch_of(change), nullptr});
    mappings_.back().touch.node = node;
    return;
  }
  const Touch ends = touch_of(change);
  for (Mapping &mapping : mappings_)
    if (!mapping.end && mapping.memory == memory && mapping.touch.begin == ends.begin &&
        (mapping.touch.writes == ends.writes || change.region().is_shared)) {
      mapping.end = node;
      return;
    }
}

bool CommandOrder::may_meet(const Touch &touch, const Touch &other) {
  if (other.begin >= touch.end || touch.begin >= other.end || (!touch.writes && !other.writes) ||
      (touch.is_atomic && other.is_atomic) || (touch.is_of_map && other.is_of_map) ||
      other.node == touch.node)
    return false;
  if ((touch.box.row_bytes || other.box.row_bytes) && !have_common_bytes(touch, other))
    return false;
  // Otherwise the memory was freed and belongs to another buffer now.
  return other.is_of_host == touch.is_of_host && (other.is_of_host || !other.buffer.expired());
}

uintptr_t CommandOrder::Box::row(uintptr_t begin, std::size_t number) const {
  return begin + number / rows * slice_pitch + number % rows * row_pitch;
}

// Requires ascending rows in both.
bool CommandOrder::have_common_bytes(const Touch &touch, const Touch &other) {
  const auto box_of = [](const Touch &each) {
    return each.box.row_bytes ? each.box : Box{each.end - each.begin, 1, 0, 1, 0};
  };
  const Box one = box_of(touch), another = box_of(other);
  for (std::size_t i = 0, j = 0;
       i != one.rows * one.slices && j != another.rows * another.slices;) {
    const uintptr_t first = one.row(touch.begin, i), second = another.row(other.begin, j);
    if (first < second + another.row_bytes && second < first + one.row_bytes)
      return true;
    ++(first < second ? i : j);
  }
  return false;
}

bool CommandOrder::do_meet(const Touch &touch, const Touch &other) {
  // `one` covers everything that `other` accesses
  auto is_all = [](const Touch &one, const Touch &other) {
    return one.is_exact && one.box.row_bytes == 0 && one.begin <= other.object_begin &&
           other.object_end <= one.end;
  };
  return (touch.is_exact && other.is_exact) || is_all(touch, other) || is_all(other, touch);
}

// Compares the accesses of one command. A possible conflict is not reported in addition to a
// certain one.
void CommandOrder::compare(const std::vector<Touch> &touches) {
  std::set<const Node *> met;
  for (const bool is_certain : {true, false})
    for (const Touch &touch : touches)
      touches_.for_all_that_may_meet(touch, [&](const Touch &other) {
        if (may_meet(touch, other) && do_meet(touch, other) == is_certain &&
            !touch.node->knows(*other.node) && !other.node->knows(*touch.node) &&
            (is_certain || !met.contains(other.node.get()))) {
          report(other, touch, is_certain);
          met.insert(other.node.get());
        }
      });
}

// Reports accesses ordered after the map, but not after its unmap. compare() reports those without
// an order to either.
void CommandOrder::compare_with_mappings(const Touch &touch) const {
  for (const Mapping &mapping : mappings_)
    if (touch.is_kernel && may_meet(touch, mapping.touch) && mapping.touch.node->has_ended &&
        touch.node->knows(*mapping.touch.node))
      report_mapped(mapping, touch, do_meet(touch, mapping.touch));
}

const CommandOrder::Mapping *CommandOrder::mapping_at(const Touch &touch, uintptr_t byte,
                                                      bool for_writing) const {
  const auto found = std::find_if(mappings_.begin(), mappings_.end(), [&](const Mapping &mapping) {
    return mapping.touch.begin <= byte && byte < mapping.touch.end &&
           (!for_writing || mapping.touch.writes) && !mapping.touch.buffer.expired() &&
           mapping.touch.node->has_ended && touch.node->knows(*mapping.touch.node);
  });
  return found == mappings_.end() ? nullptr : &*found;
}

// By one map, or by several together.
bool CommandOrder::is_mapped(const Touch &touch, bool for_writing) const {
  for (uintptr_t byte = touch.begin; byte < touch.end;) {
    const Mapping *mapping = mapping_at(touch, byte, for_writing);
    if (!mapping)
      return false;
    byte = mapping->touch.end;
  }
  return true;
}

// The command may have ended before the unmap without being ordered before it: compare() reports
// that.
void CommandOrder::find_mapped(Touch &touch) const {
  const auto *memory = reinterpret_cast<const std::byte *>(touch.begin);
  const auto shown = HostViews::instance().shown_at(memory);
  if (!shown)
    return;
  touch.shown_by = shown->by_accessors ? "host_accessor" : "map";
  touch.object_begin = reinterpret_cast<uintptr_t>(shown->begin);
  touch.object_end = touch.object_begin + shown->size;
  if (const Mapping *mapping = mapping_at(touch, touch.begin, false)) {
    touch.buffer = mapping->touch.buffer;
    touch.is_of_host = false;
  }
  const auto is_lent = [&](bool for_writing) {
    return is_mapped(touch, for_writing) ||
           (shown->by_accessors &&
            HostViews::instance().is_open(memory, touch.end - touch.begin, for_writing));
  };
  if (!is_lent(touch.writes))
    report_not_lent(touch, touch.writes && is_lent(false));
}

// A read visits only some other accesses: there may be many reads without an order between them,
// and comparing those is useless.
void CommandOrder::keep(Touch touch) {
  constexpr std::size_t most_of_read = 256, all = std::numeric_limits<std::size_t>::max();
  touches_.erase_of(touch, touch.writes ? all : most_of_read, [&](const Touch &other) {
    return other.begin >= touch.begin && other.end <= touch.end && touch.box.row_bytes == 0 &&
           (touch.writes || !other.writes) && (touch.is_exact || !other.is_exact) &&
           (!touch.is_atomic || other.is_atomic) && (!touch.is_of_map || other.is_of_map) &&
           touch.node->knows(*other.node);
  });
  touches_.add(std::move(touch));
  if (touches_.size() >= forget_at_)
    forget();
}

// Drops accesses that are ordered before all commands in progress, by what these know from the
// host.
void CommandOrder::forget() {
  {
    std::lock_guard guard(host_lock_);
    std::erase_if(known_, [this](const auto &each) { return each != host_ && each->unended == 0; });
  }
  const HostKnowledge *oldest = known_.front().get();
  touches_.erase_if([&](const Touch &touch) {
    return covers(oldest->positions, touch.node->chain, touch.node->position) ||
           (!touch.is_of_host && touch.buffer.expired());
  });
  forget_at_ = std::max<std::size_t>(64, 2 * touches_.size());
}

std::string CommandOrder::text_of(const Touch &touch) {
  const Node &node = *touch.node;
  const auto object = node.title.empty() ? std::nullopt : shared_memory_at(touch.begin, {});
  return fmt::format(
      "command {}, {}{} {} bytes {} to {}{}", node.number, node.name(),
      touch.argument >= 0 ? fmt::format(", argument {}", touch.argument) : "",
      touch.is_of_map ? (touch.writes ? "for writing, of" : "for reading, of")
      : touch.writes  ? "writes"
                      : "reads",
      touch.begin - touch.object_begin, touch.end - touch.object_begin,
      touch.shown_by
          ? fmt::format(" of a buffer, where a {} has shown it to the program", touch.shown_by)
      : touch.is_of_host ? " of the host's memory"
      : object           ? " of " + object->text
                         : "");
}

void CommandOrder::report_not_lent(const Touch &touch, bool is_for_reading) {
  if (!Findings::instance().is_first("commands", std::hash<std::string>()(touch.node->name()),
                                     std::hash<std::string>()("not lent") + is_for_reading))
    return;
  const bool by_accessors = touch.shown_by == std::string_view("host_accessor");
  Finding finding;
  finding.kind = "commands";
  finding.kernel = touch.node->operation;
  finding.title = touch.node->title;
  finding.explanation = {text_of(touch)};
  if (is_for_reading) {
    finding.headline = by_accessors ? "it writes what a host_accessor gave the program to read"
                                    : "it writes what the program has mapped for reading only";
  } else {
    finding.headline = fmt::format(
        "it {} memory of a buffer that {}, as the host's", touch.writes ? "writes" : "reads",
        by_accessors ? "no host_accessor gives the program any more" : "is not mapped");
    finding.explanation.push_back(
        by_accessors
            ? "no host_accessor that lives has all of these bytes: a pointer of one was kept"
            : "no map that is ordered before it, and whose unmap is not, has all of these bytes");
  }
  Findings::instance().report(finding);
}

void CommandOrder::report_mapped(const Mapping &mapping, const Touch &touch, bool is_certain) {
  if (!Findings::instance().is_first(is_certain ? "commands" : "note",
                                     std::hash<std::string>()(touch.node->name()),
                                     uint64_t(touch.argument + 1)))
    return;
  Finding finding;
  finding.is_note = !is_certain;
  finding.kind = "commands";
  finding.kernel = touch.node->kernel;
  finding.title = touch.node->title;
  finding.headline =
      fmt::format("it {} what the program has mapped{}{}", touch.writes ? "writes" : "reads",
                  mapping.touch.writes ? " for writing" : "",
                  is_certain ? "" : ", perhaps not the same bytes of it");
  finding.explanation = {text_of(mapping.touch), text_of(touch),
                         mapping.end ? "its unmap comes later, or is not ordered before the kernel"
                         : mapping.is_shared
                             ? "it is not unmapped: clEnqueueSVMUnmap belongs before the kernel "
                               "(OpenCL API 5.6.1)"
                             : "it is not unmapped: clEnqueueUnmapMemObject belongs before the "
                               "kernel (OpenCL API 5.5.3)"};
  Findings::instance().report(finding);
}

void CommandOrder::report(const Touch &one, const Touch &other, bool is_certain) const {
  const bool in_order = one.node->number < other.node->number;
  const Touch &before = in_order ? one : other, &after = in_order ? other : one;
  const auto key = [](const Touch &touch) {
    return std::hash<std::string>()(touch.node->name()) * 31 + uint64_t(touch.argument + 1);
  };
  if (!Findings::instance().is_first(is_certain ? "commands" : "note",
                                     std::min(key(before), key(after)),
                                     std::max(key(before), key(after))))
    return;
  Finding finding;
  finding.is_note = !is_certain;
  finding.kind = "commands";
  finding.kernel = after.node->kernel.empty() ? after.node->operation : after.node->kernel;
  finding.title = after.node->title;
  finding.headline =
      fmt::format("nothing orders it with {}, and both use the same memory{}", before.node->name(),
                  is_certain ? "" : ", perhaps not the same bytes of it");
  for (const Touch *touch : {&before, &after})
    finding.explanation.push_back(text_of(*touch));
  const bool one_queue = before.node->queue == after.node->queue;
  if (!before.node->title.empty() && !after.node->title.empty())
    finding.explanation.push_back(fmt::format(
        "{}: command {} needs depends_on with the event of command {}, or {}",
        one_queue ? "both are in one queue, which is not in order" : "they are in different queues",
        after.node->number, before.node->number,
        one_queue ? "the queue property::queue::in_order"
                  : "the program must wait for that one before it submits this one"));
  else
    finding.explanation.push_back(fmt::format(
        "{}: the event of command {} belongs into the wait list of command {}{}",
        one_queue ? "both are in one out-of-order queue" : "they are in different queues",
        before.node->number, after.node->number,
        one_queue ? " (in SYCL: depends_on), or a barrier between them"
                  : ", or the program must wait for it before"));
  if (before.node->was_polled)
    finding.explanation.push_back(fmt::format(
        "the program queried the status of command {}, which orders nothing: clWaitForEvents does "
        "(OpenCL API 5.11)",
        before.node->number));
  Findings::instance().report(finding);
}

} // namespace lockstep::runtime
