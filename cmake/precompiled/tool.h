// What the command line tool includes: the standard library, and the libraries that parse and print.
#pragma once

#include "standard.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
