//! What is no answer: chatter, edits, late parts of albums.

use super::*;

#[test]
fn group_chatter_causes_nothing_at_all() {
    let inputs = [
        Input::Text("lunch?".into()),
        Input::Other("sticker"),
        Input::Edited,
        command("other_bots_command"),
    ];
    for input in inputs {
        let mut turn = Turn::from(input);
        turn.view.key.chat = -100;
        let played = play(&Dialogue::default(), turn).unwrap();
        assert!(!played.changed, "{played:?}");
        assert_eq!(played.dialogue, Dialogue::default());
    }
}

#[test]
fn in_private_what_is_not_understood_gets_a_hint() {
    for input in [Input::Text("hm".into()), Input::Other("sticker")] {
        let played = play(&Dialogue::default(), input).unwrap();
        assert_eq!(said(&played), ["not-understood"]);
        assert_eq!(at(&played.dialogue), "idle");
    }
}

#[test]
fn an_edited_message_is_never_an_answer() {
    for dialogue in
        [Dialogue::default(), waiting("signup", 1, r#"{"at":"name"}"#), waiting("form", 3, "{}")]
    {
        let played = play(&dialogue, Input::Edited).unwrap();
        assert_eq!(played.dialogue.live, dialogue.live);
        let hints = dialogue.live.map(|_| "edited-hint");
        assert_eq!(said(&played), Vec::from_iter(hints));
    }
}

#[test]
fn a_photo_out_of_the_blue_may_open_a_flow() {
    let bot = bot();
    chat(&bot).sends_photo("p", None, None).at("ticket/trouble");
}

#[test]
fn a_late_part_of_an_album_is_no_new_photo() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.sends_photo("p", Some("7"), None).at("ticket/trouble").types("Smoke.").at("idle");
    chat.sends_photo("q", Some("7"), None).at("idle");
    assert!(!chat.played().unwrap().changed);
    chat.sends_photo("r", Some("8"), None).at("ticket/trouble");
    chat.types("/cancel").sends_photo("s", Some("8"), None).at("idle");
    assert!(!chat.played().unwrap().changed);
}
