set -e
git init -q r; cd r; git config user.name a; git config user.email a@b.c
for i in $(seq 60); do echo "$i" > "f$i"; git add -v .; git commit -m "Add file $i"; done
git checkout -b topic; git rm f1; git commit -m "Remove"; git checkout -; git merge --no-ff topic -m merge; git gc; GIT_TRACE=1 GIT_TRACE_PERFORMANCE=1 git status; git log --stat; git log -p; git fsck -v; git help -a
GIT_TRACE=1 GIT_TRACE_PACKET=1 git clone -v . ../s; git reflog
