; RUN: lockstep-opt -passes=specialize-images %s | FileCheck %s
; Where nothing is known of an image, its descriptor is asked, and the code for any format is out of line: once for all
; reads with the same sampler and shape.

; CHECK-LABEL: define void @kernel
; CHECK: %[[PLACE:.*]] = getelementptr inbounds i8, ptr addrspace(2) %image, i64 24
; CHECK: %[[FORMAT:.*]] = load i32, ptr addrspace(2) %[[PLACE]], align 4, !invariant.load
; CHECK: %color = call <4 x float> @[[READ:.*out.of.line]](ptr addrspace(2) %image, i32 %[[FORMAT]], i32 %x)
; CHECK: call <4 x float> @[[READ]](ptr addrspace(2) %other, i32 %{{.*}}, i32 %y)
; CHECK: call <4 x float> @[[CLAMPED:.*out.of.line[.0-9]+]](ptr addrspace(2) %image, i32 %[[FORMAT]], i32 %x)
; CHECK: call void @[[WRITE:.*out.of.line]](ptr addrspace(2) %image, i32 %[[FORMAT]], i32 %x, <4 x float> %color)
; CHECK-NOT: call {{.*}}all_lanes
; CHECK: define internal <4 x float> @[[READ]]({{.*}}) [[READS:#[0-9]+]]
; CHECK: switch i32
; CHECK: define internal <4 x float> @[[CLAMPED]]({{.*}}) [[READS]]
; CHECK: define internal void @[[WRITE]]({{.*}}) [[WRITES:#[0-9]+]]
; CHECK-NOT: call {{.*}}__lockstep_image
; CHECK-NOT: call {{.*}}all_lanes
; CHECK-DAG: attributes [[READS]] = { {{.*}}memory(read) "lockstep-image-access" "lockstep-out-of-line" }
; CHECK-DAG: attributes [[WRITES]] = { {{.*}}willreturn "lockstep-image-access" "lockstep-out-of-line" }
define void @kernel(ptr addrspace(2) %image, ptr addrspace(2) %other, ptr addrspace(1) %to, i32 %x) {
  %format = call i32 @__lockstep_image_format(ptr addrspace(2) %image)
  %color = call <4 x float> @__lockstep_image_read_f(ptr addrspace(2) %image, i32 %format, i32 18, i32 2, i32 %x, i32 7, i32 0, i32 0)
  store <4 x float> %color, ptr addrspace(1) %to
  %format.of.other = call i32 @__lockstep_image_format(ptr addrspace(2) %other)
  %y = add i32 %x, 1
  %second = call <4 x float> @__lockstep_image_read_f(ptr addrspace(2) %other, i32 %format.of.other, i32 18, i32 2, i32 %y, i32 7, i32 0, i32 0)
  store <4 x float> %second, ptr addrspace(1) %to
  %third = call <4 x float> @__lockstep_image_read_f(ptr addrspace(2) %image, i32 %format, i32 20, i32 2, i32 %x, i32 7, i32 0, i32 0)
  store <4 x float> %third, ptr addrspace(1) %to
  call void @__lockstep_image_write_f(ptr addrspace(2) %image, i32 %format, i32 2, i32 %x, i32 7, i32 0, i32 0, <4 x float> %color)
  ret void
}

declare i32 @__lockstep_image_format(ptr addrspace(2))
declare <4 x float> @__lockstep_image_read_f(ptr addrspace(2), i32, i32, i32, i32, i32, i32, i32)
declare void @__lockstep_image_write_f(ptr addrspace(2), i32, i32, i32, i32, i32, i32, <4 x float>)
