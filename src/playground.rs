//! The crew that the playground starts with, and the scripts of the load bench.

use super::role::{DISPATCHER, MASTER, OWNER, WORKER};
use steadfast::bot::Playground;
use steadfast::bot::playground::ScriptStep;

const PHOTO: &[ScriptStep] = &[
    ScriptStep::sends_photo("What shall the caption be?"),
    ScriptStep::types("Our new boiler, seen from the stairs", "Thank you!"),
];

const PHOTO_WITHOUT_CAPTION: &[ScriptStep] = &[
    ScriptStep::types("/photo", "Please send me a photo."),
    ScriptStep::sends_photo("What shall the caption be?"),
    ScriptStep::presses("No caption", "Thank you!"),
];

/// Returns the playground of the company.
pub(super) fn playground() -> Playground {
    Playground::new()
        .user("Ann", &[DISPATCHER])
        .user_in("ru", "Вера", &[WORKER])
        .user_in("ru", "Иван", &[MASTER])
        .user("Olga", &[DISPATCHER])
        .user_in("ru", "Павел", &[OWNER])
        .user("Ben", &[WORKER])
        .group("The crew", &["Иван", "Olga", "Павел", "Ben"])
        .variable("MEDIA_DIR", "media")
        .script(PHOTO)
        .script(PHOTO_WITHOUT_CAPTION)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows;
    use steadfast::bot::playground::UserAction;
    use steadfast::dialogue::{TestChat, read};

    #[test]
    fn scripts_fit_the_flows_and_end_where_they_began() {
        let bot = flows::all();
        for script in playground().scripts() {
            let mut chat = TestChat::sketch(&bot);
            chat.knows(read("unfinished_profile", ""), ());
            for step in script {
                match step.action {
                    UserAction::Types(text) => chat.types(text),
                    UserAction::SendsPhoto => chat.sends_photo("a-file", None, None),
                    UserAction::Presses(label) => chat.presses(label),
                };
                chat.hears(step.reply);
            }
            chat.at("idle");
        }
    }
}
