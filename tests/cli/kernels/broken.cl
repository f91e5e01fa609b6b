kernel void broken(global int *out) { *out = undeclared_name; }
