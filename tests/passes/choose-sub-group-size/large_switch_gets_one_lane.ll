; A switch of many cases, through which each work-item goes in its own way, is a line of tests in lanes, so one lane is
; faster. Where all work-items go the same way it is a jump, with few cases lanes win, and who asks for a size has it.
; RUN: env LOCKSTEP_CPU=x86-64-v3 lockstep-opt -passes=choose-sub-group-size %s 2>&1 | FileCheck %s
; RUN: env LOCKSTEP_CPU=x86-64-v3 LOCKSTEP_SUB_GROUP_SIZE=8 lockstep-opt -passes=choose-sub-group-size %s | FileCheck %s --check-prefix=ASKED

; CHECK: remark: {{.*}}one lane: most of the work is in the cases of a switch
; CHECK-NOT: remark
; CHECK: define void @own_ways({{.*}} #[[ONE:[0-9]+]]
; CHECK: define void @one_way({{.*}} #[[EIGHT:[0-9]+]]
; CHECK: define void @few_cases({{.*}} #[[EIGHT]]
; CHECK-DAG: attributes #[[ONE]] = { {{.*}}"lockstep-sub-group-size"="1" }
; CHECK-DAG: attributes #[[EIGHT]] = { {{.*}}"lockstep-sub-group-size"="8" }
; ASKED-NOT: "lockstep-sub-group-size"="1"

define void @own_ways(ptr addrspace(1) %out, i32 %all) {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %out, i64 %id
  %own = load i32, ptr addrspace(1) %at
  switch i32 %own, label %end [ i32 0, label %c0 i32 1, label %c1 i32 2, label %c2 i32 3, label %c3 i32 4, label %c4 i32 5, label %c5 i32 6, label %c6 i32 7, label %c7 i32 8, label %c8 i32 9, label %c9 i32 10, label %c10 i32 11, label %c11 i32 12, label %c12 i32 13, label %c13 i32 14, label %c14 i32 15, label %c15 i32 16, label %c16 i32 17, label %c17 i32 18, label %c18 i32 19, label %c19 i32 20, label %c20 i32 21, label %c21 i32 22, label %c22 i32 23, label %c23 i32 24, label %c24 i32 25, label %c25 i32 26, label %c26 i32 27, label %c27 i32 28, label %c28 i32 29, label %c29 i32 30, label %c30 i32 31, label %c31 i32 32, label %c32 i32 33, label %c33 i32 34, label %c34 i32 35, label %c35 i32 36, label %c36 i32 37, label %c37 i32 38, label %c38 i32 39, label %c39 i32 40, label %c40 i32 41, label %c41 i32 42, label %c42 i32 43, label %c43 i32 44, label %c44 i32 45, label %c45 i32 46, label %c46 i32 47, label %c47 i32 48, label %c48 i32 49, label %c49 i32 50, label %c50 i32 51, label %c51 i32 52, label %c52 i32 53, label %c53 i32 54, label %c54 i32 55, label %c55 i32 56, label %c56 i32 57, label %c57 i32 58, label %c58 i32 59, label %c59 i32 60, label %c60 i32 61, label %c61 i32 62, label %c62 i32 63, label %c63 ]
c0: br label %end
c1: br label %end
c2: br label %end
c3: br label %end
c4: br label %end
c5: br label %end
c6: br label %end
c7: br label %end
c8: br label %end
c9: br label %end
c10: br label %end
c11: br label %end
c12: br label %end
c13: br label %end
c14: br label %end
c15: br label %end
c16: br label %end
c17: br label %end
c18: br label %end
c19: br label %end
c20: br label %end
c21: br label %end
c22: br label %end
c23: br label %end
c24: br label %end
c25: br label %end
c26: br label %end
c27: br label %end
c28: br label %end
c29: br label %end
c30: br label %end
c31: br label %end
c32: br label %end
c33: br label %end
c34: br label %end
c35: br label %end
c36: br label %end
c37: br label %end
c38: br label %end
c39: br label %end
c40: br label %end
c41: br label %end
c42: br label %end
c43: br label %end
c44: br label %end
c45: br label %end
c46: br label %end
c47: br label %end
c48: br label %end
c49: br label %end
c50: br label %end
c51: br label %end
c52: br label %end
c53: br label %end
c54: br label %end
c55: br label %end
c56: br label %end
c57: br label %end
c58: br label %end
c59: br label %end
c60: br label %end
c61: br label %end
c62: br label %end
c63: br label %end
end:
  %r = phi i32 [ 0, %entry ], [ 0, %c0 ], [ 7, %c1 ], [ 14, %c2 ], [ 21, %c3 ], [ 28, %c4 ], [ 35, %c5 ], [ 42, %c6 ], [ 49, %c7 ], [ 56, %c8 ], [ 63, %c9 ], [ 70, %c10 ], [ 77, %c11 ], [ 84, %c12 ], [ 91, %c13 ], [ 1, %c14 ], [ 8, %c15 ], [ 15, %c16 ], [ 22, %c17 ], [ 29, %c18 ], [ 36, %c19 ], [ 43, %c20 ], [ 50, %c21 ], [ 57, %c22 ], [ 64, %c23 ], [ 71, %c24 ], [ 78, %c25 ], [ 85, %c26 ], [ 92, %c27 ], [ 2, %c28 ], [ 9, %c29 ], [ 16, %c30 ], [ 23, %c31 ], [ 30, %c32 ], [ 37, %c33 ], [ 44, %c34 ], [ 51, %c35 ], [ 58, %c36 ], [ 65, %c37 ], [ 72, %c38 ], [ 79, %c39 ], [ 86, %c40 ], [ 93, %c41 ], [ 3, %c42 ], [ 10, %c43 ], [ 17, %c44 ], [ 24, %c45 ], [ 31, %c46 ], [ 38, %c47 ], [ 45, %c48 ], [ 52, %c49 ], [ 59, %c50 ], [ 66, %c51 ], [ 73, %c52 ], [ 80, %c53 ], [ 87, %c54 ], [ 94, %c55 ], [ 4, %c56 ], [ 11, %c57 ], [ 18, %c58 ], [ 25, %c59 ], [ 32, %c60 ], [ 39, %c61 ], [ 46, %c62 ], [ 53, %c63 ]
  store i32 %r, ptr addrspace(1) %at
  ret void
}

define void @one_way(ptr addrspace(1) %out, i32 %all) {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %out, i64 %id
  %own = load i32, ptr addrspace(1) %at
  switch i32 %all, label %end [ i32 0, label %c0 i32 1, label %c1 i32 2, label %c2 i32 3, label %c3 i32 4, label %c4 i32 5, label %c5 i32 6, label %c6 i32 7, label %c7 i32 8, label %c8 i32 9, label %c9 i32 10, label %c10 i32 11, label %c11 i32 12, label %c12 i32 13, label %c13 i32 14, label %c14 i32 15, label %c15 i32 16, label %c16 i32 17, label %c17 i32 18, label %c18 i32 19, label %c19 i32 20, label %c20 i32 21, label %c21 i32 22, label %c22 i32 23, label %c23 i32 24, label %c24 i32 25, label %c25 i32 26, label %c26 i32 27, label %c27 i32 28, label %c28 i32 29, label %c29 i32 30, label %c30 i32 31, label %c31 i32 32, label %c32 i32 33, label %c33 i32 34, label %c34 i32 35, label %c35 i32 36, label %c36 i32 37, label %c37 i32 38, label %c38 i32 39, label %c39 i32 40, label %c40 i32 41, label %c41 i32 42, label %c42 i32 43, label %c43 i32 44, label %c44 i32 45, label %c45 i32 46, label %c46 i32 47, label %c47 i32 48, label %c48 i32 49, label %c49 i32 50, label %c50 i32 51, label %c51 i32 52, label %c52 i32 53, label %c53 i32 54, label %c54 i32 55, label %c55 i32 56, label %c56 i32 57, label %c57 i32 58, label %c58 i32 59, label %c59 i32 60, label %c60 i32 61, label %c61 i32 62, label %c62 i32 63, label %c63 ]
c0: br label %end
c1: br label %end
c2: br label %end
c3: br label %end
c4: br label %end
c5: br label %end
c6: br label %end
c7: br label %end
c8: br label %end
c9: br label %end
c10: br label %end
c11: br label %end
c12: br label %end
c13: br label %end
c14: br label %end
c15: br label %end
c16: br label %end
c17: br label %end
c18: br label %end
c19: br label %end
c20: br label %end
c21: br label %end
c22: br label %end
c23: br label %end
c24: br label %end
c25: br label %end
c26: br label %end
c27: br label %end
c28: br label %end
c29: br label %end
c30: br label %end
c31: br label %end
c32: br label %end
c33: br label %end
c34: br label %end
c35: br label %end
c36: br label %end
c37: br label %end
c38: br label %end
c39: br label %end
c40: br label %end
c41: br label %end
c42: br label %end
c43: br label %end
c44: br label %end
c45: br label %end
c46: br label %end
c47: br label %end
c48: br label %end
c49: br label %end
c50: br label %end
c51: br label %end
c52: br label %end
c53: br label %end
c54: br label %end
c55: br label %end
c56: br label %end
c57: br label %end
c58: br label %end
c59: br label %end
c60: br label %end
c61: br label %end
c62: br label %end
c63: br label %end
end:
  %r = phi i32 [ 0, %entry ], [ 0, %c0 ], [ 7, %c1 ], [ 14, %c2 ], [ 21, %c3 ], [ 28, %c4 ], [ 35, %c5 ], [ 42, %c6 ], [ 49, %c7 ], [ 56, %c8 ], [ 63, %c9 ], [ 70, %c10 ], [ 77, %c11 ], [ 84, %c12 ], [ 91, %c13 ], [ 1, %c14 ], [ 8, %c15 ], [ 15, %c16 ], [ 22, %c17 ], [ 29, %c18 ], [ 36, %c19 ], [ 43, %c20 ], [ 50, %c21 ], [ 57, %c22 ], [ 64, %c23 ], [ 71, %c24 ], [ 78, %c25 ], [ 85, %c26 ], [ 92, %c27 ], [ 2, %c28 ], [ 9, %c29 ], [ 16, %c30 ], [ 23, %c31 ], [ 30, %c32 ], [ 37, %c33 ], [ 44, %c34 ], [ 51, %c35 ], [ 58, %c36 ], [ 65, %c37 ], [ 72, %c38 ], [ 79, %c39 ], [ 86, %c40 ], [ 93, %c41 ], [ 3, %c42 ], [ 10, %c43 ], [ 17, %c44 ], [ 24, %c45 ], [ 31, %c46 ], [ 38, %c47 ], [ 45, %c48 ], [ 52, %c49 ], [ 59, %c50 ], [ 66, %c51 ], [ 73, %c52 ], [ 80, %c53 ], [ 87, %c54 ], [ 94, %c55 ], [ 4, %c56 ], [ 11, %c57 ], [ 18, %c58 ], [ 25, %c59 ], [ 32, %c60 ], [ 39, %c61 ], [ 46, %c62 ], [ 53, %c63 ]
  store i32 %r, ptr addrspace(1) %at
  ret void
}

define void @few_cases(ptr addrspace(1) %out, i32 %all) {
entry:
  %id = call i64 @__lockstep_local_id(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %out, i64 %id
  %own = load i32, ptr addrspace(1) %at
  switch i32 %own, label %end [ i32 0, label %c0 i32 1, label %c1 i32 2, label %c2 i32 3, label %c3 i32 4, label %c4 i32 5, label %c5 i32 6, label %c6 i32 7, label %c7 i32 8, label %c8 i32 9, label %c9 i32 10, label %c10 i32 11, label %c11 i32 12, label %c12 i32 13, label %c13 i32 14, label %c14 i32 15, label %c15 i32 16, label %c16 i32 17, label %c17 ]
c0: br label %end
c1: br label %end
c2: br label %end
c3: br label %end
c4: br label %end
c5: br label %end
c6: br label %end
c7: br label %end
c8: br label %end
c9: br label %end
c10: br label %end
c11: br label %end
c12: br label %end
c13: br label %end
c14: br label %end
c15: br label %end
c16: br label %end
c17: br label %end
end:
  %r = phi i32 [ 0, %entry ], [ 0, %c0 ], [ 7, %c1 ], [ 14, %c2 ], [ 21, %c3 ], [ 28, %c4 ], [ 35, %c5 ], [ 42, %c6 ], [ 49, %c7 ], [ 56, %c8 ], [ 63, %c9 ], [ 70, %c10 ], [ 77, %c11 ], [ 84, %c12 ], [ 91, %c13 ], [ 1, %c14 ], [ 8, %c15 ], [ 15, %c16 ], [ 22, %c17 ]
  store i32 %r, ptr addrspace(1) %at
  ret void
}

declare i64 @__lockstep_local_id(i32) nounwind willreturn memory(none)
