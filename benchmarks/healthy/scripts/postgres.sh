# A PostgreSQL server that logs every statement, as a user of its own where we are root.
set -e
bin=$(dirname "$(readlink -f "$(command -v postgres)")"); d=$(mktemp -d /tmp/hpgXXXX)
as() { if [ "$(id -u)" = 0 ]; then chown -R nobody "$d"; su -s /bin/bash nobody -c "$1"; else bash -c "$1"; fi; }
as "$bin/initdb -D $d/db -A trust"
as "$bin/postgres -D $d/db -p 54871 -k $d -c log_statement=all -c log_min_messages=debug1 -c log_connections=on -c log_disconnections=on -c log_checkpoints=on -c log_duration=on" & p=$!
sleep 4
as "$bin/pgbench -h $d -p 54871 -i -s 1 postgres; $bin/pgbench -h $d -p 54871 -t 1500 -c 2 -P 1 postgres"
as "$bin/psql -h $d -p 54871 postgres -c 'vacuum verbose' -c 'explain analyze verbose select * from pg_class join pg_attribute on attrelid = pg_class.oid' -c '\\dS+'"
as "$bin/pg_ctl -D $d/db stop -m fast"; wait; rm -rf "$d"
