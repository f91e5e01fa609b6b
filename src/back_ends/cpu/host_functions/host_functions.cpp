#include "back_ends/cpu/host_functions/host_functions.h"

#include "back_ends/cpu/host_functions/address_space_query.h"
#include "back_ends/cpu/host_functions/check_calls.h"
#include "back_ends/cpu/host_functions/device_enqueue_call.h"
#include "back_ends/cpu/host_functions/device_printf.h"
#include "back_ends/cpu/host_functions/half_conversions.h"
#include "back_ends/cpu/host_functions/memory_check_calls.h"
#include "back_ends/cpu/host_functions/strided_copy.h"
#include "back_ends/cpu/host_functions/work_item_stacks.h"
#include "platform/linux/leaked.h"

#include <array>

#include <algorithm>
#include <iterator>

namespace lockstep::compiler {

std::span<const HostFunction> host_functions() {
  return leaked([] {
    return std::to_array<HostFunction>({
#define HOST_FUNCTION(symbol, function) {symbol, reinterpret_cast<void *>(&function)},
#include "back_ends/cpu/host_functions/host_functions.def"
    });
  });
}

bool is_library_function(std::string_view symbol) {
  static constexpr std::string_view functions[] = {
#define LIBRARY_FUNCTION(symbol) symbol,
#include "back_ends/cpu/host_functions/library_functions.def"
  };
  return std::ranges::find(functions, symbol) != std::end(functions);
}

} // namespace lockstep::compiler
