// What the APIs include: OpenCL's headers, which include those of the processor's vector instructions.
#pragma once

#include "runtime.h"

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>
