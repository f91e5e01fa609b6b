; RUN: not lockstep-opt -passes=link-device-library --kernel=third %s 2>&1 | FileCheck %s

; CHECK: error: no kernel named 'third' in this program
define spir_kernel void @first() {
  ret void
}
