#!/usr/bin/python3
"""pyopencl as a client: its ways of building, calling, mapping, profiling and reporting errors, on the platform Lockstep."""

import unittest
import warnings

import numpy
import pyopencl
import pyopencl.array
import pyopencl.clrandom

warnings.simplefilter("ignore")  # pyopencl warns of compiler output and of its own old interfaces
DEVICE = next(p for p in pyopencl.get_platforms() if p.name == "Lockstep").get_devices()[0]


class Client(unittest.TestCase):
    def setUp(self):
        self.context = pyopencl.Context([DEVICE])
        self.queue = pyopencl.CommandQueue(
            self.context, properties=pyopencl.command_queue_properties.PROFILING_ENABLE)
        self.flags = pyopencl.mem_flags

    def test_kernel_with_local_memory(self):
        program = pyopencl.Program(self.context, """
            kernel void sums(global const float *a, global float *out, local float *s) {
              int l = get_local_id(0);
              s[l] = a[get_global_id(0)];
              barrier(CLK_LOCAL_MEM_FENCE);
              for (int k = get_local_size(0) / 2; k > 0; k /= 2) {
                if (l < k) s[l] += s[l + k];
                barrier(CLK_LOCAL_MEM_FENCE);
              }
              if (l == 0) out[get_group_id(0)] = s[0];
            }""").build()
        a = numpy.random.rand(64 * 100).astype(numpy.float32)
        out = numpy.empty(100, numpy.float32)
        source = pyopencl.Buffer(self.context, self.flags.READ_ONLY | self.flags.COPY_HOST_PTR, hostbuf=a)
        sums = pyopencl.Buffer(self.context, self.flags.WRITE_ONLY, out.nbytes)
        event = program.sums(self.queue, a.shape, (64,), source, sums, pyopencl.LocalMemory(64 * 4))
        pyopencl.enqueue_copy(self.queue, out, sums)
        self.assertTrue(numpy.allclose(out, a.reshape(100, 64).sum(1), rtol=1e-5))
        self.assertLessEqual(event.profile.queued, event.profile.start)
        self.assertLessEqual(event.profile.start, event.profile.end)

    def test_arrays(self):
        a = numpy.random.rand(10007).astype(numpy.float32)
        x = pyopencl.array.to_device(self.queue, a)
        self.assertTrue(numpy.allclose((2 * x + x * x).get(), 2 * a + a * a, rtol=1e-6))
        self.assertTrue(numpy.allclose(pyopencl.array.sum(x).get(), a.sum(dtype=numpy.float64), rtol=1e-4))
        self.assertEqual(float(pyopencl.array.max(x).get()), float(a.max()))

    def test_scan(self):
        from pyopencl.scan import GenericScanKernel
        a = numpy.arange(5000, dtype=numpy.int32)
        x = pyopencl.array.to_device(self.queue, a)
        GenericScanKernel(self.context, numpy.int32, arguments="__global int *x", input_expr="x[i]",
                          scan_expr="a+b", neutral="0", output_statement="x[i] = item;")(x)
        self.assertTrue((x.get() == numpy.cumsum(a)).all())

    def test_random_numbers(self):
        numbers = pyopencl.clrandom.rand(self.queue, 10000, numpy.float32).get()
        self.assertGreater(numbers.std(), 0.2)
        self.assertLess(abs(numbers.mean() - 0.5), 0.05)

    def test_map(self):
        buffer = pyopencl.Buffer(self.context, self.flags.READ_WRITE, 4096)
        array, _ = pyopencl.enqueue_map_buffer(self.queue, buffer, pyopencl.map_flags.WRITE, 0, (1024,), numpy.int32)
        array[:] = numpy.arange(1024)
        array.base.release(self.queue)
        out = numpy.empty(1024, numpy.int32)
        pyopencl.enqueue_copy(self.queue, out, buffer)
        self.assertTrue((out == numpy.arange(1024)).all())

    def test_build_error_has_the_log(self):
        with self.assertRaises(pyopencl.RuntimeError) as caught:
            pyopencl.Program(self.context, "kernel void k(void) { undeclared_name = 1; }").build()
        self.assertIn("undeclared_name", str(caught.exception))

    def test_binaries(self):
        program = pyopencl.Program(self.context, "kernel void k(global int *a) { *a = 21; }").build()
        binary = program.get_info(pyopencl.program_info.BINARIES)[0]
        again = pyopencl.Program(self.context, [DEVICE], [binary]).build()
        buffer = pyopencl.array.zeros(self.queue, 1, numpy.int32)
        again.k(self.queue, (1,), None, buffer.data)
        self.assertEqual(buffer.get()[0], 21)

    def test_argument_information(self):
        program = pyopencl.Program(self.context, "kernel void k(global int *a, float b) { *a = b; }").build(
            ["-cl-kernel-arg-info"])
        info = pyopencl.kernel_arg_info
        self.assertEqual([program.k.get_arg_info(i, info.NAME) for i in range(2)], ["a", "b"])
        self.assertEqual([program.k.get_arg_info(i, info.TYPE_NAME) for i in range(2)], ["int*", "float"])


if __name__ == "__main__":
    unittest.main()
