"""The peers of the adaptation lane: the same eight tensors by numpy's Gram matrix and eigh, or by SciPy's thin
SVD in f32. Prints processor seconds and the largest resident size as one line of JSON.

Usage: python3 adaptation-numpy.py (gram|svd) MODEL.safetensors VECTOR.safetensors LAYER [ADAPTED.safetensors]

With ADAPTED, the layers' bf16 bits are compared with those of our router.
"""

import json
import resource
import struct
import sys
import time

import numpy as np

route, model, vector, layer = sys.argv[1:5]
adapted = sys.argv[5] if len(sys.argv) > 5 else None


def header(path):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        entries = json.loads(file.read(length))
    return {name: (entry, 8 + length) for name, entry in entries.items() if name != "__metadata__"}


def bits(path, tensors, name, rows=None):
    entry, start = tensors[name]
    first, last = rows or (0, entry["shape"][0])
    columns = entry["shape"][1]
    at = start + entry["data_offsets"][0] + first * columns * 2
    flat = np.fromfile(path, dtype="<u2", count=(last - first) * columns, offset=at)
    return flat.reshape(last - first, columns)


def widened(half, dtype):
    return (half.astype(np.uint32) << 16).view(np.float32).astype(dtype, copy=False)


def rounded(values):
    u = values.astype(np.float32).view(np.uint32)
    return ((u + 0x7FFF + ((u >> 16) & 1)) >> 16).astype(np.uint16)


def scaling(values, vectors, offsets):
    s = np.sqrt(np.maximum(values[::-1], 0))
    v = vectors[:, ::-1]
    f = 1 + offsets.astype(np.float64)
    return (v * f) @ v.T, s.sum() / (s * f).sum()


started = time.time()
tensors = header(model)
entry, start = next(iter(header(vector).values()))
offsets = np.fromfile(vector, dtype="<f4", count=9216, offset=start)
ours = header(adapted) if adapted else None
different = total = 0

embedding = "model.embed_tokens.weight"
rows, n = tensors[embedding][0]["shape"]
if route == "gram":
    gram = np.zeros((n, n))
    for first in range(0, rows, 8192):
        x = widened(bits(model, tensors, embedding, (first, min(rows, first + 8192))), np.float64)
        gram += x.T @ x
    values, vectors = np.linalg.eigh(gram)
    m, c = scaling(values, vectors, offsets[:1024])
else:
    from scipy.linalg import svd

    u, s, vt = svd(widened(bits(model, tensors, embedding), np.float32), full_matrices=False, lapack_driver="gesdd")
    m = (vt.T * (1 + offsets[:1024])) @ vt
    del u

parts = ["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj"]
parts += ["mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"]
for index, part in enumerate(parts):
    name = f"model.layers.{layer}.{part}.weight"
    d = offsets[1024 * (index + 1) : 1024 * (index + 2)]
    if route == "svd":
        w = widened(bits(model, tensors, name), np.float32)
        u, s, vt = svd(w, full_matrices=False, lapack_driver="gesdd")
        f = s * (1 + d)
        result = ((u * f) @ vt) * (s.sum() / f.sum())
    else:
        w = widened(bits(model, tensors, name), np.float64)
        wide = w.shape[0] < w.shape[1]
        values, vectors = np.linalg.eigh(w @ w.T if wide else w.T @ w)
        m, c = scaling(values, vectors, d)
        result = c * (m @ w if wide else w @ m)
    half = rounded(result)
    if ours is not None:
        different += int((half != bits(adapted, ours, name)).sum())
        total += half.size

usage = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({
    "cpuSeconds": usage.ru_utime + usage.ru_stime,
    "wallSeconds": time.time() - started,
    "maxRssBytes": usage.ru_maxrss * 1024,
    "differentShare": different / total if total else None,
}))
