"""What `lockstep check` proves of accesses is what it finds if it compares them: random kernels, each with and without a number in
its indices that only the launch knows. More of them: check_proofs_test.py TOOL --seed 1 --count 1000"""

import random
import sys

import cli

FOUND = 66
ONE_ID = """l|i|2 * l|l * 2 + 1|ls - 1 - l|i * n|i * m|i * 4|l + ls|g * ls + l|g * m + l|i / n * m + i % n|i / 8 * 16 + i % 8|
            i / n * (2 * n) + i % n|l / 8 + l % 8 * 8|l % 8 * 9 + l / 8|l ^ 1|(l + 1) % ls|(l + ls / 2) % ls|l & ~1u|l / 2|i + gs|l + n|
            g|g * 4 + l / 16|i * 3 + 1|i % 32|i / 2 * 2 + (1 - i % 2)|l * (l + 1) / 2|l % 16 * 4 + l / 16"""
TWO_IDS = """v * ls + l|v * n + l|l * 4 + v|l * lv + v|w * gs + i|i * gw + w|w * n + i|v|(v + 1) * ls - 1 - l|v * ls + (l ^ 1)|
             (lv - 1 - v) * ls + l|w * m + i|w * 65 + i|l * 17 + v"""
IN_LOOPS = """i * 4 + j|l * 3 + j|l + j * ls|i + j * gs|i * n + j|i * m + j|j * 64 + l|l + j|l ^ (1u << j)|l << j|g * m + j|j|l / (j + 1)|
              (l + j) % ls|(v * ls + l) * 4 + j|w * n + i + j|w * gs + i + j * gs * gw"""
PARTNERS = "x ^ n|x ^ n|x ^ m|x + n|x | n|x - n + 64|x ^ (n + 1)|x + 1|x ^ 1".split("|")
GUARDS = """y > x|y > x|x > y|y >= x|y != x|(int)y > (int)x|(x & n) == 0|(x & n) == 0|(x & n) == n|(x & n) != 0|(x & m) == 0|(x & 1) == g|
            x % (2 * n) < n|y > x && x < m|y > x OR x < m|1"""
ENDS = "0 1 2 3 (ls-1) (ls-2) ls".split()
LEAVES = "l g i n m v w ls gs (ls-1-l) 0 1 2 3 4 8 16 31 32 63 64".split()
LOCAL, BOTH = "CLK_LOCAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"
HEAD = """#define PLACE(index) ((index){known})
kernel void k(global int *data, global int *out, global uint *zero, local int *tmp, uint n, uint m) {{
  const uint l = get_local_id(0), v = get_local_id(1), g = get_group_id(0), i = get_global_id(0), w = get_global_id(1),
             ls = get_local_size(0), lv = get_local_size(1), gs = get_global_size(0), gw = get_global_size(1);
  local int other[96];
  int x = 0;
  {body}
  out[w * gs + i] = x;
}}
"""


def listed(text):
    return [each.strip() for each in text.split("|")]


class Kernel:
    """Indices stay in the memory, which has 65536 elements: those that are known to be small, and those of anything by a mask, behind
    which little is proven."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.array = self.one_of("tmp", "tmp", "data")
        self.local = self.one_of((64, 1), (16, 1), (48, 1), (16, 4), (8, 2))
        self.groups = self.one_of(1, 2, 3), self.one_of(1, 2) if self.local[1] > 1 else 1
        self.numbers = self.one_of(1, 2, 3, 4, 8, 16, 33, 64), self.one_of(1, 3, 5, 8, 32, 64, 100)
        self.whole = ""  # the index of the last part
        is_pair = self.array == "data" and self.random.random() < 0.4
        self.body = self.pair() if is_pair else "\n  ".join(self.part() for _ in range(self.one_of(2, 2, 3, 4)))

    def one_of(self, *some):
        return self.random.choice(some)

    def any_index(self, depth, loop):
        if depth == 0 or self.random.random() < 0.2:
            return self.one_of(*LEAVES, *(["j", "j"] if loop else []))
        one, other = self.any_index(depth - 1, loop), self.any_index(depth - 1, loop)
        return self.one_of(f"({one} + {other})", f"({one} + {other})", f"({one} * {self.one_of('2', '4', 'n', 'm', 'ls')})",
                           f"({one} / {self.one_of('2', '8', 'n')})", f"({one} % {self.one_of('3', '8', '32', 'n')})",
                           f"({one} & {self.one_of('1', '7', '31')})", f"({one} << {self.one_of('1', '3')})",
                           f"({one} ^ {self.one_of('1', 'l', '7')})", f"(l < {self.one_of('n', '16')} ? {one} : {other})")

    def index(self, loop):
        if self.random.random() < 0.25:
            return f"({self.any_index(self.one_of(1, 2, 3), loop)}) & 16383u"
        known = listed(ONE_ID) + (listed(TWO_IDS) * 2 if self.local[1] > 1 else [])
        return self.one_of(*known, *(listed(IN_LOOPS) * 2 if loop else []))

    # Near the one of the part that they are in, so that something can be proven of several.
    def access(self, index, loop):
        nearby = self.one_of(index, index, index, f"({index}) + {self.one_of('1', '16', 'n', 'ls', 'gs', 'gs * gw')}",
                             f"({index}) * 2 + {self.one_of(0, 1)}")
        place = f"{self.array}[PLACE({nearby})]"
        pointer = f"(volatile {'local' if self.array == 'tmp' else 'global'} int *)&{place}"
        done = self.one_of(f"{place} = (int)(w * 1000 + i * 3 + 1);", f"x += {place};", f"{place} += (int)i;",
                           f"atomic_add({pointer}, 1);", f"{place} = (int)(w * 1000 + i);")
        if self.random.random() < 0.3:
            done = (f"if ({self.any_index(1, loop)} {self.one_of('<', '<', '==', '!=', '>=')} "
                    f"{self.one_of('n', 'm', '16', '1', '63', 'g')}) {{ {done} }}")
        return done

    # A tile with further elements at its ends, some of which may be another work-item's.
    def tile(self):
        own, row = self.one_of("l + 1", "l + 1", "l", "l + 2"), self.one_of("v * (ls + 2)", "(v + 1) * (ls + 2)", "v * ls")
        done = [f"tmp[PLACE({row} + {own})] = (int)(w * 1000 + i);"]
        for _ in range(self.one_of(1, 2, 2)):
            first, other = self.one_of(*ENDS), self.one_of(*ENDS)
            who = self.one_of(f"l == {first}", f"l == {first}", f"l < {first}", f"l == {first} || l == {other}", f"v == {first}")
            where = self.one_of("0", "ls + 1", "ls", f"l == {first} ? 0 : ls + 1", "l + ls + 1", own)
            done.append(f"{self.one_of('', 'else ') if done[-1].startswith(('if', 'else')) else ''}"
                        f"if ({who}) tmp[PLACE({row} + ({where}))] = (int)(w * 1000 + i);")
        return " ".join([*done, f"barrier({self.one_of(LOCAL, LOCAL, LOCAL, 'CLK_GLOBAL_MEM_FENCE')});", f"x += tmp[PLACE({row} + l)];"])

    # An async copy or two, and a wait for all of them, for one, by some groups, or none.
    def copy(self):
        copies = [f"async_work_group_copy(tmp + PLACE({self.one_of('0', '0', '64', 'ls', '32')}), "
                  f"data + PLACE({self.one_of('0', 'g * ls')}), {self.one_of('ls', '32', 'n')}, 0)" for _ in range(self.one_of(1, 1, 2))]
        wait = self.one_of(*[f"wait_group_events({len(copies)}, e);"] * 4, "wait_group_events(1, e);", "", f"barrier({LOCAL});",
                           "if (g == 0) wait_group_events(1, e);")
        return (f"{{ event_t e[] = {{{', '.join(copies)}}}; {wait} x += tmp[PLACE({self.one_of('l', 'l + 1', 'ls - 1 - l')})]; "
                f"barrier({self.one_of(LOCAL, LOCAL, LOCAL, 'CLK_GLOBAL_MEM_FENCE')}); }}")

    # The elements of i and of its partner: a pair of its own, or not.
    def pair(self):
        own = self.one_of("l", "i") if self.array == "tmp" else self.one_of("i", "i", "w * gs + i")
        guard = self.one_of(*listed(GUARDS)).replace("OR", "||")
        places = [f"{self.array}[PLACE({self.one_of('p', 'p', 'q', 'q', 'p * 2', 'q * 2 + 1') if self.random.random() < 0.3 else index})]"
                  for index in ("p", "q")]
        one, other = (self.one_of("x + ", "") + f"(int)(w * 1000 + i * 3 + {each})" for each in (1, 2))
        done = f"x += {places[0]}; {places[1]} = {one}; {places[0]} = {other};"
        head = f"const uint p = {own}, q = {self.one_of(*PARTNERS).replace('x', 'p')};"
        return f"{{ {head} if ({guard.replace('x', 'p').replace('y', 'q')}) {{ {done} }} }}"

    # Two halves, one of which is read while the other one is written, by an index, by swapped pointers or by the iteration.
    def halves(self):
        many, neighbor = self.one_of("3", "n % 5", "9"), self.one_of("l + 1", "(l + 1) % ls", "l ^ 1", "l", "ls - 1 - l")
        half, row = self.one_of("64", "64", "80", "m"), self.one_of("l", "v * ls + l")
        place = row.replace("l", f"({neighbor})") if row == "l" else f"v * ls + ({neighbor})"
        way = self.one_of("now", "now", "pointers", "step")
        first, next_value = {"now": ("uint now = 0, then = 1;", self.one_of("now = 1 - now; then = 1 - now;", "now ^= 1; then = now ^ 1;",
                                                                            "uint kept = now; now = then; then = kept;", "now = then;")),
                             "pointers": ("local int *from = tmp, *to = tmp + 64;", "local int *kept = from; from = to; to = kept;"),
                             "step": ("", "")}[way]
        read, written = {"now": (f"now * {half}", f"then * {half}"), "pointers": ("", ""),
                         "step": (f"(j & 1) * {half}", f"{self.one_of('~j & 1', '(j + 1) & 1', 'j & 1', '(j + 2) & 3')} * {half}")}[way]
        from_place, to_place = ((f"from[PLACE({place})]", f"to[PLACE({row})]") if way == "pointers" else
                                (f"tmp[PLACE({read} + {place})]", f"tmp[PLACE({written} + {row})]"))
        if way == "pointers" and self.random.random() < 0.5:  # two arrays
            first = "local int *from = tmp, *to = other;"
        guard = self.one_of("", "", f"if (l >= {self.one_of('j', '1', 'n')}) ", f"if (j {self.one_of('<', '!=')} n) ")
        fence = self.one_of(LOCAL, LOCAL, LOCAL, LOCAL, "CLK_GLOBAL_MEM_FENCE")
        done = [f"barrier({fence});", f"{guard}{to_place} = {from_place} + (int)(w * 1000 + i * 3 + 1);", next_value]
        if self.random.random() < 0.3:
            done = [done[1], done[0], done[2]]
        if self.random.random() < 0.15:
            done.insert(self.one_of(1, 2), next_value)
            done = [f"{{ {each} }}" for each in done]
        if self.random.random() < 0.1:
            done[0] = f"if (j {self.one_of('& 1', '!= 1')}) {done[0]}"
        last = f"x += {self.one_of(from_place, to_place).replace('j', '0')};" if way != "step" or self.random.random() < 0.5 else ""
        return f"{{ {first} for (uint j = 0; j < {many}; ++j) {{ {' '.join(done)} }} {last} barrier({LOCAL}); }}"

    def part(self):
        if self.array == "tmp" and self.random.random() < 0.2:
            return self.halves()
        if self.array == "tmp" and self.random.random() < 0.25:
            return self.tile() if self.random.random() < 0.7 else self.copy()
        if self.random.random() < 0.2:
            self.whole = self.whole or "i"
            return self.pair() + (f" barrier({LOCAL});" if self.array == "tmp" and self.random.random() < 0.8 else "")
        loop = self.random.random() < 0.3
        if self.array == "tmp" or not self.whole:
            self.whole = self.index(loop)
        loop = loop or "j" in self.whole
        done = " ".join(self.access(self.whole, loop) for _ in range(self.one_of(1, 1, 2)))
        if loop:
            barrier = f" barrier({BOTH});" if self.random.random() < 0.35 else ""
            done = f"for (uint j = 0; j < {self.one_of('3', '4', 'n % 5', 'm % 4 + 1')}; ++j) {{ {done}{barrier} }}"
        if self.random.random() < (0.9 if self.array == "tmp" else 0.2):
            done += f" barrier({self.one_of(LOCAL, LOCAL, LOCAL, BOTH, 'CLK_GLOBAL_MEM_FENCE')});"
        return done

    def source(self, is_known):
        return HEAD.format(known="" if is_known else " + zero[0]", body=self.body)

    def arguments(self):
        size = [self.local[d] * self.groups[d] for d in (0, 1)]
        return ["--global", f"{size[0]},{size[1]}", "--local", f"{self.local[0]},{self.local[1]}", "--arg", "buf:int:65536=0", "--arg",
                "buf:int:4096", "--arg", "buf:uint:1=0", "--arg", "local:int:40960", "--arg", f"uint={self.numbers[0]}", "--arg",
                f"uint={self.numbers[1]}"]


class CheckProofsTest(cli.ToolTest):
    first, count = 1, 60

    def verdict(self, kernel, is_known):
        file = self.folder / f"{'known' if is_known else 'unknown'}.cl"
        file.write_text(kernel.source(is_known))
        status = self.tool_status("check", "--only", "races", "--threads", 1, cli.TOOL, "run", file, "-k", "k", *kernel.arguments())
        self.assertIn(status.returncode, (0, FOUND), status.err)
        return tuple(f"{kind} in" in status.err for kind in ("race", "async copy", "note"))

    def test_random_kernels(self):
        found = set()
        for seed in range(self.first, self.first + self.count):
            kernel = Kernel(seed)
            with self.subTest(seed):
                proven, compared = (self.verdict(kernel, is_known) for is_known in (True, False))
                found.add(compared[0])
                self.assertEqual(proven, compared, kernel.source(True))
        if self.count >= 60:
            self.assertEqual(found, {True, False})


if __name__ == "__main__":
    for option, name in (("--seed", "first"), ("--count", "count")):
        if option in sys.argv:
            at = sys.argv.index(option)
            setattr(CheckProofsTest, name, int(sys.argv[at + 1]))
            del sys.argv[at:at + 2]
    cli.main()
