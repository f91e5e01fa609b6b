// The same multiply-adds, written for T: two numbers that feed each other, ROUNDS times 16 steps.
#define STEP y = fma(x, a, y); x = fma(y, b, x);
#define STEPS STEP STEP STEP STEP STEP STEP STEP STEP
kernel void steps(uint rounds, float factor, global T *result) {
  T x = (T)(factor * get_global_id(0)), y = (T)(factor);
  const T a = (T)(factor), b = (T)(-factor);
  for (uint i = 0; i < rounds; ++i) {
    STEPS
  }
  result[get_global_id(0)] = x + y;
}
