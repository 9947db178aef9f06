//! Working: tasks are ticked off, at a word or by photos that show it.

use super::{ShiftFlow, find, list, now};
use crate::pay::Task;
use crate::records::shift::{CompleteTask, MOST_PHOTOS, Running};
use steadfast::dialogue::prelude::*;

pub(super) fn at_tasks(shift: Running, proof: Option<String>, turn: &Turn) -> Answer<ShiftFlow> {
    if let Some(page) = turn.page() {
        return Ok(goto(ShiftFlow::Tasks { shift, page, proof }));
    }
    if let (Input::Photo(part), Some(task)) = (&turn.input, proof.clone())
        && turn.is_late(part)
    {
        return Ok(rest(shift, &task, part, turn, |shift| list(shift, proof)));
    }
    match turn.choice("shift-tasks-hint")? {
        "close" => {
            let until = now(turn);
            Ok(goto(ShiftFlow::Close { shift, until }))
        }
        chosen => {
            let task = find(&shift, chosen).map(|task| task.id.clone());
            let task = task.ok_or_else(|| hint("shift-tasks-hint"))?;
            Ok(goto(ShiftFlow::Task { shift, task }))
        }
    }
}

/// A photo shows at once that it is done; what needs none is done at a word.
pub(super) fn at_task(shift: Running, task: String, turn: &Turn) -> Answer<ShiftFlow> {
    let Some(Task { media, photos, .. }) = find(&shift, &task).cloned() else {
        return Ok(goto(list(shift, None)));
    };
    match &turn.input {
        Input::Photo(part) if turn.is_late(part) && photos > 0 => {
            let next = |shift| ShiftFlow::Task { shift, task: task.clone() };
            Ok(rest(shift, &task, part, turn, next))
        }
        Input::Photo(_) if photos >= MOST_PHOTOS => {
            Err(hint(text("shift-enough-photos").with("max", MOST_PHOTOS)))
        }
        Input::Photo(photo) => {
            let record = completed(&shift, &task, Some(photo.file_id.clone()), turn);
            let shift = ticked(shift, &task, 1);
            Ok(goto(ShiftFlow::Task { shift, task }).record(record))
        }
        Input::Choice(chosen) if chosen == "done" && (!media || photos > 0) => {
            let record = completed(&shift, &task, None, turn);
            let shift = ticked(shift, &task, 0);
            Ok(goto(list(shift, Some(task))).record(record))
        }
        Input::Choice(chosen) if chosen == "back" => Ok(goto(list(shift, Some(task)))),
        _ if media => Err(hint("shift-photo-hint")),
        _ => Err(hint("shift-done-hint")),
    }
}

/// The rest of an album is taken in silence, as far as there is room for it.
fn rest(
    shift: Running,
    task: &str,
    part: &Photo,
    turn: &Turn,
    next: impl FnOnce(Running) -> ShiftFlow,
) -> Step<ShiftFlow> {
    if find(&shift, task).is_none_or(|task| task.photos >= MOST_PHOTOS) {
        return keep(next(shift));
    }
    let record = completed(&shift, task, Some(part.file_id.clone()), turn);
    keep(next(ticked(shift, task, 1))).record(record)
}

/// The shift with this task done, and so many more photos of it.
fn ticked(mut shift: Running, id: &str, photos: usize) -> Running {
    let mut tasks = shift.terms.tasks.iter_mut();
    if let Some(task) = tasks.find(|task| task.id == id) {
        task.done = true;
        task.photos += photos;
    }
    shift
}

fn completed(shift: &Running, task: &str, photo: Option<String>, turn: &Turn) -> CompleteTask {
    CompleteTask { shift: shift.id.clone(), task: task.to_owned(), photo, at: now(turn) }
}
