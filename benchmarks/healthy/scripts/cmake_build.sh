# CMake configures and builds many small C++ files, verbosely.
set -e
mkdir -p src; for i in $(seq 60); do printf '#include <map>\n#include <string>\n#include <vector>\nint f%d(int x){std::map<std::string,std::vector<int>> m; m["a"].push_back(x); return m.size()+%d;}\n' $i $i > src/f$i.cpp; done
echo 'int main(){return 0;}' > src/main.cpp
cat > CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.10)
project(healthy C CXX)
find_package(Threads REQUIRED)
include(CheckIncludeFile)
include(CheckFunctionExists)
foreach(h stdio.h stdlib.h unistd.h sys/types.h pthread.h sys/epoll.h linux/io_uring.h)
  string(MAKE_C_IDENTIFIER HAVE_${h} v)
  check_include_file(${h} ${v})
endforeach()
foreach(f mmap fork epoll_create1 memfd_create getrandom strlcpy)
  check_function_exists(${f} HAVE_${f})
endforeach()
file(GLOB s src/f*.cpp)
add_library(f STATIC ${s})
add_executable(main src/main.cpp)
target_link_libraries(main f Threads::Threads)
enable_testing()
add_test(NAME main COMMAND main)
C
cmake -S . -B build -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS="-Wall -Wextra" --log-level=VERBOSE
cmake --build build --verbose; (cd build && ctest -V); cmake --build build --target help; cmake --system-information
