; RUN: lockstep-opt -passes=compare-addresses %s | FileCheck %s
; RUN: lockstep-opt -passes='function(compare-addresses,instcombine)' %s | FileCheck %s --check-prefix=WHOLE
; Vectors of pointers from a part of an object, whose place is computed and which is used besides, are compared as numbers:
; InstCombine would make the part a vector.

; CHECK-LABEL: @within_one_object
; CHECK: [[BASE:%.*]] = ptrtoint ptr addrspace(3) %part to i64
; CHECK: insertelement <4 x i64> poison, i64 [[BASE]]
; CHECK: [[SUM:%.*]] = add <4 x i64> {{.*}}, <i64 0, i64 64, i64 128, i64 192>
; CHECK: icmp eq <4 x i64> [[SUM]], <i64 0, i64 ptrtoint
; CHECK: load i32, ptr addrspace(3) %part
; WHOLE-LABEL: @within_one_object
; WHOLE: load i32, ptr addrspace(3) %part
define <4 x i1> @within_one_object(i64 %place, ptr %out) {
  %part = getelementptr i8, ptr addrspace(3) null, i64 %place
  %all = getelementptr i8, ptr addrspace(3) %part, <4 x i64> <i64 0, i64 64, i64 128, i64 192>
  %same = icmp eq <4 x ptr addrspace(3)> %all, getelementptr inbounds nuw (i32, ptr addrspace(3) null, <4 x i64> <i64 0, i64 1, i64 2, i64 3>)
  %value = load i32, ptr addrspace(3) %part
  store i32 %value, ptr %out
  ret <4 x i1> %same
}

; CHECK-LABEL: @by_two_steps
; CHECK: [[FIRST:%.*]] = add <2 x i64> {{.*}}, %by
; CHECK: [[SECOND:%.*]] = add <2 x i64> [[FIRST]], splat (i64 8)
; CHECK: [[OTHERS:%.*]] = ptrtoint <2 x ptr addrspace(1)> %others to <2 x i64>
; CHECK: icmp ult <2 x i64> [[SECOND]], [[OTHERS]]
define <2 x i1> @by_two_steps(ptr addrspace(1) %from, i64 %place, <2 x i64> %by, <2 x ptr addrspace(1)> %others) {
  %part = getelementptr i8, ptr addrspace(1) %from, i64 %place
  %first = getelementptr i8, ptr addrspace(1) %part, <2 x i64> %by
  %second = getelementptr i8, <2 x ptr addrspace(1)> %first, i64 8
  %less = icmp ult <2 x ptr addrspace(1)> %second, %others
  ret <2 x i1> %less
}

; CHECK-LABEL: @as_numbers
; CHECK-NOT: ptrtoint <4 x ptr addrspace(3)> %all
; CHECK: icmp ule <4 x i64>
; CHECK: sub <4 x i64>
; WHOLE-LABEL: @as_numbers
; WHOLE: ptrtoint ptr addrspace(3) %part to i64
; WHOLE: load i32, ptr addrspace(3) %part
define <4 x i1> @as_numbers(ptr addrspace(3) %from, i64 %place, <4 x i64> %by, ptr %out, ptr %differences) {
  %part = getelementptr i8, ptr addrspace(3) %from, i64 %place
  %all = getelementptr i8, ptr addrspace(3) %part, <4 x i64> %by
  %second = getelementptr i8, ptr addrspace(3) %from, i64 64
  %others = getelementptr i8, ptr addrspace(3) %second, <4 x i64> %by
  %a = ptrtoint <4 x ptr addrspace(3)> %all to <4 x i64>
  %b = ptrtoint <4 x ptr addrspace(3)> %others to <4 x i64>
  %less = icmp ule <4 x i64> %a, %b
  %difference = sub <4 x i64> %a, %b
  store <4 x i64> %difference, ptr %differences
  %value = load i32, ptr addrspace(3) %part
  store i32 %value, ptr %out
  ret <4 x i1> %less
}

; Neither from a part: LLVM does these well.
; CHECK-LABEL: @from_whole_objects
; CHECK: icmp eq <2 x ptr addrspace(1)> %first, %others
define <2 x i1> @from_whole_objects(ptr addrspace(1) %from, <2 x i64> %by, <2 x ptr addrspace(1)> %others) {
  %first = getelementptr i8, ptr addrspace(1) %from, <2 x i64> %by
  %same = icmp eq <2 x ptr addrspace(1)> %first, %others
  ret <2 x i1> %same
}
