// Kernels as programs write them: tiles, products of matrices, sparse rows, reductions, histograms,
// scans. Each has one meaning, which the host computes by plain loops, and many spellings.
//
// fuzz.cpp makes programs of any statements, among which such patterns are rare. The passes of the
// compiler look for them, and each pass has conditions that some spelling breaks.
#pragma once

#include "../random.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lockstep::fuzz::idioms {

struct Element {
  const char *name;
  unsigned bytes;
  bool is_signed, is_float;
};

// Numbers are small integers, which every type can hold, also as sums and products. Those of a
// narrow result wrap.
using Numbers = std::vector<int64_t>;
int64_t wrapped(const Element &type, int64_t number);

struct Argument {
  enum class Kind { buffer, number, local } kind = Kind::buffer;
  Element type{};
  std::string name{};
  Numbers numbers{};            // local: empty
  Numbers expected{};           // of a buffer that the kernel writes, afterwards
  bool is_in_any_order = false; // its numbers are expected in any order
  unsigned local_elements = 0;
  std::string qualifier = "global"; // of a buffer
};

struct Idiom {
  std::string functions, attributes, body; // of the kernel and before it
  std::vector<Argument> arguments;
  unsigned dimensions = 1;
  std::array<std::size_t, 2> global{1, 1}, local{1, 1}, offset{0, 0};
  bool waits = false; // work-groups wait for each other
  std::string source() const;
};

// Writes the same thing in different words.
class Speller {
public:
  explicit Speller(uint64_t seed) : random(seed) {}
  Random random;

  using Texts = std::vector<std::string>;
  std::string pick(const Texts &texts) { return random.pick(texts); }
  bool chance(unsigned percent) { return random.chance(percent); }
  unsigned between(unsigned low, unsigned high) { return random.between(low, high); }

  Element number();         // of data
  Element integer();        // of data
  std::string index_type(); // of indices up to 30000
  std::string global_id(int dimension, std::size_t local);
  // Declares `name` with this value.
  std::string declare(const std::string &name, const std::string &value);
  std::string sum(const std::string &a, const std::string &b);
  std::string product(const std::string &a, const std::string &b);
  // The element in this row and column of rows of `width`.
  std::string at(const std::string &row, const std::string &width, const std::string &column);
  std::string less(const std::string &a, const std::string &b);
  // Runs `body` if all conditions hold. `returns`: it may return otherwise.
  std::string guarded(const Texts &conditions, const std::string &body, bool returns);
  // for (name = from; name < to; name += step) body
  std::string loop(const std::string &name, const std::string &from, const std::string &to,
                   const std::string &step, const std::string &body);
  std::string barrier();
  // A number as an argument of the kernel, or as a literal.
  std::string parameter(Idiom &idiom, const std::string &name, int64_t number);
  Numbers numbers(std::size_t count, unsigned most = 15);
  // A number of rows, columns or elements: mostly up to `most`, sometimes much larger.
  std::size_t size(unsigned least, unsigned most);
};

inline std::size_t rounded_up(std::size_t number, std::size_t step) {
  return (number + step - 1) / step * step;
}

Argument buffer(const std::string &name, Element type, Numbers numbers);
Argument result(const std::string &name, Element type, Numbers before, Numbers expected);
Argument local(const std::string &name, Element type, unsigned elements);

using Maker = Idiom (*)(Speller &);
struct NamedMaker {
  const char *name;
  Maker make;
};
const std::vector<NamedMaker> &makers();

inline constexpr Element type_int{"int", 4, true, false}, type_uint{"uint", 4, false, false},
    type_float{"float", 4, true, true};

Idiom make_map(Speller &);
Idiom make_stencil(Speller &);
Idiom make_transpose(Speller &);
Idiom make_product(Speller &);
Idiom make_tiled_product(Speller &);
Idiom make_sparse_rows(Speller &);
Idiom make_reduction(Speller &);
Idiom make_histogram(Speller &);
Idiom make_stages(Speller &);
Idiom make_scan(Speller &);
Idiom make_compaction(Speller &);
Idiom make_pixels(Speller &);
Idiom make_choices(Speller &);
Idiom make_sort(Speller &);
Idiom make_convolution(Speller &);
Idiom make_collective(Speller &);
Idiom make_records(Speller &);
Idiom make_vectors(Speller &);
Idiom make_volume(Speller &);
Idiom make_permutation(Speller &);
Idiom make_blocked_product(Speller &);
Idiom make_indices(Speller &);

} // namespace lockstep::fuzz::idioms
