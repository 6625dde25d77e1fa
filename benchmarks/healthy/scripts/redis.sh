set -e
command -v redis-server; redis-server --port 8474 --loglevel debug --save 1 1 & p=$!
sleep 1; for i in $(seq 400); do redis-cli -p 8474 set "k$i" "$i"; done; redis-cli -p 8474 info all; redis-cli -p 8474 config get '*'; redis-benchmark -p 8474 -n 2000; redis-cli -p 8474 shutdown nosave; wait
