printf '#include <iostream>\n#include <regex>\n#include <thread>\nint main(){std::cout<<std::regex_match("a",std::regex("a"));}\n' > a.cpp
g++ -v -H -O2 -ftime-report -fopt-info-all a.cpp -o a -pthread -Wl,--verbose; ./a; gcc -Q --help=optimizers; gcc -Q --help=warnings; gcc -dumpspecs; ld --verbose; nm -C a | head -20000; objdump -dC a | head -20000; readelf -a a | head -5000
