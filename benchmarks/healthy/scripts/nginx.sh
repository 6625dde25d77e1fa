set -e
command -v nginx
mkdir -p logs html; echo ok > html/index.html
printf 'daemon off; master_process off; error_log /dev/stderr info; pid %s/p; events {} http { access_log /dev/stdout; server { listen 127.0.0.1:8475; root %s/html; } }' "$PWD" "$PWD" > n.conf
nginx -c "$PWD/n.conf" -p "$PWD" & p=$!
sleep 1; for i in $(seq 1500); do curl -s -o /dev/null -A "agent/$i" "http://127.0.0.1:8475/index.html?n=$i"; done; kill $p; wait
