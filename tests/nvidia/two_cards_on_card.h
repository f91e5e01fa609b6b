// Checks two cards in one context: kernels, copies and groups that wait, on both.
#pragma once

#include <CL/cl.h>

namespace lockstep::test {

// Prints a line for each check. True: all is right.
bool check_two_cards(cl_device_id first, cl_device_id second);

} // namespace lockstep::test
