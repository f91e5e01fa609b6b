// Commands with and without an order: command_races CASE. check_commands_test.py has the verdicts.
#include "command_races.h"

int main(int argc, char **argv) {
  Program program;
  for (const Cases *cases : {&ordered_cases, &unordered_cases, &host_cases})
    if (const auto found = argc == 2 ? cases->find(argv[1]) : cases->end(); found != cases->end()) {
      found->second(program);
      program.finish();
      return 0;
    }
  std::fprintf(stderr, "command_races: no such case\n");
  return 1;
}
