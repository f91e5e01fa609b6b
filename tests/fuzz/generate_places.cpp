// Generates memory locations (places): which exist, and reads and writes of them.
#include "generator.h"

#include <algorithm>

namespace lockstep::fuzz {

// ---- which there are

bool Generator::may_access(const Target &target, Use use, bool write) const {
  if (target == of_caller)
    return !write;
  if (target.array < 0)
    return true;
  const Space space = program_.arrays[target.array].space;
  const Phase phase = phases_[target.array];
  if (has_phase(space))
    return write ? target.own && phase == Phase::own
                 : use.shared && (target.own || phase == Phase::shared);
  return write ? is_of_launch(space) : true;
}

void Generator::add_parts(Way way, std::vector<Way> &out) const {
  out.push_back(way);
  if (!way.data.is_structure())
    return;
  const Structure &s = program_.structures[way.data.structure];
  for (size_t i = 0; i < s.members.size(); ++i) {
    const Member &m = s.members[i];
    Way part = way;
    part.members.push_back(uint8_t(i));
    part.data = m.data.element();
    part.count = m.data.count;
    part.pun |= s.is_union;
    part.addressable &= !s.is_union && !s.packed && !m.bit_width;
    add_parts(std::move(part), out);
  }
}

void Generator::add_element_ways(Use use, bool write, bool plain, std::vector<Way> &out) const {
  for (size_t i = 0; i < program_.arrays.size(); ++i) {
    const Array &array = program_.arrays[i];
    const bool counter = array.space == Space::local_counter ||
                         array.space == Space::global_counter || array.space == Space::tickets ||
                         array.space == Space::estimate || array.space == Space::packets;
    const bool seen =
        in_kernel_ || function_.group || array.space == Space::table ||
        ((array.space == Space::input || array.space == Space::variable) && !function_.item_free);
    const bool read_only = array.space == Space::input || array.space == Space::table;
    if (counter || !seen || (array.structure < 0 && !plain) || (use.uniform && !read_only))
      continue;
    for (bool own : {false, true}) {
      if (own ? read_only : is_of_launch(array.space))
        continue;
      // Functions that expressions call write no memory.
      if (write && !in_kernel_ && !function_.group && !function_.changes)
        continue;
      Way way{Root::element, int(i), own, {}, array.data()};
      way.targets = {{int(i), own}};
      way.read_only = read_only;
      way.space = is_local(array.space)                             ? AddressSpace::in_local
                  : array.space == Space::table && !array.in_global ? AddressSpace::in_constant
                                                                    : AddressSpace::in_global;
      if (may_access(way.targets[0], use, write) && !(write && read_only))
        add_parts(std::move(way), out);
    }
  }
}

// All paths to parts of memory that may be read or written here. `plain`: also elements of arrays
// of values.
std::vector<Way> Generator::ways(Use use, bool write, bool plain) const {
  std::vector<Way> list;
  add_element_ways(use, write, plain, list);
  if (use.uniform)
    return list;
  for (size_t i = 0; i < function_.objects.size(); ++i) {
    const Object &object = function_.objects[i];
    if (!object.visible)
      continue;
    Way way{Root::object, int(i), false, {}, object.data.element()};
    way.count = object.data.count;
    way.targets = {Target()};
    add_parts(std::move(way), list);
  }
  for (size_t i = 0; i < function_.pointers.size(); ++i) {
    const Pointer &pointer = function_.pointers[i];
    auto may = [&](const Target &target) { return may_access(target, use, write); };
    if (!pointer.visible || !std::ranges::all_of(pointer.targets, may) ||
        (write && pointer.read_only))
      continue;
    Way way{Root::pointer, int(i), false, {}, pointer.data};
    way.space = pointer.space;
    way.targets = pointer.targets;
    way.read_only = pointer.read_only;
    add_parts(std::move(way), list);
  }
  return list;
}

ExprPtr Generator::small_index(Use use) {
  if (use.depth <= 0 || random_.chance(30))
    return make_literal(type_uint, random_.below(8));
  return index(use.deeper());
}

ExprPtr Generator::place(const Way &way, Use use) {
  auto e = make_expr(ExprKind::place, way.data.type);
  e->structure = way.data.structure;
  e->root = way.root;
  e->ref = way.ref;
  e->own = way.own;
  e->pun = way.pun;
  e->members = way.members;
  int structure = -1;
  uint32_t indices = 0;
  switch (way.root) {
  case Root::object:
    structure = function_.objects[way.ref].data.structure;
    indices = function_.objects[way.ref].data.count > 0;
    break;
  case Root::pointer:
    structure = function_.pointers[way.ref].data.structure;
    indices = (function_.pointers[way.ref].slots > 0) + (function_.pointers[way.ref].extent > 0);
    break;
  case Root::element:
    structure = program_.arrays[way.ref].structure;
    indices = 1;
    break;
  case Root::result:
    structure = program_.functions[way.ref].result_structure;
    break;
  }
  for (uint8_t number : way.members) {
    const Member &m = program_.structures[structure].members[number];
    indices += m.data.count > 0;
    structure = m.data.structure;
  }
  for (; indices > 0; --indices)
    e->args.push_back(small_index(use));
  return e;
}

// ---- what is read there

// Converts a value to another type; null if the numbers of lanes do not fit.
ExprPtr Generator::adapted(Type type, ExprPtr e) {
  if (e->type.lanes == type.lanes)
    return convert_to(type, std::move(e));
  if (type.lanes > 1)
    return nullptr;
  auto lane = make_expr(ExprKind::swizzle, {e->type.elem, 1});
  lane->lanes.push_back(uint8_t(random_.below(e->type.lanes)));
  lane->args.push_back(std::move(e));
  return convert_to(type, std::move(lane));
}

// A member of a structure that a function returns.
ExprPtr Generator::member_of_result(Type type, Use use) {
  const int structure = any_structure();
  ExprPtr call = structure_call(structure, use);
  if (!call)
    return nullptr;
  Way all{Root::result, call->ref, false, {}, {type_none, structure}};
  std::vector<Way> list;
  add_parts(all, list);
  std::erase_if(list, [&](const Way &way) {
    int within = structure;
    bool array = false; // an array in a temporary would end with the expression
    for (uint8_t number : way.members) {
      const Member &m = program_.structures[within].members[number];
      array |= m.data.count > 0;
      within = m.data.structure;
    }
    return way.data.is_structure() || array ||
           (way.data.type.lanes != type.lanes && type.lanes > 1);
  });
  if (list.empty())
    return nullptr;
  ExprPtr e = place(random_.pick(list), use);
  e->args.insert(e->args.begin(), std::move(call));
  return adapted(type, std::move(e));
}

ExprPtr Generator::place_value(Type type, Use use) {
  if (!use.uniform && use.depth > 0 && random_.chance(10))
    if (ExprPtr e = member_of_result(type, use))
      return e;
  if (!use.uniform && type.lanes == 1 && !is_float(type.elem) && random_.chance(15))
    if (ExprPtr e = pointer_number(type, use))
      return e;
  std::vector<Way> list = ways(use, false, false);
  std::erase_if(list, [&](const Way &way) {
    return way.data.is_structure() || (way.data.type.lanes != type.lanes && type.lanes > 1);
  });
  return list.empty() ? nullptr : adapted(type, place(random_.pick(list), use));
}

void Generator::random_leaves(const DataType &data, const Path &path, std::vector<Leaf> &out) {
  if (!data.is_structure()) {
    out.push_back({path, data.type, 0});
    return;
  }
  const Structure &s = program_.structures[data.structure];
  const size_t only = s.is_union ? random_.below(uint32_t(s.members.size())) : s.members.size();
  for (size_t i = 0; i < s.members.size(); ++i)
    for (uint32_t at = 0; at < std::max(1u, s.members[i].data.count); ++at) {
      if (s.is_union && i != only)
        continue;
      Path inner = path;
      inner.push_back({uint8_t(i), at});
      random_leaves(s.members[i].data.element(), inner, out);
    }
}

ExprPtr Generator::new_structure(int structure, Use use) {
  auto e = make_expr(ExprKind::structure, type_none);
  e->structure = structure;
  std::vector<Leaf> all;
  random_leaves({type_none, structure}, {}, all);
  for (const Leaf &leaf : all) {
    if (e->paths.size() == 6 || random_.chance(35))
      continue;
    e->paths.push_back(leaf.path);
    e->args.push_back(value(leaf.type, {std::min(use.depth - 1, 1), use.uniform, use.shared}));
  }
  return e;
}

ExprPtr Generator::structure_call(int structure, Use use) {
  std::vector<int> candidates;
  for (size_t i = 0; i < program_.functions.size(); ++i) {
    const Function &f = program_.functions[i];
    if (!f.group && !f.changes && f.result_structure == structure &&
        (!function_.item_free || f.item_free) && cost_ + f.cost < cost_limit_)
      candidates.push_back(int(i));
  }
  return candidates.empty() ? nullptr : call_of(random_.pick(candidates), use);
}

// A call as an expression; null if its pointers have no possible target.
ExprPtr Generator::call_of(int function, Use use) {
  const Function &f = program_.functions[function];
  auto e = make_expr(ExprKind::call, f.result ? *f.result : type_none);
  e->structure = f.result_structure;
  e->ref = function;
  for (int parameter : f.parameters)
    e->args.push_back(value(f.variables[parameter].type, use.deeper()));
  if (!pass_structures(f, use.deeper(), e->args))
    return nullptr;
  cost_ += f.cost;
  return e;
}

ExprPtr Generator::structure_value(int structure, Use use) {
  std::vector<Way> list = ways(use, false, false);
  std::erase_if(list, [&](const Way &way) { return way.data.structure != structure; });
  switch (random_.weighted({list.empty() ? 0u : 10u, 4u, use.depth > 0 ? 4u : 0u,
                            use.depth > 0 && !list.empty() ? 2u : 0u})) {
  case 0:
    return place(random_.pick(list), use);
  case 2:
    if (ExprPtr e = structure_call(structure, use))
      return e;
    return new_structure(structure, use);
  case 3: {
    auto e = make_expr(ExprKind::condition, type_none);
    e->structure = structure;
    e->args.push_back(truth(use.deeper()));
    e->args.push_back(structure_value(structure, use.deeper()));
    e->args.push_back(structure_value(structure, use.deeper()));
    return e;
  }
  default:
    return new_structure(structure, use);
  }
}

// ---- what is written

// Declares structures, arrays of them, and arrays of values that pointers may point into.
void Generator::declare_object(Block &out, const Flow &flow) {
  DataType data{type_none, any_structure()};
  if (random_.chance(15))
    data = {member_type(), -1, random_.between(3, 6)};
  else if (random_.chance(30) && size_of(data, program_.structures) <= 48)
    data.count = random_.between(2, 4);
  auto s = make_stmt(StmtKind::object);
  for (uint32_t i = 0; i < std::max(1u, data.count); ++i)
    s->expr.push_back(data.is_structure() ? structure_value(data.structure, use(flow, false))
                                          : value(data.type, use(flow, false)));
  s->ref = new_object(data);
  out.push_back(std::move(s));
}

void Generator::copy_structure(Block &out, const Flow &flow) {
  std::vector<Way> list = ways(use(flow, false), true, false);
  std::erase_if(list, [](const Way &way) { return !way.data.is_structure(); });
  if (list.empty())
    return declare_object(out, flow);
  const Way way = random_.pick(list);
  out.push_back(make_copy(place(way, use(flow, false)),
                          structure_value(way.data.structure, use(flow, false))));
}

void Generator::set_member(Block &out, const Flow &flow) {
  std::vector<Way> list = ways(use(flow, false), true, false);
  std::erase_if(list, [](const Way &way) { return way.data.is_structure(); });
  if (list.empty())
    return declare_object(out, flow);
  auto s = make_stmt(StmtKind::set);
  ExprPtr to = place(random_.pick(list), use(flow, false));
  if (to->type.lanes > 1 && random_.chance(40)) {
    to->component = int(random_.below(to->type.lanes));
    to->type.lanes = 1;
  }
  to->fixed = true;
  ExprPtr what = value(to->type, use(flow, false));
  s->expr.push_back(std::move(to));
  s->expr.push_back(std::move(what));
  out.push_back(std::move(s));
}

StmtPtr make_copy(ExprPtr to, ExprPtr what) {
  auto s = make_stmt(StmtKind::copy);
  to->fixed = true;
  s->expr.push_back(std::move(to));
  s->expr.push_back(std::move(what));
  return s;
}

void Generator::structure_statement(Block &out, const Flow &flow) {
  const uint32_t most = in_kernel_ ? 12 : 5;
  const bool few_objects = function_.objects.size() < most,
             few_pointers = function_.pointers.size() < most;
  switch (random_.weighted({few_objects ? 6u : 0u, 8u, 8u, few_pointers ? 5u : 0u, 2u, 4u})) {
  case 0:
    return declare_object(out, flow);
  case 1:
    return copy_structure(out, flow);
  case 2:
    return set_member(out, flow);
  case 3:
    return declare_pointer(out, flow);
  case 4:
    return aim(out, flow);
  default:
    return call_changing(out, flow);
  }
}

} // namespace lockstep::fuzz
