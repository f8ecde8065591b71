"""Make the package's file of trained weights: python tools/text/export_transformer.py FOLDER
WEIGHTS [--to FILE]

Needs PyTorch, onnx and onnxruntime. Weights of sums become 8-bit whole numbers, one scale for each
column, and numbers between layers are rounded as they come (dynamic quantisation); embeddings have
6 bits and one scale for each row."""

from __future__ import annotations

import argparse
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np
import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import Tensor, nn
from transformer_net import FACTS, Net

LABELS = (
    "O NAME STREET TOWN REGION COUNTRY POSTCODE DATE TIME AGE PHONE NUMBER EMAIL URL "
    "HOSPITAL ORGANISATION TEAM "
    "PROFESSION DEMOGRAPHIC QUANTITY OTHER"
)
"""As in train_crf, which is not imported: it would ask for Sfumato."""
PACKAGE = Path(__file__).parents[2] / "packages" / "text-model" / "src" / "sfumato_text_model"
HERE = PACKAGE / "minilm.zip"


class Rounded(nn.Module):
    """An embedding in whole numbers of its rows' scales."""

    def __init__(self, weight: Tensor, bits: int) -> None:
        super().__init__()
        scale = weight.abs().amax(1, keepdim=True).clamp_min(1e-6) / (2 ** (bits - 1) - 1)
        self.register_buffer("rows", (weight / scale).round().to(torch.int8))
        self.register_buffer("scale", scale)

    def forward(self, ids: Tensor) -> Tensor:
        return self.rows[ids].float() * self.scale[ids]


def read_net(file: Path) -> Net:
    with np.load(file) as arrays:
        state = {name: torch.tensor(arrays[name]).float() for name in arrays.files}
    layers = 1 + max(int(name.split(".")[1]) for name in state if name.startswith("layers."))
    sizes = {"shapes": len(state["shapes.weight"]), "window": len(state["places.weight"])}
    net = Net(len(state["words.weight"]), len(state["labels.bias"]), layers=layers, **sizes)
    net.load_state_dict(state)
    return net.eval()


def exported(net: Net, *, bits: int | None = 6) -> bytes:
    """The network as ONNX; `bits=None` leaves all as it is."""
    if bits is not None:
        net.words = Rounded(net.words.weight.detach(), bits)
    example = (
        torch.tensor([[101, 2000, 2001, 102]]),
        torch.zeros((1, 4), dtype=torch.long),
        torch.zeros((1, 4, FACTS)),
    )
    with tempfile.TemporaryDirectory() as folder:
        plain, small = f"{folder}/plain.onnx", f"{folder}/small.onnx"
        torch.onnx.export(
            net,
            example,
            plain,
            input_names=["ids", "shapes", "known"],
            output_names=["scores"],
            dynamic_axes={name: {0: "texts", 1: "pieces"} for name in ("ids", "shapes", "known")},
            opset_version=17,
            do_constant_folding=True,
            dynamo=False,
        )
        if bits is None:
            return Path(plain).read_bytes()
        quantize_dynamic(
            plain,
            small,
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
            op_types_to_quantize=["MatMul"],
        )
        model = onnx.load(small)
        del model.metadata_props[:]
        model.doc_string = ""
        return model.SerializeToString(deterministic=True)


def write(file: Path, network: bytes, pieces: str) -> None:
    """The same weights give the same bytes."""
    opened = BytesIO()
    with ZipFile(opened, "w") as out:
        for name, data in (
            ("labels.txt", LABELS.encode()),
            ("pieces.txt", pieces.encode()),
            ("network.onnx", network),
        ):
            entry = ZipInfo(name, (2024, 11, 15, 0, 0, 0))
            entry.compress_type = ZIP_DEFLATED
            out.writestr(entry, data, compresslevel=9)
    file.write_bytes(opened.getvalue())


def main() -> None:
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("folder", type=Path)
    asked.add_argument("weights", type=Path)
    asked.add_argument("--to", type=Path, default=HERE)
    asked.add_argument(
        "--whole", action="store_true", help="round nothing, to see what rounding costs"
    )
    given = asked.parse_args()
    network = exported(read_net(given.weights), bits=None if given.whole else 6)
    write(given.to, network, (given.folder / "pieces.txt").read_text(encoding="utf-8"))
    sys.stdout.write(
        f"{len(network) / 1e6:.1f} MB, zipped {given.to.stat().st_size / 1e6:.1f} MB\n"
    )


if __name__ == "__main__":
    main()
