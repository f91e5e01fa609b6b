"""Makes random data-parallel loops: a body that is at once the body of a kernel and that of a loop in C++.

Each body reads arrays `a`, `b` of one type and `index`, a permutation of the items, and writes `c`. Its work-items are
independent. It has no undefined behavior: arithmetic on integers is unsigned, conditions never depend on a rounded value. The
arrays are long enough for all accesses below (ITEMS * ROW elements and PADDING).
"""

import random

ITEMS, WIDTH, ROW, PADDING = 1 << 16, 1 << 8, 16, 1 << 13  # WIDTH * WIDTH items in two dimensions

# Storage, arithmetic, and whether that is floating point.
TYPES = [("float", "float", True)] * 5 + [("double", "double", True)] * 2 + [("uint", "uint", False)] * 2 + [
    ("ushort", "uint", False), ("uchar", "uint", False), ("ulong", "ulong", False)]


class Body:
    """One random body. `items` is (x, y), `local` the local size or None, `text` its statements."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.seed = seed
        self.storage, self.arithmetic, self.is_float = self.random.choice(TYPES)
        self.index = self.random.choice(["int", "uint", "size_t"])
        self.is_plane = self.random.random() < 0.4
        self.items = (WIDTH, WIDTH) if self.is_plane else (ITEMS, 1)
        self.local = self.random.choice([None, "16,16", "64,4", "256,1"] if self.is_plane else [None, "64", "256", "128"])
        self.names, self.helpers, self.lines = [], [], []
        self.make()
        self.text = "\n".join(self.lines)

    def pick(self, *choices):
        """One of several strings or functions that return one."""
        found = self.random.choice(choices)
        return found() if callable(found) else found

    def literal(self):
        if self.is_float:
            return f"({self.arithmetic}){self.random.randint(-64, 64) / 16}"
        return f"({self.arithmetic}){self.random.randint(1, 1000)}"

    # ---- memory

    def element(self, counter=""):
        """Where an array is read; `counter` is the counter of the innermost loop, if there is one."""
        if counter and self.random.random() < 0.8:
            places = [f"i * {ROW} + {counter}", f"{counter} * w + i", counter, f"i + {counter}", f"i + {counter} * 4"]
            if self.is_plane:
                places += [f"(y + {counter}) * w + x", f"y * w + {counter}", f"{counter} * w + x", f"x * w + {counter}"]
            return self.random.choice(places)
        places = ["i"] * 4 + [f"i + {self.random.randint(1, 8)}"] * 2 + [
            f"i * {self.random.randint(2, 4)} + {self.random.randint(0, 3)}", "index[i]", "i / 4", "(i & 255)", "(i ^ 1)",
            f"{ITEMS - 1} - i"]
        if self.is_plane:
            places += [f"(y + {self.random.randint(0, 3)}) * w + x + {self.random.randint(0, 3)}"] * 3 + ["x * w + y", "x", "y"]
        return self.random.choice(places)

    def load(self, counter=""):
        return f"({self.arithmetic}){self.pick('a', 'b')}[{self.element(counter)}]"

    # ---- expressions

    def expression(self, depth, counter=""):
        if depth == 0:
            leaves = [lambda: self.load(counter)] * 4 + [self.literal, f"({self.arithmetic})(index[i] & 63u)"]
            if self.names:
                leaves += [lambda: self.random.choice(self.names)] * 2
            if counter:
                leaves.append(f"({self.arithmetic}){counter}")
            return self.pick(*leaves)
        one = lambda: self.expression(depth - 1, counter)
        forms = [lambda: f"({one()} {self.pick('+', '-', '*')} {one()})"] * 5 + [
            lambda: f"({self.condition(counter)} ? {one()} : {one()})"]
        if self.is_float:
            forms += [lambda: f"fma({one()}, {one()}, {one()})", lambda: f"fabs({one()})", lambda: f"fmax({one()}, {one()})",
                      lambda: f"sqrt(fabs({one()}))", lambda: f"({one()} / (fabs({one()}) + 1))"]
            if self.arithmetic == "float" and self.random.random() < 0.2:
                forms += [lambda: f"exp(-fabs({one()}))", lambda: f"cos({self.load(counter)})"]
        else:
            forms += [lambda: f"({one()} {self.pick('^', '&', '|')} {one()})",
                      lambda: f"({one()} {self.pick('<<', '>>')} {self.random.randint(1, 7)})",
                      lambda: f"({one()} / {self.random.randint(2, 12)})", lambda: f"({one()} % ((index[i] & 7u) + 1u))"]
        return self.pick(*forms)

    def condition(self, counter=""):
        conditions = ["(index[i] & 1u)", f"index[i] < {self.random.choice([6000, 32768, 60000])}u", "(i % 3) == 0",
                      lambda: f"{self.load(counter)} > {self.literal()}"]
        if self.is_plane:
            conditions += ["x < y", "x > 0 && y > 0"]
        return self.pick(*conditions)

    # ---- statements

    def line(self, text):
        self.lines.append("  " + text)

    def name(self):
        return f"t{len(self.names)}"

    def declare(self):
        text = self.expression(self.random.randint(1, 3))
        name = self.name()
        if self.random.random() < 0.2:
            helper = f"help{len(self.helpers)}"
            self.helpers.append(f"inline {self.arithmetic} {helper}({self.arithmetic} p, {self.arithmetic} q) {{ return "
                                f"{self.pick('p * q + p', 'p > q ? p - q : q', 'p * p - q * q')}; }}")
            text = f"{helper}({text}, {self.load()})"
        self.line(f"{self.arithmetic} {name} = {text};")
        self.names.append(name)

    def bound(self):
        return self.pick("4u", "8u", f"{ROW}u", "m", "m", "m", f"(index[i] & {ROW - 1}u)", "(uint)(i & 7)")

    def loop(self):
        name, counter = self.name(), "k"
        self.line(f"{self.arithmetic} {name} = {self.literal()};")
        self.line(f"for (uint k = 0; k < {self.bound()}; ++k) {{")
        if self.random.random() < 0.15:
            self.line(f"  if ({self.condition(counter)}) {self.pick('continue', 'break')};")
        value = self.expression(self.random.randint(1, 2), counter)
        updates = [f"{name} += {value};"] * 3 + [f"if ({self.condition(counter)}) {name} += {value};"]
        updates += [f"{name} = fmax({name}, {value});", f"{name} = {name} * ({self.arithmetic})0.5 + {value};"] \
            if self.is_float else [f"{name} ^= {value};", f"{name} = {name} * 31 + {value};"]
        self.line("  " + self.random.choice(updates))
        self.line("}")
        self.names.append(name)

    def branch(self):
        name = self.name()
        self.line(f"{self.arithmetic} {name} = {self.load()};")
        self.line(f"if ({self.condition()}) {name} = {self.expression(2)};")
        if self.random.random() < 0.5:
            self.line(f"else {name} = {self.expression(1)};")
        self.names.append(name)

    def choice(self):
        name = self.name()
        self.line(f"{self.arithmetic} {name};")
        self.line("switch (index[i] & 3u) {")
        for label in ("case 0:", "case 1:", "default:"):
            self.line(f"{label} {name} = {self.expression(1)}; break;")
        self.line("}")
        self.names.append(name)

    def search(self):
        name, steps = self.name(), f"n{len(self.names)}"
        self.line(f"uint {steps} = 0;")
        self.line(f"for (uint u = index[i] & 1023u; u > 1u && {steps} < 48u; ++{steps}) u = u & 1u ? 3u * u + 1u : u >> 1;")
        self.line(f"{self.arithmetic} {name} = ({self.arithmetic}){steps};")
        self.names.append(name)

    def small_array(self):
        name, array = self.name(), f"p{len(self.names)}"
        self.line(f"{self.arithmetic} {array}[4];")
        self.line(f"for (uint k = 0; k < 4; ++k) {array}[k] = {self.expression(1, 'k')};")
        self.line(f"{self.arithmetic} {name} = {array}[{self.pick('index[i] & 3u', '3')}] + {array}[{self.pick('i & 3', '0')}];")
        self.names.append(name)

    def store(self):
        value = self.expression(self.random.randint(0, 2))
        if self.names:
            value = f"({value} + {' + '.join(self.names)})"
        value = f"({self.storage}){value}"
        places = ["i"] * 6 + ["i * 2", "index[i]"] + (["x * w + y"] if self.is_plane else [])
        place = self.random.choice(places)
        guard = f"if ({self.condition()}) " if self.random.random() < 0.15 else ""
        if place == "i * 2":
            self.line(f"c[i * 2 + 1] = {self.load()};")
        self.line(f"{guard}c[{place}] = {value};")

    def make(self):
        kinds = [self.declare] * 4 + [self.loop] * 4 + [self.branch] * 2 + [self.choice, self.search, self.small_array]
        if self.random.random() < 0.1:
            self.line("if (index[i] % 8u == 0u) return;")
        for _ in range(self.random.randint(0, 3)):
            self.random.choice(kinds)()
        self.store()

    # ---- the two languages

    def counters(self):
        first = f"const {self.index} x = ({self.index})X;"
        if not self.is_plane:
            return f"  {first}\n  const {self.index} i = x;"
        return f"  {first}\n  const {self.index} y = ({self.index})Y;\n  const {self.index} i = y * ({self.index})w + x;"

    def signature(self, space):
        of = f"{space} " if space else ""
        return (f"{of}const {self.storage} *a, {of}const {self.storage} *b, {of}const uint *index, {of}{self.storage} *c, "
                "const uint m, const uint w")

    def opencl(self):
        helpers = "".join(helper + "\n" for helper in self.helpers).replace("inline", "static inline")
        counters = self.counters().replace("X;", "get_global_id(0);").replace("Y;", "get_global_id(1);")
        return f"{helpers}kernel void loop_{self.seed}({self.signature('global')}) {{\n{counters}\n{self.text}\n}}\n"

    def cpp(self):
        helpers = "".join("static " + helper + "\n" for helper in self.helpers)
        return (f"namespace n{self.seed} {{\n{helpers}static inline void body(const size_t X, const size_t Y, {self.signature('')}) "
                f"{{\n{self.counters()}\n{self.text}\n}}\n}}\n"
                f'extern "C" void loop_{self.seed}(size_t across, size_t down, {self.signature("")}) {{\n'
                f"  for (size_t Y = 0; Y < down; ++Y)\n    for (size_t X = 0; X < across; ++X)\n"
                f"      n{self.seed}::body(X, Y, a, b, index, c, m, w);\n}}\n")
