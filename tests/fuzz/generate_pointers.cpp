// Generates pointers: to members, to elements chosen by data, in arrays of pointers, in all address
// spaces, and as arguments of functions that write through them.
//
// A pointer does not outlive its targets: it is declared after all of them, in the same block or a
// nested one. The set of possible targets (Pointer::targets) is known, and a pointer is used only
// where each of them may be accessed.
#include "generator.h"

#include <algorithm>

namespace lockstep::fuzz {

namespace {

// Whether a pointer into `from` converts to one into `to`.
bool converts(AddressSpace from, AddressSpace to) {
  return from == to || (to == AddressSpace::generic && from != AddressSpace::in_constant);
}

// Whether the location is an element of an array.
bool in_array(const Way &way) {
  return way.members.empty() &&
         (way.root == Root::element || (way.root == Root::object && way.count > 0));
}

} // namespace

ExprPtr Generator::pointer_to(const Way &way, AddressSpace space, bool read_only, Use use) {
  const bool plain = way.root == Root::pointer && way.members.empty() && way.space == space &&
                     !function_.pointers[way.ref].extent;
  ExprPtr e;
  if (plain && random_.chance(50)) {
    e = make_expr(ExprKind::pointer, way.data.type);
    e->ref = way.ref;
    if (function_.pointers[way.ref].slots)
      e->args.push_back(small_index(use));
  } else {
    e = make_expr(ExprKind::address, way.data.type);
    e->args.push_back(place(way, use));
    e->args[0]->fixed = true;
    if (space == AddressSpace::generic && way.space != AddressSpace::generic)
      e->op = read_only ? 2 : 1;
  }
  e->structure = way.data.structure;
  e->fixed = true;
  return e;
}

std::vector<Way> Generator::addressable(Use use, bool write) const {
  std::vector<Way> list = ways(use, write, true);
  std::erase_if(list, [](const Way &way) { return !way.addressable; });
  return list;
}

void Generator::add_targets(Pointer &pointer, const Way &way) {
  pointer.read_only |= way.read_only;
  for (const Target &target : way.targets)
    if (std::ranges::find(pointer.targets, target) == pointer.targets.end())
      pointer.targets.push_back(target);
}

int Generator::new_pointer(Pointer pointer) {
  const int number = int(function_.pointers.size());
  pointer.name = "r" + std::to_string(number);
  pointer.since = function_.objects.size();
  function_.pointers.push_back(std::move(pointer));
  return number;
}

// A pointer to the first element of an array within something else; each use adds an index.
StmtPtr Generator::pointer_to_first(Pointer &pointer, const Way &way, Use use) {
  pointer.extent = way.count;
  add_targets(pointer, way);
  auto s = make_stmt(StmtKind::pointer);
  s->expr.push_back(pointer_to(way, pointer.space, pointer.read_only, use));
  ExprPtr &e = s->expr[0];
  if (e->kind == ExprKind::address)
    e->args[0]->args.back() = make_literal(type_uint, 0);
  return s;
}

void Generator::declare_pointer(Block &out, const Flow &flow) {
  const Use here = use(flow, false);
  std::vector<Way> list = addressable(here, false);
  if (list.empty())
    return declare_object(out, flow);
  const Way way = random_.pick(list);
  Pointer pointer{way.data};
  pointer.space = way.space;
  if (program_.opencl_3 && can_.generic_pointers && random_.chance(40) &&
      way.space != AddressSpace::in_constant)
    pointer.space = AddressSpace::generic;
  StmtPtr s;
  if (way.count && way.root != Root::pointer && random_.chance(40)) {
    s = pointer_to_first(pointer, way, here);
  } else {
    if (random_.chance(35))
      pointer.slots = random_.between(2, 4);
    if (in_array(way) && random_.chance(60)) {
      pointer.within = {way.root, way.ref};
      list = {way};
    }
    std::erase_if(list, [&](const Way &other) {
      return !(other.data == way.data) || !converts(other.space, pointer.space);
    });
    std::vector<Way> chosen;
    for (uint32_t i = 0; i < 2 * std::max(1u, pointer.slots); ++i) {
      chosen.push_back(random_.pick(list));
      if (i % 2 == 0 || random_.chance(30))
        add_targets(pointer, chosen.back());
      else
        chosen.back() = chosen[i - 1]; // only one target, without a condition
    }
    s = make_stmt(StmtKind::pointer);
    for (size_t i = 0; i < chosen.size(); i += 2) {
      ExprPtr at = pointer_to(chosen[i], pointer.space, pointer.read_only, here);
      if (random_.chance(30)) {
        auto either = make_expr(ExprKind::condition, at->type);
        either->structure = at->structure;
        either->fixed = true;
        either->args.push_back(truth(here));
        either->args.push_back(std::move(at));
        either->args.push_back(pointer_to(chosen[i + 1], pointer.space, pointer.read_only, here));
        at = std::move(either);
      }
      s->expr.push_back(std::move(at));
    }
  }
  s->ref = new_pointer(std::move(pointer));
  out.push_back(std::move(s));
}

// Redirects a pointer to another of its possible targets.
void Generator::aim(Block &out, const Flow &flow) {
  std::vector<int> candidates;
  for (size_t i = function_.pointer_parameters.size(); i < function_.pointers.size(); ++i)
    if (function_.pointers[i].visible && !function_.pointers[i].extent)
      candidates.push_back(int(i));
  if (candidates.empty())
    return declare_pointer(out, flow);
  auto s = make_stmt(StmtKind::aim, random_.pick(candidates));
  const Pointer pointer = function_.pointers[s->ref];
  std::vector<Way> list = addressable(use(flow, false), false);
  std::erase_if(list, [&](const Way &way) {
    auto unknown = [&](const Target &target) {
      return std::ranges::find(pointer.targets, target) == pointer.targets.end();
    };
    const bool younger = (way.root == Root::object && size_t(way.ref) >= pointer.since) ||
                         (way.root == Root::pointer && way.ref >= s->ref);
    const bool elsewhere = pointer.within.second >= 0 &&
                           (pointer.within != std::pair(way.root, way.ref) || !way.members.empty());
    return !(way.data == pointer.data) || !converts(way.space, pointer.space) || younger ||
           elsewhere || (way.read_only && !pointer.read_only) ||
           std::ranges::any_of(way.targets, unknown);
  });
  if (list.empty())
    return declare_pointer(out, flow);
  s->expr.push_back(
      pointer_to(random_.pick(list), pointer.space, pointer.read_only, use(flow, false)));
  if (pointer.slots)
    s->expr.push_back(small_index(use(flow, false)));
  out.push_back(std::move(s));
}

// A difference or comparison of two pointers; null if there are no suitable pointers.
ExprPtr Generator::pointer_number(Type type, Use use) {
  std::vector<Way> pointers = addressable(use, false);
  std::vector<Way> others = pointers;
  std::erase_if(pointers,
                [&](const Way &way) { return way.root != Root::pointer || !way.members.empty(); });
  if (pointers.empty())
    return nullptr;
  const Way way = random_.pick(pointers);
  const Pointer &pointer = function_.pointers[way.ref];
  std::erase_if(others, [&](const Way &other) {
    return !(other.data == way.data) || !converts(other.space, way.space);
  });
  const auto within = pointer.within;
  const bool ordered = within.second >= 0 && random_.chance(70);
  if (ordered)
    std::erase_if(others, [&](const Way &other) {
      const bool same_array = other.root == Root::pointer
                                  ? function_.pointers[other.ref].within == within
                                  : std::pair(other.root, other.ref) == within;
      return !same_array || !other.members.empty();
    });
  auto e =
      make_expr(ordered && random_.chance(60) ? ExprKind::difference : ExprKind::same, type_int);
  if (e->kind == ExprKind::difference)
    e->type = {Elem::i64, 1};
  e->op = int(random_.below(ordered ? 4 : 2));
  e->args.push_back(pointer_to(way, way.space, true, use));
  e->args.push_back(pointer_to(random_.pick(others), way.space, true, use));
  if (random_.chance(50))
    std::swap(e->args[0], e->args[1]);
  return convert_to(type, std::move(e));
}

// ---- of functions

AddressSpace Generator::parameter_space(bool read_only) {
  const bool generic = program_.opencl_3 && can_.generic_pointers;
  static const AddressSpace spaces[] = {AddressSpace::in_private, AddressSpace::generic,
                                        AddressSpace::in_global, AddressSpace::in_local,
                                        AddressSpace::in_constant};
  return spaces[random_.weighted(
      {9u, generic ? 6u : 0u, 3u, program_.launch.local_given ? 3u : 0u, read_only ? 2u : 0u})];
}

void Generator::pointer_parameter(AddressSpace space, bool read_only) {
  Pointer pointer{{type_none, any_structure()}};
  if (random_.chance(25)) {
    const std::vector<Leaf> all = leaves(pointer.data, program_.structures);
    pointer.data = {random_.pick(all).type};
  }
  pointer.space = space;
  pointer.read_only = read_only;
  pointer.targets = {read_only ? of_caller : Target()};
  function_.pointer_parameters.push_back(new_pointer(std::move(pointer)));
}

// Returns false if a pointer parameter has no possible target.
bool Generator::pass_structures(const Function &f, Use use, std::vector<ExprPtr> &arguments) {
  for (int parameter : f.object_parameters)
    arguments.push_back(structure_value(f.objects[parameter].data.structure, use));
  for (int parameter : f.pointer_parameters) {
    const Pointer &pointer = f.pointers[parameter];
    std::vector<Way> list = addressable(use, !pointer.read_only);
    std::erase_if(list, [&](const Way &way) {
      return !(way.data == pointer.data) || !converts(way.space, pointer.space) ||
             (way.read_only && !pointer.read_only);
    });
    if (list.empty())
      return false;
    arguments.push_back(pointer_to(random_.pick(list), pointer.space, pointer.read_only, use));
  }
  return true;
}

// A function that items call one by one as a statement and that writes through its pointers.
void Generator::changing_function() {
  begin_function("changing" + std::to_string(program_.functions.size()));
  cost_limit_ = 60;
  function_.changes = true;
  function_.apart = random_.chance(50);
  if (random_.chance(30))
    function_.result = any_type();
  else if (random_.chance(50))
    function_.result_structure = any_structure();
  for (uint32_t i = random_.between(0, 2); i > 0; --i) {
    function_.parameters.push_back(new_variable(any_type(), false, false));
    visible_.push_back(function_.parameters.back());
  }
  structure_parameters();
  for (uint32_t i = random_.between(1, 2); i > 0; --i)
    pointer_parameter(parameter_space(false), false);
  if (random_.chance(40))
    pointer_parameter(parameter_space(true), true);
  finish_pure_function();
}

void Generator::call_changing(Block &out, const Flow &flow) {
  std::vector<int> candidates;
  for (size_t i = 0; i < program_.functions.size(); ++i)
    if (program_.functions[i].changes &&
        cost_ + flow.weight * program_.functions[i].cost < cost_limit_)
      candidates.push_back(int(i));
  if (candidates.empty())
    return copy_structure(out, flow);
  auto s = make_stmt(StmtKind::call);
  s->function = random_.pick(candidates);
  const Function &f = program_.functions[s->function];
  for (int parameter : f.parameters)
    s->expr.push_back(value(f.variables[parameter].type, use(flow, false)));
  if (!pass_structures(f, use(flow, false), s->expr))
    return declare_object(out, flow);
  take_result(out, f, *s);
  out.push_back(std::move(s));
  cost_ += flow.weight * f.cost;
}

// Declares the variable that receives the result of the call.
void Generator::take_result(Block &out, const Function &f, Stmt &call) {
  if (f.result)
    call.ref = declare_as(out, *f.result, false, false, make_literal(*f.result, 0));
  if (f.result_structure < 0)
    return;
  auto s = make_stmt(StmtKind::object, new_object({type_none, f.result_structure}));
  auto nothing = make_expr(ExprKind::structure, type_none);
  nothing->structure = f.result_structure;
  s->expr.push_back(std::move(nothing));
  call.object = s->ref;
  out.push_back(std::move(s));
}

} // namespace lockstep::fuzz
