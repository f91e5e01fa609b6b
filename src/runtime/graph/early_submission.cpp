// Early submission: a device gets a command before its dependencies are settled, if it orders the
// command itself. So a chain of launches does not wait for the host between two of them.
//
// A device that has got a command gives it a place. Each edge has the place of its dependency, or
// says that the dependency is settled. When all edges of a started command say one or the other, one
// thread offers the command to its executor. Which thread: the one that starts the command, gives
// the last place, or settles the last dependency without a place. Sequentially consistent stores and
// loads ensure that one of them sees all edges; early_ ensures that only one acts.
//
// Meanwhile the command has one more unmet dependency, or the guard of the thread that starts it. So
// it cannot become ready, nor be destroyed, and the two ways to its executor exclude each other.
//
// The executor settles an early command when its dependencies are settled. If one that it needs has
// failed, so does the command, although the device has run it.
#include "runtime/events/events.h"
#include "runtime/graph/awaited_transfers.h"
#include "runtime/graph/command.h"

#include <new>

namespace lockstep::runtime {

void Followers::add(Command &command) {
  command.unmet_.fetch_add(1, std::memory_order_relaxed); // dropped by submit(); it is not 0 here
  command.next_ready_ = nullptr;
  (last_ ? last_->next_ready_ : first_) = &command;
  last_ = &command;
}

void Followers::submit() {
  while (Command *command = first_) {
    if (!(first_ = command->next_ready_))
      last_ = nullptr;
    command->is_early_ = command->submit_early(*this);
    command->drop_guard();
  }
}

bool Command::all_have_places() const {
  const auto has_place = [](const Edge &edge) {
    return edge.place.load(std::memory_order_seq_cst) != no_place;
  };
  for (unsigned i = 0; i < used_edges_; ++i)
    if (!has_place(edges_[i]))
      return false;
  for (const EdgeBlock *block = more_edges_.get(); block; block = block->previous.get())
    for (std::size_t i = 0; i < block->used; ++i)
      if (!has_place(block->edges[i]))
        return false;
  return true;
}

// For the thread that starts the command: while early_ is `no`, no other thread acts.
bool Command::starts_early() {
  if (all_have_places()) {
    early_.store(Early::decided, std::memory_order_relaxed);
    return true;
  }
  early_.store(Early::possible, std::memory_order_seq_cst);
  return becomes_follower();
}

// Requires that an unmet dependency of the command remains unmet meanwhile.
bool Command::becomes_follower() {
  if (early_.load(std::memory_order_seq_cst) != Early::possible || !all_have_places())
    return false;
  Early possible = Early::possible;
  return early_.compare_exchange_strong(possible, Early::decided);
}

void Command::set_place(DevicePlace place, Followers &followers) {
  place_.store(place, std::memory_order_seq_cst);
  Edge *edge = dependants_.load(std::memory_order_seq_cst);
  for (; edge && edge != closed(); edge = edge->next) {
    edge->place.store(place, std::memory_order_seq_cst);
    if (edge->dependant->becomes_follower())
      followers.add(*edge->dependant);
  }
}

bool Command::may_have_several_dependants() const {
  if (has_event_)
    return true;
  const Edge *first = dependants_.load(std::memory_order_acquire);
  return first && first != closed() && first->next;
}

DevicePlaces Command::places_before() const {
  DevicePlaces places;
  const auto add = [&places](const Edge &edge) {
    if (const DevicePlace place = edge.place.load(std::memory_order_relaxed);
        place != settled_place)
      places.add(place);
  };
  for (unsigned i = 0; i < used_edges_; ++i)
    add(edges_[i]);
  for (const EdgeBlock *block = more_edges_.get(); block; block = block->previous.get())
    for (std::size_t i = 0; i < block->used; ++i)
      add(block->edges[i]);
  return places;
}

bool Command::submit_early(Followers &followers) {
  if (dependency_failure_.load(std::memory_order_acquire) != status::complete)
    return false;
  try {
    const DevicePlaces places = places_before();
    if (places.empty())
      return false;
    if (!operation_) { // a marker does not go to the device, but commands may follow through it
      if (const DevicePlace end = executor_->end_of(places))
        set_place(end, followers);
      return false;
    }
    if (!executor_->can_follow(*this, places))
      return false;
    if (const auto may_run = runs_without_transfers.load(std::memory_order_acquire);
        may_run && !may_run(*operation_))
      return false;
    notify(&Listener::command_ready, *this);
    executor_->submit_behind(*this, places, followers);
    return true;
  } catch (const std::bad_alloc &) { // it is submitted when its dependencies are settled
    return false;
  }
}

} // namespace lockstep::runtime
