// What the compiler must know of a CPU and llvm::TargetTransformInfo does not say: widths, missing
// instructions, instructions that LLVM IR has no name for, and which workarounds LLVM's code
// generator needs.
//
// Each architecture has a folder here: x86/ and aarch64/. No other folder names an instruction set.
#pragma once

#include "llvm/IR/IRBuilder.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace llvm {
class MCSubtargetInfo;
class TargetMachine;
class Triple;
} // namespace llvm

namespace lockstep::compiler {

// All processors that have a model have these.
inline constexpr unsigned cache_line_bytes = 64, page_bytes = 4096, l1_bytes = 32 * 1024;
inline constexpr unsigned narrowest_vector_bits = 128;

enum class Operation {
  half_arithmetic, // on vectors of half
  half_conversion, // between vectors of half and of float
  fused_multiply_add,
  long_conversion, // between vectors of floating point and of 64-bit integers
  rounding,        // floor, ceil, trunc and rint of vectors
};

// Passes of prepare_code/workarounds/llvm22 that some code generators need. Each pass explains its
// bug.
enum class Workaround {
  hide_byte_lookups,
  hide_float_bits,
  hide_half_masks,
  hide_mask_truncations,
  isolate_byte_shuffles,
  keep_loads_out_of_logic,
  keep_loads_out_of_merges,
  lower_maximum_numbers,
  select_by_masks,
};

class TargetModel {
public:
  virtual ~TargetModel() = default;

  // The processor that has the fewest instructions.
  virtual const char *least_processor() const = 0;
  // Names of the instruction set extensions that LLVM takes this processor to have. Without a
  // value: they are not known.
  virtual std::optional<std::set<std::string>> extensions(const std::string &processor) const = 0;
  // The widest vector registers that code should use.
  virtual uint32_t vector_bits() const = 0;
  // Vector registers of that width.
  virtual unsigned vector_registers() const = 0;
  // Registers for integers and addresses.
  virtual unsigned scalar_registers() const = 0;
  // The features that leave registers of `bits` bits unused; empty if that is the smallest width.
  virtual std::string without_widest(uint32_t bits) const = 0;

  virtual bool has(Operation operation) const = 0;
  virtual bool needs(Workaround workaround) const = 0;

  // Whether permute() takes a vector of `length` elements of `bits` bits.
  virtual bool has_permutation(unsigned bits, unsigned length) const = 0;
  // Element l of the result is `of`'s element number `by`[l]. Both have the same shape, and all
  // numbers are below its length.
  virtual llvm::Value *permute(llvm::IRBuilderBase &builder, llvm::Value *of,
                               llvm::Value *by) const = 0;

  // The least and the most elements of float that estimate_reciprocal_sqrt() takes, both powers of
  // two; 0: there is no estimate.
  struct Lengths {
    unsigned least = 0, most = 0;
  };
  virtual Lengths reciprocal_sqrt_estimates() const = 0;
  // Estimates 1 / sqrt(x) of a vector of floats with a relative error of at most 2^-14. The result
  // is exact for zeros, infinity, NaN and negative numbers.
  virtual llvm::Value *estimate_reciprocal_sqrt(llvm::IRBuilderBase &builder,
                                                llvm::Value *x) const = 0;

  // Adds attributes for the code generator: it uses registers of vector_bits() bits, and divides by
  // zeros and infinities as IEEE 754 says.
  virtual void set_code_attributes(llvm::Function &function) const = 0;
};

// `cpu` must outlive the model.
std::unique_ptr<TargetModel> target_model(const llvm::MCSubtargetInfo &cpu);
std::unique_ptr<TargetModel> target_model(const llvm::TargetMachine &target);

} // namespace lockstep::compiler
