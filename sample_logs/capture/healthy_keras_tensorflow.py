"""Healthy log: TensorFlow/Keras on a machine without a GPU: start-up messages on missing CUDA, callbacks, a NaN loss on purpose.

Packages (python 3.11): tensorflow-cpu==2.21.0, keras==3.15.1, numpy==2.4.6
Run:
    TF_CPP_MIN_LOG_LEVEL=0 python healthy_keras_tensorflow.py > keras-tensorflow.log 2>&1
"""

import tempfile

import keras
import numpy as np
import tensorflow as tf


def main():
    print("GPUs:", tf.config.list_physical_devices("GPU"))
    keras.utils.set_random_seed(0)
    x = np.random.randn(512, 16).astype("float32")
    y = (x.sum(1) > 0).astype("float32")

    def build(lr, activation="relu"):
        m = keras.Sequential([keras.Input((16,)), keras.layers.Dense(32, activation=activation), keras.layers.Dense(1, activation="sigmoid")])
        m.compile(keras.optimizers.SGD(lr), "binary_crossentropy", metrics=["accuracy"])
        return m

    print("trial 1 of the learning rate search (expected to diverge)")
    bad = build(1e-2, "tanh")
    bad.fit(x * np.float32("nan"), y, epochs=2, verbose=2, callbacks=[keras.callbacks.TerminateOnNaN()])
    print("trial 1 discarded: the loss is not finite")
    print("trial 2 of the learning rate search")
    good = build(0.05)
    path = tempfile.mkdtemp() + "/model.h5"
    good.fit(
        x,
        y,
        epochs=8,
        validation_split=0.2,
        verbose=1,
        callbacks=[
            keras.callbacks.EarlyStopping(monitor="val_errors", mode="min", patience=2),
            keras.callbacks.ReduceLROnPlateau(patience=1, verbose=1),
        ],
    )
    good.save(path)
    data = tf.data.Dataset.from_tensor_slices(np.arange(4)).map(
        lambda i: tf.debugging.check_numerics(1.0 / tf.cast(i, tf.float32), "reciprocal of a sample")
    )
    print("usable samples:", [round(float(v), 3) for v in data.ignore_errors(log_warning=True)] if hasattr(data, "ignore_errors") else "unknown")
    loss, acc = good.evaluate(x, y, verbose=0)
    print(f"best trial: 2, accuracy {acc:.3f}. Training finished successfully.")


if __name__ == "__main__":
    main()
