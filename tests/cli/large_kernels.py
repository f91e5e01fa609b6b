"""Kernels that are large in different ways, as OpenCL C. Each takes about how many lines of IR it is with all inlined.

    large_kernels.py calls 20000 > a.cl
"""

import sys

HEAD = "kernel void k(global const uint *in, global uint *out) {\n  size_t i = get_global_id(0);\n"


def rounds(lines):
    """One long block, as of an unrolled hash function."""
    names = "abcdefgh"
    text = [HEAD + "  uint " + ", ".join(f"{n} = in[8 * i + {k}]" for k, n in enumerate(names)) + ";"]
    for r in range(max(1, lines // 62)):
        a, b, c, d, e, f, g, h = (names[(j - r) % 8] for j in range(8))
        text.append(f"  {h} += rotate({e}, {6 + r % 5}u) + (({e} & {f}) ^ (~{e} & {g})) + {r * 2654435761 % 2**32}u; {d} += {h};"
                    f" {h} += rotate({a}, {2 + r % 7}u) + (({a} & {b}) | ({c} & ({a} | {b})));")
    return "\n".join([*text, "  out[i] = a + b + c + d + e + f + g + h;\n}"])


def calls(lines):
    """Functions that call functions, each several times: small as a program, large with everything inlined."""
    text = ["uint f0(uint a, uint b, private uint *s) {"]
    for r in range(20):
        text.append(f"  a = rotate(a ^ s[{r % 8}], {1 + r % 30}u) + b * {2 * r + 3}u; b ^= a >> {1 + r % 20}; s[{r * 3 % 8}] += b;")
    text.append("  if (a & 1) b += s[a & 7];\n  return a ^ b;\n}")
    size, level = 600, 0
    while size < lines:
        level += 1
        size *= 7
        text.append(f"uint f{level}(uint a, uint b, private uint *s) {{")
        for r in range(6):
            text.append(f"  a += f{level - 1}(b ^ {r}u, a + {level}u, s);")
        text.append(f"  if ((a & 15) == {level}u) b += f{level - 1}(a, b, s);\n  return a - b;\n}}")
    return "\n".join([*text, HEAD, "  uint s[8];\n  for (int j = 0; j < 8; ++j) s[j] = in[8 * i + j];",
                      f"  out[i] = f{level}(s[0], s[1], s);\n}}"])


def switch(lines):
    """An interpreter: a loop around a switch that each work-item goes through in its own way."""
    count = max(2, lines // 47)
    text = [HEAD + "  uint a = in[8 * i], b = in[8 * i + 1], pc = in[8 * i + 2], s[4] = {1, 2, 3, 4};",
            f"  for (uint t = 0; t < 100; ++t) switch (pc % {count}u) {{"]
    for c in range(count):
        more = "if (a > b) b += a;" if c % 3 == 0 else "s[b & 3] = a;"
        text.append(f"  case {c}: a = a * {2 * c + 1}u + s[{c % 4}]; b ^= rotate(a, {c % 31 + 1}u); {more}"
                    f" pc = pc * {c + 3}u + b; break;")
    return "\n".join([*text, "  }\n  out[i] = a + b + pc + s[0] + s[3];\n}"])


def cases(lines):
    """A switch that each work-item takes once; each of its cases has branches of its own, as of a shift by any number of bytes."""
    count = max(2, lines // 620)
    text = [HEAD + "  uint s[16];\n  for (int j = 0; j < 16; ++j) s[j] = in[16 * i + j];", f"  switch (in[i] % {count}u) {{"]
    for c in range(count):
        text.append(f"  case {c}:")
        for j in range(16):
            text.append(f"  if (s[{j}] & {c + 1}u) {{ s[{j}] += s[{(j + c) % 16}] * {c + j}u; if (s[{(j + 1) % 16}] > s[{j}]) s[{j}] ^= {c}u; }}")
        text.append("  break;")
    return "\n".join([*text, "  }\n  for (int j = 0; j < 16; ++j) out[16 * i + j] = s[j];\n}"])


def nest(lines):
    """Branches and loops in branches and loops."""
    text, number = [HEAD + "  uint a = in[8 * i], b = in[8 * i + 1], c = in[8 * i + 2];"], 0

    def block(depth):
        nonlocal number
        number += 1
        k = number
        if depth == 0:
            text.append(f"a = a * {k * 2 + 1}u + b; b ^= a >> {k % 23 + 1}; c += b;")
        elif k % 3 == 0:
            text.append(f"for (uint t{k} = 0; t{k} < (c & 3u) + 1u; ++t{k}) {{")
            block(depth - 1)
            text.append(f"if (a == {k}u) break; }}")
            block(depth - 1)
        else:
            text.append(f"if (a & {1 << k % 31}u) {{")
            block(depth - 1)
            text.append("} else {")
            block(depth - 1)
            text.append("}")

    while 26 * number < lines:
        block(6)
    return "\n".join([*text, "  out[i] = a + b + c;\n}"])


def memory(lines):
    """Many small branches with loads and stores."""
    text = [HEAD.replace("uint *", "float *") + "  float acc = 0, t[16];\n  for (int j = 0; j < 16; ++j) t[j] = in[i + j * 100];"]
    for r in range(max(1, lines // 55)):
        text.append(f"  if (t[{r % 16}] > acc) acc += in[i * {r % 5 + 1} + {r}] * t[{r * 7 % 16}];"
                    f" else t[{r * 5 % 16}] = out[i + {r} * 100] - acc;")
    return "\n".join([*text, "  out[i] = acc;\n}"])


KINDS = {"rounds": rounds, "calls": calls, "switch": switch, "cases": cases, "nest": nest, "memory": memory}

if __name__ == "__main__":
    print(KINDS[sys.argv[1]](int(sys.argv[2])))
