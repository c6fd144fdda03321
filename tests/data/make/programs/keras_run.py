"""Fits a line with Keras on the PyTorch backend; writes a CSVLogger file beside the console output."""
import os
import sys

os.environ["KERAS_BACKEND"] = "torch"

import keras  # noqa: E402
import numpy as np  # noqa: E402

keras.utils.set_random_seed(0)
inputs = np.random.default_rng(0).standard_normal((96, 4)).astype("float32")
targets = inputs.sum(axis=1, keepdims=True)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(4, activation="relu"), keras.layers.Dense(1)])
learning_rate = 1e18 if "--diverge" in sys.argv else 0.01
model.compile(optimizer=keras.optimizers.SGD(learning_rate), loss="mse", metrics=["mae"])
callbacks = [keras.callbacks.CSVLogger("training.csv")]
if "--diverge" in sys.argv:
    callbacks.append(keras.callbacks.TerminateOnNaN())
model.fit(inputs, targets, validation_split=0.25, epochs=3, batch_size=8, callbacks=callbacks)
