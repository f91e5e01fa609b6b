// Phases that wait for other launches, which run in queues of their own.
#include "generator.h"

namespace torture {

using std::to_string;

void Generator::hand_shake() {
  const uint32_t asks = counter(), answers = counter(), value = datum(), who = below(items());
  line("if (i == %u) {", who);
  line("d[%u] = %uu;", value, phase_);
  line("STORE(&c[%u], 1u);", asks);
  wait_until_set(to_string(answers));
  line("sum += d[%u];", value);
  line("}");
  helper_ += "  while (LOAD(&c[" + to_string(asks) + "]) == 0) ;\n  d[" + to_string(value) +
             "] *= 2;\n  STORE(&c[" + to_string(answers) + "], 1u);\n";
  p_.has_helper = true;
  sums_[who] += 2 * phase_;
}

// A flag passes through several launches of a small kernel. The last of the relay is enqueued
// first.
void Generator::relay() {
  if (p_.relays != 0)
    return hand_shake();
  p_.relays = 1 + below(4);
  p_.relay_flags = counter(p_.relays + 1);
  line("if (i == %u) STORE(&c[%u], 1u);", below(items()), p_.relay_flags);
  begin_if(subset());
  wait_until_set(to_string(p_.relay_flags + p_.relays));
  line("}");
}

// The helper counts under the lock under which the others read.
void Generator::helper_behind_lock() {
  const Lock lock = make_lock_to_look_under();
  const uint32_t number = datum();
  const Subset who = subset();
  const std::string in = take(lock), out = give(lock);
  begin_if(who);
  line("%s", in.c_str());
  line("while (d[%u] == 0) { %s %s }", number, out.c_str(), in.c_str());
  line("d[%u] += 1;", number);
  line("%s", out.c_str());
  line("}");
  helper_ += "  " + in + "\n  d[" + to_string(number) + "] += 1;\n  " + out + "\n";
  p_.has_helper = true;
  p_.expected_data.push_back({number, count(who) + 1});
}

} // namespace torture
