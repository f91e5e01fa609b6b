// Maps a memory scope to one of the two scopes that differ on a CPU.
#pragma once

static inline memory_scope reach_of(memory_scope scope) {
  const bool is_narrow = scope == memory_scope_work_item || scope == memory_scope_sub_group ||
                         scope == memory_scope_work_group;
  return is_narrow ? memory_scope_work_group : memory_scope_all_svm_devices;
}
