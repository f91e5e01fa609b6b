// Generates the structures of a program and the objects made of them: arrays in all memories,
// arguments of the kernel, and a final number computed from all their content.
#include "generator.h"

#include <algorithm>

namespace lockstep::fuzz {

// Uses a random generator of its own, like choose_sub_groups.
void Generator::choose_structures() {
  Random own(program_.seed ^ 0x71c3e5a9);
  structures_ = own.chance(60) && !rows_;
  jumps_ = own.chance(40) && !rows_;
  mazes_ = (can_.mazes || Random(program_.seed ^ 0x3b97e2f1).chance(15)) && !rows_;
  if (!structures_)
    return;
  // Narrow and wide numbers side by side.
  if (random_.chance(50))
    types_.push_back({random_.chance(50) ? Elem::u8 : Elem::i8, 1});
  if (random_.chance(50))
    types_.push_back({random_.chance(50) ? Elem::u64 : Elem::i64, 1});
  for (uint32_t i = random_.between(1, 4); i > 0; --i)
    add_structure();
}

Elem Generator::any_elem() {
  const Elem elem = Elem(random_.below(elem_count));
  const bool absent =
      (elem == Elem::f64 && !program_.uses_double) || (elem == Elem::f16 && !program_.uses_half);
  return absent ? Elem::f32 : elem;
}

Type Generator::member_type() {
  static const std::vector<uint8_t> lanes = {2, 3, 3, 4};
  Type type = random_.chance(45) ? any_type() : Type{any_elem(), 1};
  if (random_.chance(20))
    type.lanes = random_.pick(lanes);
  while (size_of(type) > 32)
    type.lanes /= 2;
  return type;
}

DataType Generator::member_data(size_t room) {
  std::vector<int> earlier;
  for (size_t i = 0; i < program_.structures.size(); ++i)
    if (program_.structures[i].size <= room / 2)
      earlier.push_back(int(i));
  DataType data{member_type()};
  if (!earlier.empty() && random_.chance(30))
    data = {type_none, random_.pick(earlier)};
  if (random_.chance(25) && size_of(data, program_.structures) <= room / 4)
    data.count = random_.between(2, 4);
  return data;
}

// Makes all members `size` bytes large, without padding; at most one of them contains structures.
void Generator::fill_union(Structure &u, size_t size) {
  u.is_union = true;
  std::vector<int> structures;
  for (size_t i = 0; i < program_.structures.size(); ++i)
    if (program_.structures[i].size == size && !program_.structures[i].has_padding() &&
        !program_.fast) // its floats could be NaN or a zero of unknown sign
      structures.push_back(int(i));
  if (!structures.empty() && random_.chance(60))
    u.members.push_back({{type_none, random_.pick(structures)}});
  for (uint32_t i = random_.between(2, 3); i > 0; --i) {
    DataType data{{any_elem(), 1}};
    while (size_of(data.type) > size || (program_.fast && is_float(data.type.elem)))
      data.type.elem = any_elem();
    const uint32_t count = uint32_t(size / size_of(data.type));
    if (count == 1)
      ;
    else if (count <= 16 && random_.chance(50))
      data.type.lanes = uint8_t(count);
    else if (count % 4 == 0 && random_.chance(30))
      data.type.lanes = 4, data.count = count / 4 == 1 ? 0 : count / 4;
    else
      data.count = count;
    u.members.insert(u.members.begin() + random_.below(uint32_t(u.members.size()) + 1), {data});
  }
}

void Generator::add_bit_fields(Structure &s) {
  static const std::vector<Elem> elems = {Elem::i32, Elem::u32, Elem::u32, Elem::u8,
                                          Elem::i16, Elem::u64, Elem::i64};
  for (uint32_t i = random_.between(1, 4); i > 0; --i) {
    Member m{{{random_.pick(elems), 1}}};
    m.bit_width = random_.between(1, bits(m.data.type.elem));
    s.members.push_back(m);
  }
}

void Generator::add_structure() {
  static const std::vector<unsigned> alignments = {2, 4, 8, 16, 32};
  static const std::vector<size_t> union_sizes = {4, 8, 8, 16};
  Structure s;
  if (random_.chance(20)) {
    fill_union(s, random_.pick(union_sizes));
  } else {
    s.packed = random_.chance(20);
    for (uint32_t i = random_.between(1, 5); i > 0; --i) {
      if (can_.bit_fields && random_.chance(15)) {
        add_bit_fields(s);
        continue;
      }
      Member m{member_data(96)};
      if (random_.chance(8))
        m.aligned = random_.pick(alignments);
      s.members.push_back(m);
    }
    if (random_.chance(15))
      s.aligned = random_.pick(alignments);
  }
  for (lay_out(s, program_.structures); s.size > 128; lay_out(s, program_.structures))
    s.members.pop_back();
  program_.structures.push_back(std::move(s));
}

// ---- what is made of them

void Generator::fill_structure(int structure, uint8_t *memory) {
  for (const Leaf &leaf : leaves({type_none, structure}, program_.structures))
    store_bits(random_value(leaf.type), memory + leaf.offset, leaf.bit_offset, leaf.bit_width);
}

void Generator::add_structure_array(Space space, uint32_t slots) {
  add_array(space, type_none, slots);
  Array &array = program_.arrays.back();
  array.structure = any_structure();
  const size_t size = element_size(program_, array);
  // Local memory is small.
  if (space == Space::local && size * slots * program_.launch.group_items() > 12'000) {
    program_.arrays.pop_back();
    return;
  }
  if (space == Space::local || space == Space::scratch || space == Space::output)
    return;
  const uint32_t all = element_count(program_, array);
  const uint32_t filled = space == Space::variable ? random_.below(std::min(all, 4u) + 1) : all;
  array.bytes.resize(filled * size);
  for (uint32_t i = 0; i < filled; ++i)
    fill_structure(array.structure, &array.bytes[i * size]);
}

void Generator::add_variable() {
  add_array(Space::variable, memory_type(), random_.between(1, 2));
  Array &array = program_.arrays.back();
  const size_t size = element_size(program_, array);
  const uint32_t filled = random_.below(std::min(element_count(program_, array), 5u) + 1);
  array.bytes.resize(filled * size);
  for (uint32_t i = 0; i < filled; ++i)
    lockstep::fuzz::store(random_value(array.type), &array.bytes[i * size]);
}

void Generator::make_structure_arrays() {
  const bool program_scope = program_.opencl_3 && can_.program_scope_variables;
  if (random_.chance(70))
    add_structure_array(Space::input, 1u << random_.between(3, 7));
  if (random_.chance(70))
    add_structure_array(Space::output, random_.between(1, 2));
  if (random_.chance(40)) {
    add_structure_array(Space::table, random_.between(2, 5));
    program_.arrays.back().in_global = program_scope && random_.chance(40);
  }
  if (program_scope && random_.chance(40))
    random_.chance(50) ? add_variable()
                       : add_structure_array(Space::variable, random_.between(1, 2));
  if (!program_.launch.local_given)
    return;
  for (uint32_t i = random_.below(3); i > 0; --i)
    add_structure_array(Space::local, random_.between(1, 2));
  if (random_.chance(35))
    add_structure_array(Space::scratch, random_.between(1, 2));
}

int Generator::any_structure() {
  return int(random_.below(uint32_t(program_.structures.size())));
}

int Generator::new_object(DataType data) {
  const int number = int(function_.objects.size());
  function_.objects.push_back({data, "o" + std::to_string(number)});
  return number;
}

void Generator::structure_parameters() {
  for (uint32_t i = random_.chance(50) ? random_.between(1, 2) : 0; i > 0; --i)
    function_.object_parameters.push_back(new_object({type_none, any_structure()}));
}

void Generator::kernel_structures() {
  if (random_.chance(60))
    return;
  structure_parameters();
  for (int parameter : function_.object_parameters) {
    const int structure = function_.objects[parameter].data.structure;
    program_.objects.emplace_back(program_.structures[structure].size);
    fill_structure(structure, program_.objects.back().data());
  }
}

// The lanes of all values at a location, unless there are many.
std::vector<ExprPtr> Generator::leaves_of(Root root, int ref, const DataType &data, bool own,
                                          uint32_t index) {
  auto read = [&](const Leaf &leaf) {
    auto e = make_expr(ExprKind::place, leaf.type);
    e->root = root;
    e->ref = ref;
    e->own = own;
    if (data.count || root == Root::element)
      e->args.push_back(make_literal(type_uint, index));
    int structure = data.structure;
    for (const PathStep &step : leaf.path) {
      const Structure &s = program_.structures[structure];
      e->pun |= s.is_union;
      e->members.push_back(step.member);
      if (s.members[step.member].data.count)
        e->args.push_back(make_literal(type_uint, step.index));
      structure = s.members[step.member].data.structure;
    }
    return e;
  };
  std::vector<ExprPtr> list;
  for (const Leaf &leaf : leaves(data, program_.structures))
    for (uint8_t lane = 0; lane < leaf.type.lanes && list.size() < 12; ++lane) {
      ExprPtr e = read(leaf);
      if (leaf.type.lanes > 1) {
        auto one = make_expr(ExprKind::swizzle, {leaf.type.elem, 1});
        one->args.push_back(std::move(e));
        one->lanes.push_back(lane);
        e = std::move(one);
      }
      list.push_back(std::move(e));
    }
  return list;
}

} // namespace lockstep::fuzz
