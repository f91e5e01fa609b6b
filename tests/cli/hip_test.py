"""HIP kernels that stock clang compiles: `clang++ --offload=spirv64` and LLVM's SPIR-V back end make the module.

clang calls llvm-spirv, which Debian does not have for LLVM 22; a script with that name calls llc instead. chipStar's headers
are not used: the kernels declare the work-item functions that they call."""

import os
import subprocess

import cli

LLVM_SPIRV = """#!/bin/sh
for word; do case $word in -*) ;; *.bc) in=$word ;; *) out=$word ;; esac; done
exec llc-22 -mtriple=spirv64v1.2-unknown-unknown -filetype=obj "$in" -o "$out"
"""

KERNELS = """
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
__device__ unsigned long global_id(unsigned) __asm__("_Z13get_global_idj");
__device__ unsigned long local_id(unsigned) __asm__("_Z12get_local_idj");
__device__ void barrier(unsigned) __asm__("_Z7barrierj");

template <class T> __device__ T twice(const T *at) { return *at + *at; }

extern "C" __global__ void mirror(const int *from, int *to) {
  __shared__ int tile[64];
  const unsigned long i = global_id(0), me = local_id(0);
  tile[me] = from[i];
  barrier(3);
  to[i] = twice(&tile[63 - me]);
}

extern "C" __global__ void count(const int *numbers, int *odd) {
  if (numbers[global_id(0)] & 1)
    __hip_atomic_fetch_add(odd, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
"""


class HipTest(cli.ToolTest):
    def setUp(self):
        super().setUp()
        (self.folder / "llvm-spirv").write_text(LLVM_SPIRV)
        (self.folder / "llvm-spirv").chmod(0o755)
        (self.folder / "k.hip").write_text(KERNELS)
        subprocess.run(["clang++-22", "-x", "hip", "--cuda-device-only", "--offload=spirv64", "--no-gpu-bundle-output",
                        "-nogpuinc", "-nogpulib", "-O1", "-c", "k.hip", "-o", "k.spv"], cwd=self.folder, check=True,
                       env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"})

    def run_kernel(self, kernel, *arguments):
        options = [word for argument in arguments for word in ("--arg", argument)]
        return self.tool("run", "k.spv", "-k", kernel, "--global", 128, "--local", 64, *options, "--print", "1:128").out.strip()

    def test_shared_memory_and_barriers(self):
        expected = [2 * (64 * (i // 64) + 63 - i % 64) for i in range(128)]
        self.assertEqual(self.run_kernel("mirror", "buf:int:128=iota", "buf:int:128"), "1: " + " ".join(map(str, expected)))

    def test_atomics(self):
        self.assertEqual(self.run_kernel("count", "buf:int:128=iota", "buf:int:1"), "1: 64")


cli.main()
