"""flash-attn's own Python package with a flash_attn_2_cuda extension that does not load.

The one argument says how it fails:
  undefined-symbol   the extension needs a symbol that the installed torch does not have
  libcudart-missing  the extension is linked against a libcudart.so.12 that is not there
  module-missing     flash-attn is not installed at all (run with a venv that lacks it)

The extension is a stand-in of our own, two lines of C built with gcc; the loader error is the
dynamic loader's, the traceback goes through the genuine flash_attn/flash_attn_interface.py.
"""

import logging
import pathlib
import subprocess
import sys
import sysconfig
import tempfile

STUB = "extern int {symbol}(void);\nint PyInit_flash_attn_2_cuda(void) {{ return {symbol}(); }}\n"


def build(mode, folder):
    source = folder / "stub.c"
    name = "flash_attn_2_cuda" + sysconfig.get_config_var("EXT_SUFFIX")
    target = folder / name
    if mode == "undefined-symbol":
        source.write_text(STUB.format(symbol="_ZN3c104cuda9SetDeviceEi"))
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", target, source], check=True)
    elif mode == "libcudart-missing":
        runtime = folder / "runtime.c"
        runtime.write_text("int cudaGetDevice(void) { return 0; }\n")
        library = folder / "libcudart.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-Wl,-soname,libcudart.so.12", "-o", library, runtime], check=True)
        source.write_text(STUB.format(symbol="cudaGetDevice"))
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", target, source, f"-L{folder}", "-lcudart"], check=True)
        library.unlink()


def main():
    mode = sys.argv[1]
    folder = pathlib.Path(tempfile.gettempdir()) / "cap" / "flash_attn_build" / mode
    folder.mkdir(parents=True, exist_ok=True)
    build(mode, folder)
    sys.path.insert(0, str(folder))

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    log = logging.getLogger("sft_trainer")
    import torch

    log.info("torch %s, python %s", torch.__version__, sys.version.split()[0])
    log.info("Config: attn_implementation=flash_attention_2 use_remove_padding=True max_length=4096")
    torch.manual_seed(0)
    tokens = torch.randint(0, 32000, (1024, 256))
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(tokens), batch_size=8, shuffle=True)
    log.info("Size of train dataloader: %d, %d tokens", len(loader), tokens.numel())
    layer = torch.nn.TransformerEncoderLayer(256, 4, batch_first=True)
    log.info("Model: %.2fM parameters", sum(p.numel() for p in layer.parameters()) / 1e6)

    from flash_attn import flash_attn_varlen_func
    from flash_attn.bert_padding import index_first_axis, pad_input, unpad_input

    log.info("flash-attn ready: %s", [flash_attn_varlen_func, index_first_axis, pad_input, unpad_input])


main()
