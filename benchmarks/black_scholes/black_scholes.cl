// Prices of European options. The normal distribution by the polynomial of Abramowitz and Stegun, 26.2.17.
float normal(float x) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabs(x));
  const float tail = 0.39894228f * exp(-0.5f * x * x) * k *
                     (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  return x > 0.0f ? 1.0f - tail : tail;
}

kernel void prices(global const float *spot, global const float *strike, global const float *years, float rate,
                   float volatility, global float *call, global float *put) {
  const size_t i = get_global_id(0);
  const float s = spot[i], k = strike[i], t = years[i];
  const float spread = volatility * sqrt(t);
  const float d1 = (log(s / k) + (rate + 0.5f * volatility * volatility) * t) / spread, d2 = d1 - spread;
  const float discounted = k * exp(-rate * t), n1 = normal(d1), n2 = normal(d2);
  call[i] = s * n1 - discounted * n2;
  put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
}
