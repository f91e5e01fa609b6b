// How fast are math functions of full accuracy at full width, and what does -cl-fast-relaxed-math
// gain?
//
// Rival: the same formulas in C++, with glibc's vector functions (libmvec), whose error may be 4
// ulp.
#include "benchmarks/harness/data.h"
#include "benchmarks/harness/session.h"
#include "benchmarks/harness/threads.h"
#include "benchmarks/questions.h"

namespace lockstep::benchmarks {

namespace {

struct Data {
  std::vector<float> spot, strike, years, call, put;
};
constexpr float rate = 0.02f, volatility = 0.3f;

inline float normal(float x) {
  const float k = 1.0f / (1.0f + 0.2316419f * std::fabs(x));
  const float tail =
      0.39894228f * std::exp(-0.5f * x * x) * k *
      (0.31938153f +
       k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  return x > 0.0f ? 1.0f - tail : tail;
}

void prices(Data &d, size_t begin, size_t end) {
  float *call = d.call.data(), *put = d.put.data();
  for (size_t i = begin; i < end; ++i) {
    const float s = d.spot[i], k = d.strike[i], t = d.years[i];
    const float spread = volatility * std::sqrt(t);
    const float d1 = (std::log(s / k) + (rate + 0.5f * volatility * volatility) * t) / spread,
                d2 = d1 - spread;
    const float discounted = k * std::exp(-rate * t), n1 = normal(d1), n2 = normal(d2);
    call[i] = s * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
  }
}

// Uses the error function of the C library, in double.
bool verify(const Data &d, double tolerance) {
  for (size_t i = 0; i < d.spot.size(); i += 101) {
    const double s = d.spot[i], k = d.strike[i], t = d.years[i], v = volatility, r = rate;
    const double d1 = (std::log(s / k) + (r + v * v / 2) * t) / (v * std::sqrt(t)),
                 d2 = d1 - v * std::sqrt(t);
    auto n = [](double x) { return 0.5 * std::erfc(-x * std::sqrt(0.5)); };
    const double call = s * n(d1) - k * std::exp(-r * t) * n(d2),
                 put = call - s + k * std::exp(-r * t);
    if (!near(d.call[i], call, tolerance) || !near(d.put[i], put, tolerance))
      return false;
  }
  return true;
}

Benchmark black_scholes(Scale scale, const char *options) {
  auto d = std::make_shared<Data>();
  const size_t n = size(scale, size_t(1) << 23, 1 << 14);
  d->spot = random_floats(n, 5, 30, 11);
  d->strike = random_floats(n, 1, 100, 12);
  d->years = random_floats(n, 0.25f, 10, 13);
  d->call.resize(n);
  d->put.resize(n);
  Benchmark b{.unit = "Mopt/s", .amount = 1e-6 * double(n)};
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel("black_scholes/black_scholes.cl", "prices", options);
    s.arguments(k, s.input(d->spot), s.input(d->strike), s.input(d->years), rate, volatility,
                s.output(d->call), s.output(d->put));
    return [=, &s] { s.launch(k, n, 256); };
  };
  b.native = [=](Threads &t) {
    return [=, &t] { t.split(n, [&](size_t begin, size_t end) { prices(*d, begin, end); }); };
  };
  b.verify = [=] { return verify(*d, 1e-3); };
  return b;
}

} // namespace

Benchmark black_scholes_plain(Scale scale) {
  return black_scholes(scale, "");
}
Benchmark black_scholes_relaxed(Scale scale) {
  return black_scholes(scale, "-cl-fast-relaxed-math");
}

} // namespace lockstep::benchmarks
