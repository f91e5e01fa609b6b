; RUN: lockstep-opt -passes='function(split-aggregates),verify' %s | FileCheck %s
; Structures and arrays in registers: fields are loaded, chosen, frozen and stored one by one.

; CHECK-LABEL: @lockstep.kernel
; CHECK: [[A:%.*]] = load i8, ptr addrspace(1) %p, align 4
; CHECK: getelementptr inbounds i8, ptr addrspace(1) %p, i64 4
; CHECK: [[B:%.*]] = load volatile i32, {{.*}} align 4
; CHECK: getelementptr inbounds i8, ptr addrspace(1) %p, i64 8
; CHECK: load volatile <2 x float>, {{.*}} align 8
; CHECK-NOT: { i8, [1 x i32], <2 x float> }
; CHECK: ret void
define void @lockstep.kernel(ptr addrspace(1) %p, ptr addrspace(1) %q, i1 %c) "lockstep-sub-group-size"="16" {
  %first = load { i8, i32 }, ptr addrspace(1) %p, align 4
  %byte = extractvalue { i8, i32 } %first, 0
  %whole = load volatile { i8, [1 x i32], <2 x float> }, ptr addrspace(1) %p, align 8
  %changed = insertvalue { i8, [1 x i32], <2 x float> } %whole, i8 %byte, 0
  %array = extractvalue { i8, [1 x i32], <2 x float> } %changed, 1
  %other = insertvalue { i8, [1 x i32], <2 x float> } { i8 1, [1 x i32] [i32 2], <2 x float> zeroinitializer }, [1 x i32] %array, 1
  %chosen = select i1 %c, { i8, [1 x i32], <2 x float> } %changed, { i8, [1 x i32], <2 x float> } %other
  %frozen = freeze { i8, [1 x i32], <2 x float> } %chosen
  store { i8, [1 x i32], <2 x float> } %frozen, ptr addrspace(1) %q, align 4
  ret void
}

; The value stays a sum with its overflow, and what came of it is taken apart behind.
; CHECK-LABEL: @lockstep.sums
; CHECK: [[SUM:%.*]] = call { i32, i1 } @llvm.sadd.with.overflow.i32
; CHECK-DAG: extractvalue { i32, i1 } [[SUM]], 0
; CHECK-DAG: extractvalue { i32, i1 } [[SUM]], 1
; CHECK: phi i32
; CHECK: phi i1
; CHECK-NOT: phi { i32, i1 }
; CHECK: ret void
define void @lockstep.sums(i32 %a, i32 %b, i1 %c, ptr addrspace(1) %q) "lockstep-sub-group-size"="16" {
entry:
  br i1 %c, label %then, label %join
then:
  %sum = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %a, i32 %b)
  br label %join
join:
  %either = phi { i32, i1 } [ %sum, %then ], [ { i32 5, i1 true }, %entry ]
  %value = extractvalue { i32, i1 } %either, 0
  store i32 %value, ptr addrspace(1) %q
  ret void
}

; Phis that use each other.
; CHECK-LABEL: @lockstep.loop
; CHECK: loop:
; CHECK-DAG: [[ONE:%.*]] = phi i32 [ 0, %entry ], [ [[OTHER:%.*]], %loop ]
; CHECK-DAG: [[OTHER]] = phi i32 [ 1, %entry ], [ [[ONE]], %loop ]
; CHECK-NOT: phi [2 x i32]
; CHECK: ret i32
define i32 @lockstep.loop(i64 %n) "lockstep-sub-group-size"="16" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %pair = phi [2 x i32] [ [i32 0, i32 1], %entry ], [ %turned, %loop ]
  %a = extractvalue [2 x i32] %pair, 0
  %b = extractvalue [2 x i32] %pair, 1
  %half = insertvalue [2 x i32] poison, i32 %b, 0
  %turned = insertvalue [2 x i32] %half, i32 %a, 1
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  %result = extractvalue [2 x i32] %pair, 0
  ret i32 %result
}
