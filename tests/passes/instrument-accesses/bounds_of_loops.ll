; RUN: lockstep-opt -passes=instrument-accesses %s | FileCheck %s
; Loops from an item's first element up to the least of some numbers, of which one is so much further on: the launch knows
; how many rounds there are at most. (In the list: one counter, its terms, and that it is a bound.)

; CHECK-LABEL: define spir_kernel void @least_of_two
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @least_of_two(ptr addrspace(1) %s, i32 %n, i32 %k) "lockstep-local-size"="64,1,1" {
entry:
  %group = call i64 @__lockstep_group_id(i32 0)
  %item = call i64 @__lockstep_local_id(i32 0)
  %begin = shl i64 %group, 6
  %id = or disjoint i64 %begin, %item
  %each = zext i32 %k to i64
  %first = mul i64 %id, %each
  %all = zext i32 %n to i64
  %next = add i64 %first, %each
  %end = call i64 @llvm.umin.i64(i64 %next, i64 %all)
  %is.some = icmp ult i64 %first, %end
  br i1 %is.some, label %loop, label %done
loop:
  %i = phi i64 [ %more, %loop ], [ %first, %entry ]
  %p = getelementptr i32, ptr addrspace(1) %s, i64 %i
  store i32 1, ptr addrspace(1) %p
  %more = add nuw nsw i64 %i, 1
  %is.end = icmp eq i64 %more, %end
  br i1 %is.end, label %done, label %loop
done:
  ret void
}

; As `for (int i = first; i < last; ++i) if (..) break;` is widened, with its end compared in 32 bits.
; CHECK-LABEL: define spir_kernel void @widened
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @widened(ptr addrspace(1) %s, i32 %n, i32 %k, i32 %c) "lockstep-local-size"="64,1,1" {
entry:
  %group = call i64 @__lockstep_group_id(i32 0)
  %item = call i64 @__lockstep_local_id(i32 0)
  %begin = shl i64 %group, 6
  %id = or disjoint i64 %begin, %item
  %id32 = trunc i64 %id to i32
  %first = mul i32 %id32, %k
  %next = add i32 %first, %k
  %end = call i32 @llvm.smin.i32(i32 %next, i32 %n)
  %is.some = icmp slt i32 %first, %end
  br i1 %is.some, label %before, label %done
before:
  %first64 = sext i32 %first to i64
  br label %loop
loop:
  %i = phi i64 [ %more, %rest ], [ %first64, %before ]
  %p = getelementptr i32, ptr addrspace(1) %s, i64 %i
  store i32 1, ptr addrspace(1) %p
  %i32 = trunc i64 %i to i32
  %stops = icmp eq i32 %i32, %c
  br i1 %stops, label %done, label %rest
rest:
  %more = add nsw i64 %i, 1
  %more32 = trunc i64 %more to i32
  %is.end = icmp eq i32 %more32, %end
  br i1 %is.end, label %done, label %loop
done:
  ret void
}

; 16 elements each: the mask's low bits are 0 anyway, and the guard has the number in other words.
; CHECK-LABEL: define spir_kernel void @sixteen
; CHECK-NOT: check_access
; CHECK: ret void
define spir_kernel void @sixteen(ptr addrspace(1) %s, i32 %n) "lockstep-local-size"="64,1,1" {
entry:
  %group = call i64 @__lockstep_group_id(i32 0)
  %item = call i64 @__lockstep_local_id(i32 0)
  %begin = shl i64 %group, 6
  %id = or disjoint i64 %begin, %item
  %id32 = trunc i64 %id to i32
  %first = shl i32 %id32, 4
  %next = add i32 %first, 16
  %end = call i32 @llvm.umin.i32(i32 %n, i32 %next)
  %is.some = icmp ult i32 %first, %end
  br i1 %is.some, label %before, label %done
before:
  %first64 = shl i64 %id, 4
  %masked = and i64 %first64, 4294967280
  br label %loop
loop:
  %i = phi i64 [ %masked, %before ], [ %more, %loop ]
  %p = getelementptr i32, ptr addrspace(1) %s, i64 %i
  store i32 1, ptr addrspace(1) %p
  %more = add nuw nsw i64 %i, 1
  %more32 = trunc i64 %more to i32
  %is.end = icmp eq i32 %end, %more32
  br i1 %is.end, label %done, label %loop
done:
  ret void
}

; Who is not below the end goes round until the numbers begin anew.
; CHECK-LABEL: define spir_kernel void @without_guard
define spir_kernel void @without_guard(ptr addrspace(1) %s, i32 %n, i32 %k) "lockstep-local-size"="64,1,1" {
entry:
  %item = call i64 @__lockstep_local_id(i32 0)
  %each = zext i32 %k to i64
  %first = mul i64 %item, %each
  %all = zext i32 %n to i64
  %next = add i64 %first, %each
  %end = call i64 @llvm.umin.i64(i64 %next, i64 %all)
  br label %loop
loop:
  %i = phi i64 [ %more, %loop ], [ %first, %entry ]
  %p = getelementptr i32, ptr addrspace(1) %s, i64 %i
  store i32 1, ptr addrspace(1) %p
  %more = add i64 %i, 1
  %is.end = icmp eq i64 %more, %end
  br i1 %is.end, label %done, label %loop
done:
  ret void
}

; From behind its own first element on: that is no number of rounds.
; CHECK-LABEL: define spir_kernel void @backwards
define spir_kernel void @backwards(ptr addrspace(1) %s, i32 %n, i32 %k) "lockstep-local-size"="64,1,1" {
entry:
  %item = call i64 @__lockstep_local_id(i32 0)
  %each = zext i32 %k to i64
  %first = mul i64 %item, 64
  %all = zext i32 %n to i64
  %next = sub i64 %first, %each
  %end = call i64 @llvm.umin.i64(i64 %next, i64 %all)
  %is.some = icmp ult i64 %first, %end
  br i1 %is.some, label %loop, label %done
loop:
  %i = phi i64 [ %more, %loop ], [ %first, %entry ]
  %p = getelementptr i32, ptr addrspace(1) %s, i64 %i
  store i32 1, ptr addrspace(1) %p
  %more = add nuw nsw i64 %i, 1
  %is.end = icmp eq i64 %more, %end
  br i1 %is.end, label %done, label %loop
done:
  ret void
}

; One of two arguments is not any address: what is written by a third stays apart.
; CHECK-LABEL: define spir_kernel void @one_of_two
; CHECK: call void @__lockstep_check_access({{.*}}
; CHECK: load i32, ptr addrspace(1) %from
; CHECK-NOT: check_access
; CHECK: store i32 %value, ptr addrspace(1) %p
; CHECK: call void @__lockstep_check_access({{.*}}
; CHECK: store i32 %value, ptr addrspace(1) %q
define spir_kernel void @one_of_two(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %out, i1 %c) "lockstep-local-size"="64,1,1" {
  %item = call i64 @__lockstep_local_id(i32 0)
  %group = call i64 @__lockstep_group_id(i32 0)
  %begin = shl i64 %group, 6
  %id = or disjoint i64 %begin, %item
  %base = select i1 %c, ptr addrspace(1) %a, ptr addrspace(1) %b
  %from = getelementptr i32, ptr addrspace(1) %base, i64 %group
  %value = load i32, ptr addrspace(1) %from
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %value, ptr addrspace(1) %p
  %q = getelementptr i32, ptr addrspace(1) %a, i64 %id
  store i32 %value, ptr addrspace(1) %q
  ret void
}

; CHECK: !{i64 1, {{.*}}, i64 1, i64 1, i64 1, i64 1, i64 0, i64 2, i64 0, i64 1, i64 1, i64 1, i64 1, i64 3,
; CHECK: !{i64 1, {{.*}}, i64 1, i64 1, i64 1, i64 1, i64 0, i64 2, i64 0, i64 1, i64 1, i64 1, i64 1, i64 3,
; CHECK: !{i64 1, {{.*}}, i64 1, i64 1, i64 16, i64 0, i64 1, i64 1, i64 1, i64 1, i64 3,
; CHECK: !{i64 1, {{.*}}, i64 1, i64 0, i64 1, i64 1, i64 0, i64 1, i64 2,
; CHECK: !{i64 1, {{.*}}, i64 1, i64 0, i64 1, i64 1, i64 0, i64 1, i64 2,

declare i64 @__lockstep_local_id(i32)
declare i64 @__lockstep_group_id(i32)
declare i64 @llvm.umin.i64(i64, i64)
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)
