; RUN: lockstep-opt -quiet '-passes=print<index-expressions>' %s | FileCheck %s
; One index in many spellings, and what a narrow one keeps behind its extension.

; CHECK-LABEL: index expressions of spellings
; CHECK: 16 * %x + %n : {{.*}}%shifted =
; CHECK: 16 * %x + %n : {{.*}}%multiplied =
; CHECK: 16 * %x + %n : {{.*}}%joined =
; CHECK: 16 * %x + %n : {{.*}}%subtracted =
; CHECK: 64 * %x + 4 * %n + %p + 12 : {{.*}}%address =
; CHECK: 24 * %n + %p + 72 : {{.*}}%field =
; CHECK: -1 * %n + -1 : {{.*}}%not =
define void @spellings(ptr addrspace(1) %p, i64 %x, i64 %n) {
  %s = shl i64 %x, 4
  %shifted = add i64 %s, %n
  %m = mul i64 16, %x
  %multiplied = add i64 %n, %m
  %joined = or disjoint i64 %s, %n
  %minus = mul i64 %x, -16
  %subtracted = sub i64 %n, %minus
  %more = add i64 %joined, 3
  %address = getelementptr i32, ptr addrspace(1) %p, i64 %more
  %field = getelementptr { [2 x i64], double }, ptr addrspace(1) %p, i64 %n, i32 0, i64 9
  %not = xor i64 %n, -1
  ret void
}

; The range of a local id is known, that of `x` is not.
; CHECK-LABEL: index expressions of narrow
; CHECK: 4 * %id + 1, nuw, nsw : {{.*}}%int =
; CHECK: 4 * %id + 1 : {{.*}}%wide =
; CHECK: %t, nuw, nsw : {{.*}}%t =
; CHECK: sext %t + 1 : {{.*}}%exact =
; CHECK: zext %next : {{.*}}%unknown =
; CHECK: zext %odd + 2 : {{.*}}%nneg =
; CHECK: zext %masked + 2 : {{.*}}%small =
define void @narrow(i64 %x, i32 %odd) {
  %id = call i64 @__lockstep_local_id(i32 0)
  %i = trunc i64 %id to i32
  %four = mul i32 %i, 4
  %int = add i32 %four, 1
  %wide = sext i32 %int to i64
  %t = trunc i64 %x to i32
  %next = add nsw i32 %t, 1
  %exact = sext i32 %next to i64
  %unknown = zext i32 %next to i64
  %two = add nuw i32 %odd, 2
  %nneg = zext nneg i32 %two to i64
  %masked = and i32 %odd, 255
  %sum = add i32 %masked, 2
  %small = zext i32 %sum to i64
  ret void
}

; Products of variables and values from memory are symbols.
; CHECK-LABEL: index expressions of symbols
; CHECK: %product : {{.*}}%product =
; CHECK: 8 * %product + %p : {{.*}}%row =
; CHECK: %loaded : {{.*}}%loaded =
; CHECK: 8 * %product + %p + 8 * %loaded : {{.*}}%element =
; CHECK: 0 : {{.*}}%zero =
define void @symbols(ptr addrspace(1) %p, i64 %x, i64 %n) {
  %product = mul i64 %x, %n
  %row = getelementptr double, ptr addrspace(1) %p, i64 %product
  %loaded = load i64, ptr addrspace(1) %row
  %element = getelementptr double, ptr addrspace(1) %row, i64 %loaded
  %zero = sub i64 %loaded, %loaded
  ret void
}

declare range(i64 0, 256) i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
