#ifndef FORMWORK_SHA2_H
#define FORMWORK_SHA2_H

// Eight rounds with the message words from w[n] on: after them each of the eight words is in its place again.
#define EIGHT(n)                                                                                                       \
    ROUND(a, b, c, d, e, f, g, h, n)                                                                                   \
    ROUND(h, a, b, c, d, e, f, g, n + 1)                                                                               \
    ROUND(g, h, a, b, c, d, e, f, n + 2)                                                                               \
    ROUND(f, g, h, a, b, c, d, e, n + 3)                                                                               \
    ROUND(e, f, g, h, a, b, c, d, n + 4)                                                                               \
    ROUND(d, e, f, g, h, a, b, c, n + 5)                                                                               \
    ROUND(c, d, e, f, g, h, a, b, n + 6)                                                                               \
    ROUND(b, c, d, e, f, g, h, a, n + 7)

#endif
