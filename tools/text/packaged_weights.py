"""The weights of the packaged transformer as numbers, to go on training from them.

Rounded weights come back as their whole numbers times their scales: what tools/text/export_transformer.py
wrote, less the rounding. Needs onnx."""

from __future__ import annotations

import re
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import onnx
from onnx.numpy_helper import to_array

_PRODUCT = re.compile(r"/(?:(layers\.\d+)/)?(\w+)/MatMul_quant")


def packaged_weights(file: Path) -> dict[str, np.ndarray]:
    """The state of `transformer_net.Net` by its names."""
    with ZipFile(file) as opened:
        graph = onnx.load_from_string(opened.read("network.onnx")).graph
    parts = {each.name: to_array(each) for each in graph.initializer}
    state = {
        name: array
        for name, array in parts.items()
        if not name.startswith("onnx::") and not name.startswith("words.")
    }
    state["words.weight"] = parts["words.rows"] * parts["words.scale"]
    for node in graph.node:
        found = _PRODUCT.fullmatch(node.name)
        if found is not None and node.op_type == "MatMulInteger":
            layer, name = found.groups()
            of = node.input[1].removesuffix("_quantized")
            whole = parts[f"{of}_quantized"].astype(np.float32) - parts[f"{of}_zero_point"]
            key = f"{layer}.{name}.weight" if layer else f"{name}.weight"
            state[key] = np.ascontiguousarray((whole * parts[f"{of}_scale"]).T)
    return {name: np.array(array, np.float32) for name, array in state.items()}
