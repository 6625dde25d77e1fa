printf 'all: a b c\n%%: ; @echo made $@\n' > Makefile; make -d; make -p -f /dev/null; make -n -d -C /tmp 2>/dev/null; true
