# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 10. The clinic
#
# *For whom:* you have a script that does not do what it should. *You will be able to:* go from a symptom to the line that causes it,
# without trying things. *Time:* 40 minutes.
#
# Three beliefs to give up: **"the error is on the line that the traceback names"** (that is where it was *noticed*), **"no error, so
# the gradients are right"** (five of our eight patients run through), and **"perhaps another learning rate helps"**.
#
# Eight scripts lie in `tutorials/clinic/`, each small, real, and ill in a way that people report every week. The rounds are always the
# same:
#
# 1. *Complaint*: what does its owner say, and what do **you** suspect?
# 2. *Examination*: run it, recorded.
# 3. *Diagnosis*: what does `explain` say? Does it agree with your suspicion?
# 4. *Mend*: the few lines that change.
#
# Here we make them from Python. In a terminal you would type this, for the diagnosis and to see it happen in the app (more about that at
# the end):
#
# ```sh
# inspector explain tutorials/clinic/1_gan.py
# inspector run tutorials/clinic/1_gan.py
# ```

# %%
import inspector
import minigrad as mg
from inspector.app import snapshot
from inspector.lessons import exercise, guess
from inspector.lessons.clinic import admit, cause, examine, line_of, mend, patients
from inspector.lessons.tasks.lesson_10 import HINTS

print(*patients(), sep="\n")

# %% [markdown]
# ## Patient 1: two losses

# %%
admit("1_gan")

# %% [markdown]
# Read it as a detective. The message says that *something* which backward needs was changed in place. Which lines of this script change
# numbers in place at all? There are not many. Your suspicion, as the number of a line:

# %%
patient = examine("1_gan")
guess("patient 1: the line that spoils it", ..., lambda patient=patient: line_of(patient, "mutated"), hints=HINTS)

# %%
cause(patient)

# %% [markdown]
# An optimiser's step writes to the weights, in place. `generator_loss` was computed on line 23 with the critic's *old* weights, and its nodes saved
# them; by line 30 they are gone. So the culprit is neither the line that raised nor the line of the loss, but an innocent-looking one between
# them. In the picture the evidence is red:

# %%
inspector.draw(patient, around="generator_loss", reach=3)

# %%
mend("1_gan")

# %% [markdown]
# **The rule:** compute a loss right before its backward. (And the critic need not push its gradient into the generator: hence `detach()`, and
# `retain_graph` was only a plaster.)
#
# ## Patient 2: the state that is carried on

# %%
admit("2_hidden_state")

# %% [markdown]
# Each piece has a backward of its own. So which computation do two passes have in common?

# %%
patient = examine("2_hidden_state")
guess(
    "patient 2: the line that is gone through twice",
    ...,
    lambda patient=patient: line_of(patient, "created"),
    hints=HINTS,
)

# %%
cause(patient)
mend("2_hidden_state")

# %% [markdown]
# `hidden` comes from the piece before, and brings its whole past along. The second pass walks on into it and finds the saved values freed. What the
# forum says, `retain_graph=True`, would make each pass go back to the beginning of the book. **The rule:** what is carried from one turn of a loop to the
# next is `detach()`ed, unless you mean to go back through it.
#
# ## Patient 3: a loss made by hand

# %%
admit("3_loss_by_hand")

# %% [markdown]
# Nothing is raised here, so nothing points anywhere. Where does the history end?

# %%
patient = examine("3_loss_by_hand")
guess("patient 3: the line that cuts the history", ..., lambda patient=patient: line_of(patient, "cut"), hints=HINTS)

# %%
cause(patient)
mend("3_loss_by_hand")

# %% [markdown]
# The first error was the better one: *"does not require grad"* was true, and `requires_grad=True` silenced it without giving the number a past.
# Look at what backward had to walk through:

# %%
inspector.draw(patient, task=1)

# %% [markdown]
# Two nodes, and no weight far and wide. **The rule:** never set `requires_grad=True` on a loss. If it lacks a history, find out where it lost it.
#
# ## Patient 4: weights that should start small

# %%
admit("4_scaled_weights")

# %%
patient = examine("4_scaled_weights")
guess("patient 4: the line to mend first", ..., lambda patient=patient: line_of(patient, "created"), hints=HINTS)

# %%
cause(patient)
inspector.draw(patient, around="w1", reach=1)

# %% [markdown]
# *Look for* the double border, the sign of a leaf: the nameless tensor to the left of `w1` has it, and `w1` has not. `w1` *does* require grad, as its owner
# had checked; but so does everything that is computed from a leaf. **The rule:** do all arithmetic first, and then say `requires_grad_()`.

# %%
mend("4_scaled_weights")

# %% [markdown]
# ## Patient 5: the flat line

# %%
admit("5_flat_line")

# %% [markdown]
# Twenty points, twenty predictions. How many differences go into the mean?

# %%
patient = examine("5_flat_line")
guess(
    "patient 5: the number of differences in the loss",
    ...,
    lambda: (mg.zeros(20, 1) - mg.zeros(20)).numel(),
    hints=HINTS,
)

# %%
cause(patient)
mend("5_flat_line")

# %% [markdown]
# It was never the optimiser. There even was a warning; but a training script prints so much. **The rule:** targets have the shape of the predictions. And when a
# loss stops at a number that is *exactly* the variance of the targets, think of this patient.
#
# ## Three patients for you
#
# They are yours: read the complaint and the script, look at the diagnosis, and write the mend as a change of its text. Each exercise is checked by
# running what you return.
#
# **10.1** Patient 6 has NaN in all weights, and a perfectly good loss.

# %%
admit("6_masked_log")

# %%
patient = examine("6_masked_log")
cause(patient)

# %% [markdown]
# `explain` names one product and one index. What arrives there is 0, as you would wish; but p log p has the slope log p + 1, and 0 · ∞ is
# not 0. `where` chooses *values*; it cannot un-compute what it did not choose.


# %%
@exercise("10.1")
def mend_masked_log(script):
    return ...  # script.replace("what it says", "what it should say")


# %% [markdown]
# **10.2** Patient 7 eats memory.

# %%
admit("7_growing_memory")

# %%
patient = examine("7_growing_memory")
cause(patient)


# %%
@exercise("10.2")
def mend_growing_memory(script):
    return ...


# %% [markdown]
# **10.3** Patient 8 ignores its penalty.

# %%
admit("8_penalty")

# %%
patient = examine("8_penalty")
cause(patient)


# %%
@exercise("10.3")
def mend_penalty(script):
    return ...


# %% [markdown]
# <details><summary>Solutions</summary>
#
# **10.1** Give the logarithm something safe where it will not be chosen (1, whose logarithm is 0):
#
# ```python
# @exercise("10.1")
# def mend_masked_log(script):
#     return script.replace("shares.log()", "mg.where(shares > 0, shares, 1.0).log()")
# ```
#
# **10.2** A statistic is a number:
#
# ```python
# @exercise("10.2")
# def mend_growing_memory(script):
#     return script.replace("total += loss", "total += loss.item()")
# ```
#
# **10.3** The pass that makes the gradient has to be recorded itself:
#
# ```python
# @exercise("10.3")
# def mend_penalty(script):
#     return script.replace("critic(between).sum(), between)", "critic(between).sum(), between, create_graph=True)")
# ```
#
# </details>

# %% [markdown]
# ## The same in the app
#
# `inspector run tutorials/clinic/1_gan.py` opens the app on that run, in a terminal. A notebook has none, so here is a picture of it, taken
# now:

# %%
patient = examine("1_gan")
snapshot(patient, "!")

# %% [markdown]
# *Look for* the node that failed, in the middle; the line that it came from, on the left; what it had saved, and who changed that, on the
# right, above the explanation. ▲ in the margin and on the timeline are writes in place. Then:
#
# | key | what it does |
# | --- | --- |
# | `!` | to the error |
# | `V` | back to the write that raised the version |
# | `w` | to the explanation, as you read it above; its steps are links |
# | `←` `→` | one event back, one event on; backwards in time is allowed |
# | `d` | on to the next `backward()` |
# | `?` | all other keys |
#
# In front of a class, let them vote for a line before you press `w`.
#
# ## Before you go
#
# Eight patients, and eight sentences for the wall:
#
# 1. Compute a loss right before its backward.
# 2. What a loop carries on is `detach()`ed.
# 3. Never set `requires_grad=True` on a loss.
# 4. Arithmetic first, `requires_grad_()` last.
# 5. Targets have the shape of predictions.
# 6. `where` does not un-compute what it did not choose.
# 7. A statistic is a number.
# 8. A gradient that goes into a loss is made with `create_graph=True`.
#
# The next script that comes in will be your own. You know the rounds.
#
# *That was the last lesson.* [Back to the syllabus](README.md)
