"""torch.compile of some small models; the interest is in the logs that TORCH_LOGS asks for."""
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.norm1(x), self.norm1(x), self.norm1(x), need_weights=False)[0]
        return x + self.mlp(self.norm2(x))

@torch.compile
def graph_break(x):
    y = x.sin() + 1
    print("a break in the graph")
    return y.cos() if y.sum() > 0 else y.exp()

model = torch.compile(nn.Sequential(Block(32, 4), Block(32, 4), nn.Linear(32, 10)))
for batch in (2, 4, 7):
    out = model(torch.randn(batch, 8, 32)); out.sum().backward()
for n in (3, 5, 8):
    graph_break(torch.randn(n))
conv = torch.compile(nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()), dynamic=True)
for size in (16, 20):
    conv(torch.randn(2, 3, size, size)).sum().backward()
