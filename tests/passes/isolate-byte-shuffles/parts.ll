; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes=isolate-byte-shuffles %s | FileCheck %s
; RUN: env LOCKSTEP_CPU=x86-64-v4 lockstep-opt -passes=isolate-byte-shuffles %s | timeout 60 llc -O3 -mcpu=x86-64-v4 | FileCheck %s --check-prefix=CODE
; RUN: env LOCKSTEP_CPU=haswell lockstep-opt -passes=isolate-byte-shuffles %s | FileCheck %s --check-prefix=WITHOUT
; Without the pass, the code generator comes to no end over the second of these functions.

; Each byte of the lower half twice.
; CHECK-LABEL: @doubled
; CHECK: [[BIT:%.*]] = and <64 x i8> %x, splat (i8 1)
; CHECK: [[APART:%.*]] = call <64 x i8> asm "", "=v,0"(<64 x i8> [[BIT]])
; CHECK: shufflevector <64 x i8> [[APART]], <64 x i8> zeroinitializer
; CHECK: xor <64 x i8> %{{.*}}, [[BIT]]
; CODE-LABEL: doubled:
; CODE: ret
; WITHOUT-NOT: asm
define <64 x i8> @doubled(<64 x i8> %x) {
  %bit = and <64 x i8> %x, splat (i8 1)
  %doubled = shufflevector <64 x i8> %bit, <64 x i8> zeroinitializer, <64 x i32> <i32 0, i32 0, i32 1, i32 1, i32 2, i32 2, i32 3, i32 3, i32 4, i32 4, i32 5, i32 5, i32 6, i32 6, i32 7, i32 7, i32 8, i32 8, i32 9, i32 9, i32 10, i32 10, i32 11, i32 11, i32 12, i32 12, i32 13, i32 13, i32 14, i32 14, i32 15, i32 15, i32 16, i32 16, i32 17, i32 17, i32 18, i32 18, i32 19, i32 19, i32 20, i32 20, i32 21, i32 21, i32 22, i32 22, i32 23, i32 23, i32 24, i32 24, i32 25, i32 25, i32 26, i32 26, i32 27, i32 27, i32 28, i32 28, i32 29, i32 29, i32 30, i32 30, i32 31, i32 31>
  %used = xor <64 x i8> %doubled, %bit
  ret <64 x i8> %used
}

; Of three registers.
; CHECK-LABEL: @of_three
; CHECK-COUNT-3: call <64 x i8> asm
; CODE-LABEL: of_three:
; CODE: ret
define <64 x i8> @of_three(<192 x i8> %x) {
  %bit = and <192 x i8> %x, splat (i8 1)
  %doubled = shufflevector <192 x i8> %bit, <192 x i8> poison, <64 x i32> <i32 0, i32 0, i32 1, i32 1, i32 2, i32 2, i32 3, i32 3, i32 4, i32 4, i32 5, i32 5, i32 6, i32 6, i32 7, i32 7, i32 8, i32 8, i32 9, i32 9, i32 10, i32 10, i32 11, i32 11, i32 12, i32 12, i32 13, i32 13, i32 14, i32 14, i32 15, i32 15, i32 16, i32 16, i32 17, i32 17, i32 18, i32 18, i32 19, i32 19, i32 20, i32 20, i32 21, i32 21, i32 22, i32 22, i32 23, i32 23, i32 24, i32 24, i32 25, i32 25, i32 26, i32 26, i32 27, i32 27, i32 28, i32 28, i32 29, i32 29, i32 30, i32 30, i32 31, i32 31>
  ret <64 x i8> %doubled
}

; From memory, and of fewer bytes.
; CHECK-LABEL: @others
; CHECK-NOT: asm
define <64 x i8> @others(ptr %p, <32 x i8> %x) {
  %loaded = load <64 x i8>, ptr %p
  %first = shufflevector <64 x i8> %loaded, <64 x i8> poison, <32 x i32> <i32 0, i32 0, i32 1, i32 1, i32 2, i32 2, i32 3, i32 3, i32 4, i32 4, i32 5, i32 5, i32 6, i32 6, i32 7, i32 7, i32 8, i32 8, i32 9, i32 9, i32 10, i32 10, i32 11, i32 11, i32 12, i32 12, i32 13, i32 13, i32 14, i32 14, i32 15, i32 15>
  %sum = add <32 x i8> %first, %x
  %wide = shufflevector <32 x i8> %sum, <32 x i8> %x, <64 x i32> <i32 0, i32 32, i32 1, i32 33, i32 2, i32 34, i32 3, i32 35, i32 4, i32 36, i32 5, i32 37, i32 6, i32 38, i32 7, i32 39, i32 8, i32 40, i32 9, i32 41, i32 10, i32 42, i32 11, i32 43, i32 12, i32 44, i32 13, i32 45, i32 14, i32 46, i32 15, i32 47, i32 16, i32 48, i32 17, i32 49, i32 18, i32 50, i32 19, i32 51, i32 20, i32 52, i32 21, i32 53, i32 22, i32 54, i32 23, i32 55, i32 24, i32 56, i32 25, i32 57, i32 26, i32 58, i32 27, i32 59, i32 28, i32 60, i32 29, i32 61, i32 30, i32 62, i32 31, i32 63>
  ret <64 x i8> %wide
}
