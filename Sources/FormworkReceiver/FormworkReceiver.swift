// All of this module is behind the trait Transfer: without it there is nothing in here, and nothing is resolved.
