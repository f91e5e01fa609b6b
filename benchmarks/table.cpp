#include "benchmarks/questions.h"

namespace lockstep::benchmarks {

const std::vector<Row> &table() {
  static const std::vector<Row> rows = {
#define BENCHMARK(name, question) {#name, #question, name},
#include "benchmarks/questions.def"
#undef BENCHMARK
  };
  return rows;
}

} // namespace lockstep::benchmarks
