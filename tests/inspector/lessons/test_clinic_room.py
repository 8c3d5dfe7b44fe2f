"""Scripts of the clinic run here, recorded; what gives the answer away is not told; a mend is compared."""

from __future__ import annotations

import pytest

from inspector.explain import explain
from inspector.lessons.clinic import NoSuchPatientError, admit, cause, examine, line_of, mend, patients, script, visit
from inspector.lessons.tasks.lesson_10 import TASKS


def test_there_are_eight_patients_and_their_twins_do_not_count() -> None:
    assert [name[:2] for name in patients()] == [f"{number}_" for number in range(1, 9)]


def test_an_unknown_patient_is_refused_with_the_names_of_the_others() -> None:
    with pytest.raises(NoSuchPatientError, match="no patient '9_flu' in the clinic; there are 1_gan, 2_hidden_state"):
        script("9_flu")


def test_admission_shows_the_complaint_and_every_line_under_its_number(capsys: pytest.CaptureFixture[str]) -> None:
    admit("5_flat_line")
    told = capsys.readouterr().out
    assert told.startswith('Complaint: "Simplest linear regression')
    for number, line in enumerate(script("5_flat_line").splitlines(), 1):
        if number >= 5:
            assert f"{number:3d}  {line}".rstrip() in told.splitlines()


def test_an_examination_tells_the_error_but_not_who_is_to_blame(capsys: pytest.CaptureFixture[str]) -> None:
    trace = examine("1_gan")
    told = " ".join(capsys.readouterr().out.split())
    assert told.startswith("InplaceError: one of the variables needed for gradient computation has been modified")
    assert "Adam" not in told
    assert line_of(trace, "mutated") == 27
    cause(trace)
    assert "Adam.step on line 27" in " ".join(capsys.readouterr().out.split())


def test_a_warning_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    examine("5_flat_line")
    assert capsys.readouterr().out.count("UserWarning: Using a target size") == 1


def test_a_healthy_script_has_no_cause(capsys: pytest.CaptureFixture[str]) -> None:
    cause(visit("5_flat_line_mended").trace)
    assert capsys.readouterr().out == "Nothing to explain: the gradients are as they should be.\n"


def test_a_mend_is_shown_by_the_lines_that_went_and_came(capsys: pytest.CaptureFixture[str]) -> None:
    mend("7_growing_memory")
    assert capsys.readouterr().out == "-     total += loss\n+     total += loss.item()\n"


def test_a_script_is_run_with_changes_and_places_name_it() -> None:
    text = script("4_scaled_weights").replace("* 0.5", "* 0.25")
    (finding,) = explain(visit("4_scaled_weights", text).trace)
    assert {place.file for place in finding.locations} == {"4_scaled_weights.py"}
    assert "mg.randn(2, 8, requires_grad=True) * 0.25" in finding.sentence


def test_who_changes_nothing_or_breaks_the_script_is_told_so() -> None:
    task = TASKS["10.2"]
    assert "nothing has changed" in task.complaint(lambda script: script.replace("absent", ""))
    assert "return the text" in task.complaint(lambda script: None)
    assert "AttributeError" in task.complaint(lambda script: script.replace("+= loss", "+= loss.itme()"))
    assert "SyntaxError" in task.complaint(lambda script: script.replace("+= loss", "+= loss.item("))


def test_any_sound_mend_will_do() -> None:
    assert TASKS["10.2"].complaint(lambda script: script.replace("+= loss", "+= loss.detach()")) == ""
    assert TASKS["10.1"].complaint(lambda script: script.replace("shares.log()", "(shares + 1e-6).log()")) == ""
