// What tests of the host include.
#pragma once

#include "standard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
