"""Training as people rightly write it, of every kind: a finding in any of these is a false alarm."""

from __future__ import annotations

from collections.abc import Callable

import pytest

PROGRAMS = {
    "a generator and a critic": """
        G = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 2))
        D = nn.Sequential(nn.Linear(2, 4), nn.LeakyReLU(0.2), nn.Linear(4, 1))
        og, od = mg.optim.Adam(G.parameters(), lr=1e-3), mg.optim.Adam(D.parameters(), lr=1e-3)
        for _ in range(4):
            real = mg.randn(8, 2)
            fake = G(mg.randn(8, 2))
            od.zero_grad()
            dl = F.binary_cross_entropy_with_logits(D(real), mg.ones(8, 1))
            dl = dl + F.binary_cross_entropy_with_logits(D(fake.detach()), mg.zeros(8, 1))
            dl.backward()
            od.step()
            og.zero_grad()
            gl = F.binary_cross_entropy_with_logits(D(fake), mg.ones(8, 1))
            gl.backward()
            og.step()
    """,
    "a policy gradient with a moving baseline": """
        net = nn.Linear(3, 2)
        opt = mg.optim.Adam(net.parameters(), lr=1e-2)
        baseline = 0.0
        for ep in range(4):
            logps, rewards = [], []
            for t in range(5):
                p = net(mg.randn(3)).softmax(-1)
                a = int(mg.multinomial(p.detach(), 1).item())
                logps.append(p[a].log())
                rewards.append(float(a))
            ret = sum(rewards)
            baseline = 0.9 * baseline + 0.1 * ret
            loss = -(mg.stack(logps) * (ret - baseline)).sum()
            opt.zero_grad()
            loss.backward()
            opt.step()
    """,
    "gradients accumulated over four batches": """
        net = nn.Linear(2, 1)
        opt = mg.optim.SGD(net.parameters(), lr=0.1)
        for step in range(8):
            loss = (net(mg.randn(3, 2)) ** 2).mean() / 4
            loss.backward()
            if (step + 1) % 4 == 0:
                nn.utils.clip_grad_norm_(net.parameters(), 1.0)
                opt.step()
                opt.zero_grad()
    """,
    "checkpointing": """
        from minigrad.utils.checkpoint import checkpoint
        a, b = nn.Linear(2, 4), nn.Linear(4, 1)
        opt = mg.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1)
        for _ in range(3):
            opt.zero_grad()
            h = checkpoint(lambda x: a(x).tanh(), mg.randn(3, 2), use_reentrant=False)
            (b(h) ** 2).mean().backward()
            opt.step()
    """,
    "a meta-gradient": """
        w = mg.randn(2, requires_grad=True)
        opt = mg.optim.SGD([w], lr=0.01)
        for _ in range(3):
            opt.zero_grad()
            total = 0.0
            for task in range(2):
                x = mg.randn(5, 2)
                y = x.sum(1)
                inner = ((x @ w - y) ** 2).mean()
                (g,) = mg.autograd.grad(inner, w, create_graph=True)
                fast = w - 0.1 * g
                total = total + ((x @ fast - y) ** 2).mean()
            total.backward()
            opt.step()
    """,
    "a body that is thawed later": """
        body = nn.Sequential(nn.Linear(2, 4), nn.ReLU())
        head = nn.Linear(4, 1)
        for p in body.parameters(): p.requires_grad_(False)
        opt = mg.optim.Adam(filter(lambda p: p.requires_grad, [*body.parameters(), *head.parameters()]), lr=0.1)
        for _ in range(3):
            opt.zero_grad()
            (head(body(mg.randn(3, 2))) ** 2).mean().backward()
            opt.step()
        for p in body.parameters(): p.requires_grad_(True)
        opt.add_param_group({"params": list(body.parameters())})
        for _ in range(3):
            opt.zero_grad()
            (head(body(mg.randn(3, 2))) ** 2).mean().backward()
            opt.step()
    """,
    "an optimiser for the head alone": """
        body = nn.Sequential(nn.Linear(2, 4), nn.Tanh())
        head = nn.Linear(4, 1)
        opt = mg.optim.Adam(head.parameters(), lr=0.1)
        for _ in range(4):
            opt.zero_grad()
            (head(body(mg.randn(3, 2))) ** 2).mean().backward()
            opt.step()
    """,
    "LBFGS with its closure": """
        w = mg.tensor([3.0, -2.0], requires_grad=True)
        opt = mg.optim.LBFGS([w], lr=0.5, max_iter=5)
        def closure():
            opt.zero_grad()
            loss = ((w - 1) ** 2).sum()
            loss.backward()
            return loss
        for _ in range(3): opt.step(closure)
    """,
    "a learning-rate schedule": """
        net = nn.Linear(2, 1)
        opt = mg.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
        sch = mg.optim.lr_scheduler.CosineAnnealingLR(opt, 5)
        best, losses = 1e9, []
        for _ in range(5):
            opt.zero_grad()
            loss = (net(mg.randn(3, 2)) ** 2).mean()
            loss.backward()
            opt.step()
            sch.step()
            losses.append(loss.item())
            best = min(best, loss.item())
    """,
    "a straight-through estimator": """
        w = mg.randn(4, requires_grad=True)
        opt = mg.optim.SGD([w], lr=0.1)
        for _ in range(3):
            opt.zero_grad()
            q = w + (w.round() - w).detach()
            ((q - 1) ** 2).sum().backward()
            opt.step()
    """,
    "tied weights": """
        emb = nn.Embedding(6, 3)
        out = nn.Linear(3, 6, bias=False)
        out.weight = emb.weight
        opt = mg.optim.SGD(emb.parameters(), lr=0.1)
        for _ in range(3):
            opt.zero_grad()
            F.cross_entropy(out(emb(mg.tensor([0, 2, 4])).tanh()), mg.tensor([1, 3, 5])).backward()
            opt.step()
    """,
    "adversarial examples": """
        net = nn.Linear(2, 2)
        opt = mg.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(3):
            x = mg.randn(4, 2).requires_grad_()
            y = mg.tensor([0, 1, 0, 1])
            F.cross_entropy(net(x), y).backward()
            x_adv = (x + 0.1 * x.grad.sign()).detach()
            opt.zero_grad()
            F.cross_entropy(net(x_adv), y).backward()
            opt.step()
    """,
    "batch norm, dropout and ReLU in place": """
        net = nn.Sequential(nn.Linear(2, 4), nn.BatchNorm1d(4), nn.ReLU(inplace=True), nn.Dropout(0.2), nn.Linear(4, 1))
        opt = mg.optim.AdamW(net.parameters(), lr=0.01)
        net.train()
        for _ in range(4):
            opt.zero_grad(set_to_none=True)
            loss = F.mse_loss(net(mg.randn(8, 2)), mg.randn(8, 1))
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
        net.eval()
        with mg.no_grad(): print(net(mg.randn(3, 2)).mean().item())
    """,
    "a state that is detached between chunks": """
        cell = nn.RNNCell(2, 3)
        out = nn.Linear(3, 1)
        opt = mg.optim.SGD([*cell.parameters(), *out.parameters()], lr=0.1)
        h = mg.zeros(1, 3)
        for chunk in range(3):
            h = h.detach()
            opt.zero_grad()
            loss = 0.0
            for t in range(4):
                h = cell(mg.randn(1, 2), h)
                loss = loss + (out(h) ** 2).mean()
            loss.backward()
            opt.step()
    """,
    "an outer product that is meant": """
        pos = mg.arange(4.0).view(4, 1)
        freq = mg.ones(4, requires_grad=True)
        ang = pos * freq
        (ang.sin() + ang.cos()).mean().backward()
        print(freq.grad)
    """,
    "a transformer layer": """
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        opt = mg.optim.Adam(layer.parameters(), lr=1e-3)
        for _ in range(2):
            opt.zero_grad()
            layer(mg.randn(2, 5, 8)).pow(2).mean().backward()
            opt.step()
    """,
    "rows of a Hessian": """
        x = mg.tensor([1.0, 2.0], requires_grad=True)
        y = (x ** 3).sum()
        (g,) = mg.autograd.grad(y, x, create_graph=True)
        rows = [mg.autograd.grad(g[i], x, retain_graph=True)[0] for i in range(2)]
        print(mg.stack(rows))
    """,
    "two heads and two passes": """
        shared = nn.Linear(2, 3)
        a, b = nn.Linear(3, 1), nn.Linear(3, 1)
        opt = mg.optim.SGD([*shared.parameters(), *a.parameters(), *b.parameters()], lr=0.05)
        for _ in range(4):
            opt.zero_grad()
            h = shared(mg.randn(4, 2)).tanh()
            la, lb = (a(h) ** 2).mean(), (b(h) ** 2).mean()
            la.backward(retain_graph=True)
            lb.backward()
            opt.step()
    """,
    "a gradient penalty": """
        critic = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
        opt = mg.optim.Adam(critic.parameters(), lr=1e-3)
        for _ in range(3):
            x = mg.randn(4, 2, requires_grad=True)
            (g,) = mg.autograd.grad(critic(x).sum(), x, create_graph=True)
            gp = ((g.norm(dim=1) - 1) ** 2).mean()
            opt.zero_grad()
            (critic(x).mean() + 10 * gp).backward()
            opt.step()
    """,
    "a variational autoencoder": """
        enc, dec = nn.Linear(4, 4), nn.Linear(2, 4)
        opt = mg.optim.Adam([*enc.parameters(), *dec.parameters()], lr=1e-3)
        for _ in range(3):
            x = mg.rand(5, 4)
            mu, logvar = enc(x).chunk(2, 1)
            z = mu + (0.5 * logvar).exp() * mg.randn(5, 2)
            rec = F.binary_cross_entropy_with_logits(dec(z), x)
            kl = -0.5 * (1 + logvar - mu ** 2 - logvar.exp()).mean()
            opt.zero_grad()
            (rec + kl).backward()
            opt.step()
    """,
    "a target network that follows": """
        net, target = nn.Linear(3, 2), nn.Linear(3, 2)
        target.load_state_dict(net.state_dict())
        opt = mg.optim.Adam(net.parameters(), lr=1e-2)
        for i in range(4):
            s, s2, a, r = mg.randn(6, 3), mg.randn(6, 3), mg.tensor([0, 1, 0, 1, 1, 0]), mg.randn(6)
            with mg.no_grad(): y = r + 0.9 * target(s2).max(1)[0]
            q = net(s).gather(1, a.view(-1, 1)).squeeze(1)
            loss = F.smooth_l1_loss(q, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            with mg.no_grad():
                for p, t in zip(net.parameters(), target.parameters()): t.mul_(0.9).add_(0.1 * p)
    """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_training_as_people_rightly_write_it(healthy: Callable[[str], None], program: str) -> None:
    lines = [line.removeprefix("        ") for line in program.splitlines()]
    healthy("import minigrad as mg\nnn, F = mg.nn, mg.nn.functional\nmg.manual_seed(0)\n" + "\n".join(lines) + "\n")
