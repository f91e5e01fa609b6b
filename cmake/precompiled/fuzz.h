// What random programs and their references include.
#pragma once

#include "opencl_cpp_exceptions.h"

#include <nlohmann/json.hpp>
