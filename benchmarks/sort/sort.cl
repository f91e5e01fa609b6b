// One step of bitonic sort: pairs that are `distance` apart, in runs of `run` that go up and down in turn.
kernel void bitonic_step(global uint *keys, uint run, uint distance) {
  const uint i = get_global_id(0);
  const uint low = (i / distance) * 2 * distance + i % distance, high = low + distance;
  const bool up = (low & run) == 0;
  const uint a = keys[low], b = keys[high];
  if ((a > b) == up) {
    keys[low] = b;
    keys[high] = a;
  }
}
