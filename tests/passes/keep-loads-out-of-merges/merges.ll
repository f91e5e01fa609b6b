; RUN: lockstep-opt -passes=keep-loads-out-of-merges %s | FileCheck %s
; RUN: lockstep-opt -passes=keep-loads-out-of-merges %s | llc -O2 -mcpu=x86-64-v3 | FileCheck %s --check-prefix=CODE
; The lower part comes through a freeze, and is not read into the register of the upper one.

; CHECK-LABEL: @words(
; CHECK: %kept = freeze i16 %loaded
; CHECK: zext i16 %kept to i32
; CODE-LABEL: words:
; CODE: movzwl (%rsi), %e
; CODE-NOT: movw
; CODE: retq
target triple = "x86_64-unknown-linux-gnu"

define i64 @words(i64 %x, ptr %p) {
  %loaded = load i16, ptr %p
  %low = zext i16 %loaded to i32
  %shifted = lshr i64 %x, 7
  %part = trunc i64 %shifted to i32
  %high = and i32 %part, -65536
  %all = or disjoint i32 %high, %low
  %wide = zext i32 %all to i64
  ret i64 %wide
}

; CHECK-LABEL: @bytes(
; CHECK: %kept = freeze i32 %loaded
; CHECK: and i32 %kept, 255
; CODE-LABEL: bytes:
; CODE: movzbl {{.*}}, %e
; CODE-NOT: movb
; CODE: retq
define i64 @bytes(i64 %x, ptr %p) {
  %loaded = load i32, ptr %p
  %low = and i32 %loaded, 255
  %part = trunc i64 %x to i32
  %high = and i32 %part, -256
  %all = add i32 %low, %high
  %wide = zext i32 %all to i64
  ret i64 %wide
}

; No merge: bytes that are put together by shifts, which the code generator makes one load of, and bits in common.
; CHECK-LABEL: @others(
; CHECK-NOT: freeze
; CHECK: ret
define i32 @others(i32 %x, ptr %p) {
  %second = getelementptr i8, ptr %p, i64 1
  %byte = load i8, ptr %p
  %other = load i8, ptr %second
  %above = zext i8 %byte to i16
  %high = shl i16 %above, 8
  %low = zext i8 %other to i16
  %word = or i16 %high, %low
  %whole = zext i16 %word to i32
  %loaded = load i16, ptr %p
  %half = zext i16 %loaded to i32
  %bits = and i32 %x, -256
  %mixed = or i32 %bits, %half
  %sum = add i32 %mixed, %whole
  ret i32 %sum
}
