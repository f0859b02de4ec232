#ifndef GREET_H
#define GREET_H

struct greeting { const char *whom; };
int greet(const struct greeting *g);

#endif
