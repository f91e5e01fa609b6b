// Generates functions: their common beginning, functions that expressions call, and functions that
// a group calls together.
#include "generator.h"

namespace lockstep::fuzz {

void Generator::begin_function(const std::string &name) {
  function_ = Function();
  function_.name = name;
  visible_.clear();
  phases_.assign(program_.arrays.size(), Phase::own);
  cost_ = 0;
  mazes_left_ = mazes_ ? 2 : 0;
}

void Generator::add_private_array() {
  const std::string name = "p" + std::to_string(function_.private_arrays.size());
  function_.private_arrays.push_back(
      {any_type(), random_.chance(50) ? 4u : random_.between(2, 9), name});
}

// A function that expressions call: any divergent control flow, and no barriers.
void Generator::pure_function() {
  begin_function("pure" + std::to_string(program_.functions.size()));
  cost_limit_ = 40;
  function_.item_free = random_.chance(50);
  function_.result = any_type();
  for (uint32_t i = random_.between(1, 3); i > 0; --i) {
    const int parameter =
        new_variable(any_type(), function_.item_free && random_.chance(50), false);
    // Within the function all control flow counts as divergent, so no code may rely on uniformity.
    function_.variables[parameter].uniform = false;
    function_.parameters.push_back(parameter);
    visible_.push_back(parameter);
  }
  if (structures_) {
    function_.apart = random_.chance(40);
    if (random_.chance(30)) {
      function_.result.reset();
      function_.result_structure = any_structure();
    }
    structure_parameters();
    for (uint32_t i = random_.chance(40) ? random_.between(1, 2) : 0; i > 0; --i)
      pointer_parameter(parameter_space(true), true);
    if (!function_.objects.empty() || !function_.pointers.empty())
      function_.item_free = false;
  }
  finish_pure_function();
}

void Generator::give_back(Block &out, Use use) {
  auto back = make_stmt(StmtKind::give_back);
  if (function_.result)
    back->expr.push_back(value(*function_.result, use));
  else if (function_.result_structure >= 0)
    back->expr.push_back(structure_value(function_.result_structure, use));
  out.push_back(std::move(back));
}

// Generates the rest of the function after its parameters.
void Generator::finish_pure_function() {
  Flow flow;
  flow.uniform = flow.barriers = false;
  flow.may_return = true;
  flow.depth = 1;
  const size_t scope = visible_.size();
  for (uint32_t i = random_.between(0, 4); i > 0; --i)
    statement(function_.body, flow);
  give_back(function_.body, {2});
  visible_.resize(scope);
  function_.cost = cost_ + 2;
  program_.functions.push_back(std::move(function_));
}

// A function that all items of the group call together as a statement, with barriers inside.
void Generator::group_function() {
  begin_function("together" + std::to_string(program_.functions.size()));
  cost_limit_ = 150;
  function_.group = true;
  for (size_t i = 0; i < program_.arrays.size(); ++i)
    if (has_phase(program_.arrays[i].space) && random_.chance(50))
      phases_[i] = Phase::shared;
  function_.phases = phases_;
  if (random_.chance(50))
    function_.result = any_type();
  for (uint32_t i = random_.between(0, 3); i > 0; --i) {
    const int parameter = new_variable(any_type(), random_.chance(50), false);
    function_.parameters.push_back(parameter);
    visible_.push_back(parameter);
  }
  if (random_.chance(50)) {
    add_private_array();
    function_.private_arrays.back().slots = 4;
    function_.private_arrays.back().parameter = true;
  }
  if (structures_) {
    function_.apart = random_.chance(40);
    if (!function_.result && random_.chance(40))
      function_.result_structure = any_structure();
    structure_parameters();
    for (uint32_t i = random_.chance(40) ? 1 : 0; i > 0; --i)
      pointer_parameter(AddressSpace::in_private, false);
  }
  Flow flow;
  flow.depth = 1;
  random_barrier(function_.body);
  for (uint32_t i = random_.between(1, 5); i > 0; --i)
    statement(function_.body, flow);
  restore(function_.body, function_.phases);
  if (function_.result || function_.result_structure >= 0)
    give_back(function_.body, {2});
  function_.as_kernel = !function_.result && function_.private_arrays.empty() &&
                        random_.chance(30) && function_.result_structure < 0 &&
                        function_.pointer_parameters.empty();
  function_.cost = cost_ + 2;
  program_.functions.push_back(std::move(function_));
}

} // namespace lockstep::fuzz
