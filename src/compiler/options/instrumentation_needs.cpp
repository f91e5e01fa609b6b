#include "compiler/options/instrumentation_needs.h"

#include "abi/check_abi.h"
#include "abi/privatized_reductions.h"

namespace lockstep::compiler {

InstrumentationNeeds needs_of(const CodeOptions &options) {
  return {.single_function = options.check_memory || options.check_undefined,
          .accesses_in_kernel = options.check,
          .packet_reports = options.check,
          .updates_as_written = options.check_undefined,
          .exact_updates = options.check && options.check_races,
          .image_code_inlined = options.is_checked(),
          // Footprint marks exist only for the first arguments.
          .most_privatized_arguments = options.check_commands ? FootprintMapNumber::most_arguments
                                                              : most_privatized_arguments,
          // These checks find an access through a member by its address, which must be that of the
          // program's memory.
          .privatizes_members =
              !options.check_commands && !options.check_memory && !options.check_undefined};
}

} // namespace lockstep::compiler
