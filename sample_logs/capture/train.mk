# make -f train.mk MODE: prepares, trains and reports; `clean` fails and is ignored.
all: prepare train report
broken: prepare evaluate report
clean:
	-rmdir work/cache
	-cp conf/cluster.yaml work/
prepare: clean
	mkdir -p work
	python -c "print('\n'.join(f'tokenized {k * 1000} rows' for k in range(1, 60)))"
train: prepare
	python train_loop.py alarming --steps 120 --folder work
evaluate: prepare
	python -c "import json; print(json.load(open('work/eval_results.json'))['accuracy'])"
report:
	@echo "report written"
