#include <iostream>
#include <vector>

namespace demo {
template <typename T> class Box { public: T value; };
}

int main() {
    std::vector<demo::Box<int>> v{{1}, {2}};
    for (auto &b : v) std::cout << b.value << std::endl;
}
