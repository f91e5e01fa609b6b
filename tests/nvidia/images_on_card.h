// Images on a card, compared with code of the host, and with buffers for their times. on_card.cpp
// calls it.
#pragma once

#include <CL/cl.h>

// `other`: the queue of another device of the context. Prints lines; false: a result is wrong.
bool check_images(cl_context context, cl_command_queue card, cl_command_queue other);
