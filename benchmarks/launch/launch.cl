kernel void empty(void) {}

// One link of a chain: fails to count if it runs before the one in front of it.
kernel void link(uint number, global uint *count) {
  if (*count == number)
    *count = number + 1;
}
