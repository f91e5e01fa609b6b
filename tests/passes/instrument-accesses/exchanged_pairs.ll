; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; Work-items that exchange two elements each are not compared if a condition gives each pair to one of them. The launch verifies only
; that all i are different.

; Of i and i ^ j, the smaller one's work-item has both.
; CHECK-LABEL: define spir_kernel void @smaller
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @smaller(ptr addrspace(1) %data, i32 %j) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 6
  %id = or disjoint i64 %first, %item
  %i = trunc i64 %id to i32
  %l = xor i32 %i, %j
  %c = icmp ugt i32 %l, %i
  br i1 %c, label %pass, label %end
pass:
  %own = and i64 %id, 4294967295
  %other = zext i32 %l to i64
  %p = getelementptr i32, ptr addrspace(1) %data, i64 %own
  %q = getelementptr i32, ptr addrspace(1) %data, i64 %other
  %a = load i32, ptr addrspace(1) %p
  %b = load i32, ptr addrspace(1) %q
  store i32 %b, ptr addrspace(1) %p
  store i32 %a, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

; The larger one's, and another condition.
; CHECK-LABEL: define spir_kernel void @larger
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @larger(ptr addrspace(1) %data, i32 %j) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 6
  %id = or disjoint i64 %first, %item
  %i = trunc i64 %id to i32
  %l = xor i32 %i, %j
  %b1 = icmp slt i32 %l, %i
  %b2 = icmp ult i32 %l, 100
  %c = and i1 %b1, %b2
  br i1 %c, label %pass, label %end
pass:
  %own = and i64 %id, 4294967295
  %other = zext i32 %l to i64
  %p = getelementptr i32, ptr addrspace(1) %data, i64 %own
  %q = getelementptr i32, ptr addrspace(1) %data, i64 %other
  %a = load i32, ptr addrspace(1) %p
  %b = load i32, ptr addrspace(1) %q
  store i32 %b, ptr addrspace(1) %p
  store i32 %a, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

; The branch is left if they are not in order.
; CHECK-LABEL: define spir_kernel void @not_above
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @not_above(ptr addrspace(1) %data, i32 %j) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 6
  %id = or disjoint i64 %first, %item
  %i = trunc i64 %id to i32
  %l = xor i32 %i, %j
  %c = icmp ule i32 %l, %i
  br i1 %c, label %end, label %pass
pass:
  %own = and i64 %id, 4294967295
  %other = zext i32 %l to i64
  %p = getelementptr i32, ptr addrspace(1) %data, i64 %own
  %q = getelementptr i32, ptr addrspace(1) %data, i64 %other
  %a = load i32, ptr addrspace(1) %p
  %b = load i32, ptr addrspace(1) %q
  store i32 %b, ptr addrspace(1) %p
  store i32 %a, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

; Both work-items of a pair pass.
; CHECK-LABEL: define spir_kernel void @both
; CHECK: call void @__lockstep_check_access(
; CHECK: ret void
define spir_kernel void @both(ptr addrspace(1) %data, i32 %j) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 6
  %id = or disjoint i64 %first, %item
  %i = trunc i64 %id to i32
  %l = xor i32 %i, %j
  %c = icmp ne i32 %l, %i
  br i1 %c, label %pass, label %end
pass:
  %own = and i64 %id, 4294967295
  %other = zext i32 %l to i64
  %p = getelementptr i32, ptr addrspace(1) %data, i64 %own
  %q = getelementptr i32, ptr addrspace(1) %data, i64 %other
  %a = load i32, ptr addrspace(1) %p
  %b = load i32, ptr addrspace(1) %q
  store i32 %b, ptr addrspace(1) %p
  store i32 %a, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

; So they do if one of the conditions is enough.
; CHECK-LABEL: define spir_kernel void @one_is_enough
; CHECK: call void @__lockstep_check_access(
; CHECK: ret void
define spir_kernel void @one_is_enough(ptr addrspace(1) %data, i32 %j) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 6
  %id = or disjoint i64 %first, %item
  %i = trunc i64 %id to i32
  %l = xor i32 %i, %j
  %b1 = icmp ult i32 %l, %i
  %b2 = icmp ult i32 %l, 100
  %c = or i1 %b1, %b2
  br i1 %c, label %pass, label %end
pass:
  %own = and i64 %id, 4294967295
  %other = zext i32 %l to i64
  %p = getelementptr i32, ptr addrspace(1) %data, i64 %own
  %q = getelementptr i32, ptr addrspace(1) %data, i64 %other
  %a = load i32, ptr addrspace(1) %p
  %b = load i32, ptr addrspace(1) %q
  store i32 %b, ptr addrspace(1) %p
  store i32 %a, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

; j is compared, not the partner.
; CHECK-LABEL: define spir_kernel void @wrong_operand
; CHECK: call void @__lockstep_check_access(
; CHECK: ret void
define spir_kernel void @wrong_operand(ptr addrspace(1) %data, i32 %j) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 6
  %id = or disjoint i64 %first, %item
  %i = trunc i64 %id to i32
  %l = xor i32 %i, %j
  %c = icmp ugt i32 %l, %j
  br i1 %c, label %pass, label %end
pass:
  %own = and i64 %id, 4294967295
  %other = zext i32 %l to i64
  %p = getelementptr i32, ptr addrspace(1) %data, i64 %own
  %q = getelementptr i32, ptr addrspace(1) %data, i64 %other
  %a = load i32, ptr addrspace(1) %p
  %b = load i32, ptr addrspace(1) %q
  store i32 %b, ptr addrspace(1) %p
  store i32 %a, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

; Signed and unsigned extensions have different orders.
; CHECK-LABEL: define spir_kernel void @two_orders
; CHECK: call void @__lockstep_check_access(
; CHECK: ret void
define spir_kernel void @two_orders(ptr addrspace(1) %data, i32 %j) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 6
  %id = or disjoint i64 %first, %item
  %i = trunc i64 %id to i32
  %l = xor i32 %i, %j
  %w = sext i32 %l to i64
  %v = zext i32 %i to i64
  %c = icmp sgt i64 %w, %v
  br i1 %c, label %pass, label %end
pass:
  %own = and i64 %id, 4294967295
  %other = zext i32 %l to i64
  %p = getelementptr i32, ptr addrspace(1) %data, i64 %own
  %q = getelementptr i32, ptr addrspace(1) %data, i64 %other
  %a = load i32, ptr addrspace(1) %p
  %b = load i32, ptr addrspace(1) %q
  store i32 %b, ptr addrspace(1) %p
  store i32 %a, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

; j is different for each work-item.
; CHECK-LABEL: define spir_kernel void @no_uniform_step
; CHECK: call void @__lockstep_check_access(
; CHECK: ret void
define spir_kernel void @no_uniform_step(ptr addrspace(1) %data, i32 %j) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 6
  %id = or disjoint i64 %first, %item
  %i = trunc i64 %id to i32
  %k = mul i32 %i, %j
  %l = xor i32 %i, %k
  %c = icmp ugt i32 %l, %i
  br i1 %c, label %pass, label %end
pass:
  %own = and i64 %id, 4294967295
  %other = zext i32 %l to i64
  %p = getelementptr i32, ptr addrspace(1) %data, i64 %own
  %q = getelementptr i32, ptr addrspace(1) %data, i64 %other
  %a = load i32, ptr addrspace(1) %p
  %b = load i32, ptr addrspace(1) %q
  store i32 %b, ptr addrspace(1) %p
  store i32 %a, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

; The partner is i | j, which is the own element of another one.
; CHECK-LABEL: define spir_kernel void @or_by_order
; CHECK: call void @__lockstep_check_access(
; CHECK: ret void
define spir_kernel void @or_by_order(ptr addrspace(1) %data, i32 %j) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 6
  %id = or disjoint i64 %first, %item
  %i = trunc i64 %id to i32
  %l = or i32 %i, %j
  %c = icmp ugt i32 %l, %i
  br i1 %c, label %pass, label %end
pass:
  %own = and i64 %id, 4294967295
  %other = zext i32 %l to i64
  %p = getelementptr i32, ptr addrspace(1) %data, i64 %own
  %q = getelementptr i32, ptr addrspace(1) %data, i64 %other
  %a = load i32, ptr addrspace(1) %p
  %b = load i32, ptr addrspace(1) %q
  store i32 %b, ptr addrspace(1) %p
  store i32 %a, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

; Without the bits of j, i + j is i ^ j.
; CHECK-LABEL: define spir_kernel void @clear_bits
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @clear_bits(ptr addrspace(1) %data, i32 %j) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 6
  %id = or disjoint i64 %first, %item
  %i = trunc i64 %id to i32
  %l = add i32 %i, %j
  %m = and i32 %i, %j
  %c = icmp eq i32 %m, 0
  br i1 %c, label %pass, label %end
pass:
  %own = and i64 %id, 4294967295
  %other = zext i32 %l to i64
  %p = getelementptr i32, ptr addrspace(1) %data, i64 %own
  %q = getelementptr i32, ptr addrspace(1) %data, i64 %other
  %a = load i32, ptr addrspace(1) %p
  %b = load i32, ptr addrspace(1) %q
  store i32 %b, ptr addrspace(1) %p
  store i32 %a, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

; With all of them, i - j is.
; CHECK-LABEL: define spir_kernel void @set_bits
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @set_bits(ptr addrspace(1) %data, i32 %j) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 6
  %id = or disjoint i64 %first, %item
  %i = trunc i64 %id to i32
  %l = sub i32 %i, %j
  %m = and i32 %i, %j
  %c = icmp eq i32 %m, %j
  br i1 %c, label %pass, label %end
pass:
  %own = and i64 %id, 4294967295
  %other = zext i32 %l to i64
  %p = getelementptr i32, ptr addrspace(1) %data, i64 %own
  %q = getelementptr i32, ptr addrspace(1) %data, i64 %other
  %a = load i32, ptr addrspace(1) %p
  %b = load i32, ptr addrspace(1) %q
  store i32 %b, ptr addrspace(1) %p
  store i32 %a, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

; With some of them, both work-items of a pair pass.
; CHECK-LABEL: define spir_kernel void @some_bits
; CHECK: call void @__lockstep_check_access(
; CHECK: ret void
define spir_kernel void @some_bits(ptr addrspace(1) %data, i32 %j) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 6
  %id = or disjoint i64 %first, %item
  %i = trunc i64 %id to i32
  %l = xor i32 %i, %j
  %m = and i32 %i, %j
  %c = icmp ne i32 %m, 0
  br i1 %c, label %pass, label %end
pass:
  %own = and i64 %id, 4294967295
  %other = zext i32 %l to i64
  %p = getelementptr i32, ptr addrspace(1) %data, i64 %own
  %q = getelementptr i32, ptr addrspace(1) %data, i64 %other
  %a = load i32, ptr addrspace(1) %p
  %b = load i32, ptr addrspace(1) %q
  store i32 %b, ptr addrspace(1) %p
  store i32 %a, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

; A single bit is set or not.
; CHECK-LABEL: define spir_kernel void @single_bit
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @single_bit(ptr addrspace(1) %data, i32 %j) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 6
  %id = or disjoint i64 %first, %item
  %i = trunc i64 %id to i32
  %s = shl nuw i32 1, %j
  %l = sub i32 %i, %s
  %m = and i32 %i, %s
  %c = icmp ne i32 %m, 0
  br i1 %c, label %pass, label %end
pass:
  %own = and i64 %id, 4294967295
  %other = zext i32 %l to i64
  %p = getelementptr i32, ptr addrspace(1) %data, i64 %own
  %q = getelementptr i32, ptr addrspace(1) %data, i64 %other
  %a = load i32, ptr addrspace(1) %p
  %b = load i32, ptr addrspace(1) %q
  store i32 %b, ptr addrspace(1) %p
  store i32 %a, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

; The bits of another number.
; CHECK-LABEL: define spir_kernel void @other_bits
; CHECK: call void @__lockstep_check_access(
; CHECK: ret void
define spir_kernel void @other_bits(ptr addrspace(1) %data, i32 %j) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 6
  %id = or disjoint i64 %first, %item
  %i = trunc i64 %id to i32
  %l = or i32 %i, %j
  %m = and i32 %i, 4
  %c = icmp eq i32 %m, 0
  br i1 %c, label %pass, label %end
pass:
  %own = and i64 %id, 4294967295
  %other = zext i32 %l to i64
  %p = getelementptr i32, ptr addrspace(1) %data, i64 %own
  %q = getelementptr i32, ptr addrspace(1) %data, i64 %other
  %a = load i32, ptr addrspace(1) %p
  %b = load i32, ptr addrspace(1) %q
  store i32 %b, ptr addrspace(1) %p
  store i32 %a, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

; Even or odd ones, as j says.
; CHECK-LABEL: define spir_kernel void @phase
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @phase(ptr addrspace(1) %data, i32 %j) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 6
  %id = or disjoint i64 %first, %item
  %i = trunc i64 %id to i32
  %l = add i32 %i, 1
  %m = and i32 %i, 1
  %c = icmp eq i32 %m, %j
  br i1 %c, label %pass, label %end
pass:
  %own = and i64 %id, 4294967295
  %other = zext i32 %l to i64
  %p = getelementptr i32, ptr addrspace(1) %data, i64 %own
  %q = getelementptr i32, ptr addrspace(1) %data, i64 %other
  %a = load i32, ptr addrspace(1) %p
  %b = load i32, ptr addrspace(1) %q
  store i32 %b, ptr addrspace(1) %p
  store i32 %a, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

; That takes a single bit.
; CHECK-LABEL: define spir_kernel void @phase_of_several
; CHECK: call void @__lockstep_check_access(
; CHECK: ret void
define spir_kernel void @phase_of_several(ptr addrspace(1) %data, i32 %j) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 6
  %id = or disjoint i64 %first, %item
  %i = trunc i64 %id to i32
  %l = or i32 %i, 3
  %m = and i32 %i, 3
  %c = icmp eq i32 %m, %j
  br i1 %c, label %pass, label %end
pass:
  %own = and i64 %id, 4294967295
  %other = zext i32 %l to i64
  %p = getelementptr i32, ptr addrspace(1) %data, i64 %own
  %q = getelementptr i32, ptr addrspace(1) %data, i64 %other
  %a = load i32, ptr addrspace(1) %p
  %b = load i32, ptr addrspace(1) %q
  store i32 %b, ptr addrspace(1) %p
  store i32 %a, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

; Or any number of them, for i ^ j.
; CHECK-LABEL: define spir_kernel void @phase_of_pairs
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @phase_of_pairs(ptr addrspace(1) %data, i32 %j) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 6
  %id = or disjoint i64 %first, %item
  %i = trunc i64 %id to i32
  %l = xor i32 %i, 6
  %m = and i32 %i, 6
  %c = icmp eq i32 %m, %j
  br i1 %c, label %pass, label %end
pass:
  %own = and i64 %id, 4294967295
  %other = zext i32 %l to i64
  %p = getelementptr i32, ptr addrspace(1) %data, i64 %own
  %q = getelementptr i32, ptr addrspace(1) %data, i64 %other
  %a = load i32, ptr addrspace(1) %p
  %b = load i32, ptr addrspace(1) %q
  store i32 %b, ptr addrspace(1) %p
  store i32 %a, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

; All work-items pass.
; CHECK-LABEL: define spir_kernel void @no_condition
; CHECK: call void @__lockstep_check_access(
; CHECK: ret void
define spir_kernel void @no_condition(ptr addrspace(1) %data, i32 %j) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %first = shl i64 %group, 6
  %id = or disjoint i64 %first, %item
  %i = trunc i64 %id to i32
  %l = xor i32 %i, %j
  br label %pass
pass:
  %own = and i64 %id, 4294967295
  %other = zext i32 %l to i64
  %p = getelementptr i32, ptr addrspace(1) %data, i64 %own
  %q = getelementptr i32, ptr addrspace(1) %data, i64 %other
  %a = load i32, ptr addrspace(1) %p
  %b = load i32, ptr addrspace(1) %q
  store i32 %b, ptr addrspace(1) %p
  store i32 %a, ptr addrspace(1) %q
  br label %end
end:
  ret void
}
; Different i have different i ^ j.
; CHECK-LABEL: define spir_kernel void @permutation
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @permutation(ptr addrspace(1) %data, i32 %j) "lockstep-local-size"="64,1,1" {
  %id = call i64 @__lockstep_local_id(i32 0)
  %i = trunc i64 %id to i32
  %l = xor i32 %i, %j
  %other = zext i32 %l to i64
  %q = getelementptr i32, ptr addrspace(1) %data, i64 %other
  store i32 1, ptr addrspace(1) %q
  ret void
}

; One access is outside of the condition.
; CHECK-LABEL: define spir_kernel void @outside
; CHECK: call void @__lockstep_check_access(
; CHECK: ret void
define spir_kernel void @outside(ptr addrspace(1) %data, i32 %j) "lockstep-local-size"="64,1,1" {
  %id = call i64 @__lockstep_local_id(i32 0)
  %i = trunc i64 %id to i32
  %l = xor i32 %i, %j
  %other = zext i32 %l to i64
  %p = getelementptr i32, ptr addrspace(1) %data, i64 %id
  %q = getelementptr i32, ptr addrspace(1) %data, i64 %other
  %a = load i32, ptr addrspace(1) %p
  %c = icmp ugt i32 %l, %i
  br i1 %c, label %pass, label %end
pass:
  store i32 %a, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

; Elements of eight bytes, one of which an access reaches beyond.
; CHECK-LABEL: define spir_kernel void @beyond_the_element
; CHECK: call void @__lockstep_check_access(
; CHECK: ret void
define spir_kernel void @beyond_the_element(ptr addrspace(1) %data, i32 %j) "lockstep-local-size"="64,1,1" {
  %id = call i64 @__lockstep_local_id(i32 0)
  %i = trunc i64 %id to i32
  %l = xor i32 %i, %j
  %other = zext i32 %l to i64
  %q = getelementptr i64, ptr addrspace(1) %data, i64 %other
  %after = getelementptr i8, ptr addrspace(1) %q, i64 4
  store i64 1, ptr addrspace(1) %after
  ret void
}

declare i64 @__lockstep_local_id(i32)
declare i64 @__lockstep_group_id(i32)
