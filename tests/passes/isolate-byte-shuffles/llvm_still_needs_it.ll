; RUN: not timeout 4 llc -O3 -mcpu=x86-64-v4 %s -o /dev/null
; LLVM without the pass does not come to an end; with it, the same takes milliseconds (parts.ll). A failure here means that
; LLVM no longer needs isolate-byte-shuffles.
;
; For a report upstream (llvm/llvm-project#224266 may be the same): type legalization of the shuffle of 192 bytes and
; the lowering of the permutations across 128-bit lanes make each other's input again.
target triple = "x86_64-unknown-linux-gnu"

define <64 x i8> @of_three(<192 x i8> %x) {
  %bit = and <192 x i8> %x, splat (i8 1)
  %doubled = shufflevector <192 x i8> %bit, <192 x i8> poison, <64 x i32> <i32 0, i32 0, i32 1, i32 1, i32 2, i32 2, i32 3, i32 3, i32 4, i32 4, i32 5, i32 5, i32 6, i32 6, i32 7, i32 7, i32 8, i32 8, i32 9, i32 9, i32 10, i32 10, i32 11, i32 11, i32 12, i32 12, i32 13, i32 13, i32 14, i32 14, i32 15, i32 15, i32 16, i32 16, i32 17, i32 17, i32 18, i32 18, i32 19, i32 19, i32 20, i32 20, i32 21, i32 21, i32 22, i32 22, i32 23, i32 23, i32 24, i32 24, i32 25, i32 25, i32 26, i32 26, i32 27, i32 27, i32 28, i32 28, i32 29, i32 29, i32 30, i32 30, i32 31, i32 31>
  ret <64 x i8> %doubled
}
