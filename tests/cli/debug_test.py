"""`lockstep debug`: a real gdb stops in kernels, shows their variables, and stays with one work-item across a barrier."""

import pathlib
import subprocess
import sys

import cli

COMPILER = str(pathlib.Path(sys.argv.pop(2)).resolve())  # lockstep++
BLUR = """int twice(int v) {
  int result = v * 2;
  return result;
}
kernel void blur(global const int *in, global int *out, local int *tile) {
  int i = get_global_id(0);
  int l = get_local_id(0);
  tile[l] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  int left = tile[l == 0 ? 0 : l - 1];
  int sum = left + twice(tile[l]);
  out[i] = sum;
}
"""
SQUARES = """#include <sycl/sycl.hpp>
int main() {
  sycl::queue q;
  int *data = sycl::malloc_shared<int>(8, q);
  q.parallel_for(sycl::nd_range<1>(8, 4), [=](sycl::nd_item<1> item) {
    int id = item.get_global_linear_id();
    int square = id * id;
    sycl::group_barrier(item.get_group());
    data[id] = square;
  }).wait();
  bool right = data[3] == 9;
  sycl::free(data, q);
  return right ? 0 : 1;
}
"""


class DebugTest(cli.ToolTest):
    def debug(self, commands, *program):
        script = self.folder / "commands.gdb"
        script.write_text("\n".join(["set debuginfod enabled off", "set width 0", *commands]) + "\n")
        vendors = pathlib.Path(cli.TOOL).parents[1] / "vendors"
        done = self.tool("debug", "--gdb=-batch", "--gdb=-nx", f"--gdb=-x={script}", *program,
                         OCL_ICD_VENDORS=str(vendors))
        return done.out + done.err

    def blur(self, *commands):
        (self.folder / "blur.cl").write_text(BLUR)
        return self.debug(commands, cli.TOOL, "run", "blur.cl", "--global", 8, "--local", 4, "--arg", "buf:int:8=iota",
                          "--arg", "buf:int:8", "--arg", "local:16", "--print", "1:8")

    def assert_in_order(self, texts, output):
        place = 0
        for text in texts:
            place = output.find(text, place)
            self.assertNotEqual(place, -1, f"'{text}' is missing, or is too early, in:\n{output}")
            place += len(text)

    def test_next_stays_with_the_work_item(self):
        output = self.blur("work-item 2", "break blur.cl:9", "run", "info locals", "next", "next", "print left",
                           "set var left = 100", "next", "print sum", "continue")
        self.assert_in_order(["stop for work-item 2,0,0 only", "Breakpoint 1, blur (in=", "blur.cl:9",
                              "[work-item 2,0,0 (local id 2,0,0 of work-group 0,0,0)]", "i = 2", "l = 2",
                              "10\t  int left", "[work-item 2,0,0", "11\t  int sum", "[work-item 2,0,0", "$1 = 1",
                              "12\t  out[i]", "$2 = 104", "1: 0 2 104 8 12 14 17 20", "exited normally"], output)

    def test_functions_and_memory(self):
        output = self.blur("work-group 1", "break twice", "run", "bt", "print v", "next", "print result", "finish",
                           "print in[5]", "print tile[0]@4", "work-item", "delete", "continue")
        self.assert_in_order(["twice (v=4)", "[work-item 4,0,0 (local id 0,0,0 of work-group 1,0,0)]", "#0  twice (v=4)",
                              "#1  blur (in=", "#2", "run", "$1 = 4", "return result", "$2 = 8", "$3 = 5",
                              "$4 = {4, 5, 6, 7}", "work-item 4,0,0 (local id", "1: 0 2 5 8 12 14 17 20"], output)
        self.assertNotIn("#3", output)

    def test_each_work_item_stops_without_a_focus(self):
        output = self.blur("break blur.cl:12", "commands", "silent", "print i", "continue", "end", "run")
        self.assert_in_order([f"= {i}\n" for i in range(8)], output)

    def test_wrong_arguments_of_commands(self):
        output = self.blur("python\ntry:\n  gdb.execute('work-item x')\nexcept gdb.error as error:\n  print(error)\nend",
                           "work-item", "work-group any")
        self.assert_in_order(["work-item takes X[,Y[,Z]], or any", "No kernel is running.", "stop for any work-item"],
                             output)

    def test_a_source_that_no_file_has(self):
        (self.folder / "blur.cl").write_text(BLUR)
        program = self.folder / "build.py"
        program.write_text("import pyopencl, numpy\n"
                           "context = pyopencl.Context([pyopencl.get_platforms()[0].get_devices()[0]])\n"
                           "queue = pyopencl.CommandQueue(context)\n"
                           "source = 'kernel void square(global int *out) {\\n  int i = get_global_id(0);\\n"
                           "  out[i] = i * i;\\n}\\n'\n"
                           "program = pyopencl.Program(context, source).build()\n"
                           "out = pyopencl.Buffer(context, pyopencl.mem_flags.READ_WRITE, 16)\n"
                           "program.square(queue, (4,), None, out).wait()\n")
        self.environment.update(TMPDIR=str(self.folder), PYOPENCL_NO_CACHE="1")
        output = self.debug(["break square", "run", "list 1,4", "delete", "continue"], "/usr/bin/python3", program)
        self.assert_in_order(["hit Breakpoint 1, square (out=", "3\t  out[i] = i * i;", "exited normally"], output)

    def test_sycl(self):
        (self.folder / "squares.cpp").write_text(SQUARES)
        subprocess.run([COMPILER, "-g", "-O0", "squares.cpp", "-o", "squares"], cwd=self.folder, check=True)
        output = self.debug(["work-item 3", "break squares.cpp:8", "run", "info locals", "next", "print square",
                             "delete", "continue"], self.folder / "squares")
        self.assert_in_order(["squares.cpp:8", "[work-item 3,0,0 (local id 3,0,0 of work-group 0,0,0)]", "id = 3",
                              "square = 9", "data[id] = square", "$1 = 9", "exited normally"], output)

    def test_without_a_program(self):
        self.assertIn("app", self.tool("debug", code=2).err)


cli.main()
