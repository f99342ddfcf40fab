"""Numbers of DiffAN's network by automatic differentiation, for tests/order/diffan_network_test.cpp.

    python3 tests/golden/diffan_network.py        (PyTorch 1.13 or later)

A network of 3 variables, widths 5 and 7, in double precision; weight number i of the flat vector is 0.5 sin(1.7 i + 0.3).
"""
import torch

torch.set_default_dtype(torch.float64)
D, S, B = 3, 5, 7
place = 0


def block(rows, columns):
    """The next weights of the flat vector: one column after the other."""
    global place
    count = rows * columns
    values = 0.5 * torch.sin(1.7 * torch.arange(place, place + count) + 0.3)
    place += count
    return values.reshape(columns, rows).T.clone().requires_grad_(True)


w1 = block(S, D + 1)
g1, s1 = block(S, 1), block(S, 1)
w2, b2 = block(B, S), block(B, 1)
g2, s2 = block(B, 1), block(B, 1)
w3, b3 = block(B, B), block(B, 1)
w4, b4 = block(S, B), block(S, 1)
w5, b5 = block(D, S), block(D, 1)
parameters = [w1, g1, s1, w2, b2, g2, s2, w3, b3, w4, b4, w5, b5]


def network(x, t):
    leaky = torch.nn.functional.leaky_relu
    norm = torch.nn.functional.layer_norm
    h = torch.cat([x, torch.tensor([t])])
    h = norm(leaky(w1 @ h), (S,), g1[:, 0], s1[:, 0])
    h = norm(leaky(w2 @ h + b2[:, 0]), (B,), g2[:, 0], s2[:, 0])
    h = leaky(w3 @ h + b3[:, 0])
    h = leaky(w4 @ h + b4[:, 0])
    return w5 @ h + b5[:, 0]


points = torch.tensor([[0.4, -1.1, 0.7], [-0.9, 0.3, 1.6]])
target = torch.tensor([[0.2, 0.5, -0.3], [-1.0, 0.1, 0.6]])
loss = sum(((network(x, 0.33) - e) ** 2).sum() for x, e in zip(points, target)) / 6
loss.backward()
gradient = torch.cat([p.grad.T.reshape(-1) for p in parameters])
print("loss", loss.item())
print("weights", place)
print("gradient at 0, 7, 22, 26, 30, 70, 75, 82, 100, 140, 145, 180, 185, 199:")
print([gradient[i].item() for i in (0, 7, 22, 26, 30, 70, 75, 82, 100, 140, 145, 180, 185, 199)])
print("norm of the gradient", gradient.norm().item())


def corrected(x, removed, remaining):
    f = network(x, 0.33)
    jacobian = torch.autograd.functional.jacobian(lambda y: network(y, 0.33), x, create_graph=True)
    result = f[remaining].clone()
    for r in removed:
        result = result - f[r] / jacobian[r, r] * jacobian[r, remaining]
    return result


def diagonal(x, removed, remaining):
    """d corrected_l / d x_l, which needs second derivatives of the network."""
    x = x.clone()
    x[removed] = 0.0
    x.requires_grad_(True)
    values = corrected(x, removed, remaining)
    return [torch.autograd.grad(values[i], x, retain_graph=True)[0][l].item() for i, l in enumerate(remaining)]


for x in points:
    print("plain", diagonal(x, [], [0, 1, 2]), "without 1", diagonal(x, [1], [0, 2]))
    print("without 2, then 0", diagonal(x, [2, 0], [1]))
