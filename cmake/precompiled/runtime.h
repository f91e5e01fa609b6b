// What the runtime includes of the standard library, and the library that prints.
#pragma once

#include "standard.h"

#include <cmath>
#include <deque>
#include <fmt/format.h>
#include <set>
#include <shared_mutex>
#include <variant>
