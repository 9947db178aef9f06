//! Transcripts of conversations, from either side.

use serde_json::json;

use super::*;
use crate::flows;
use crate::records::colleague::Colleague;
use crate::records::support::{Ask, Claim, ENDED, EndConversation};
use crate::role::{DISPATCHER, MASTER, WORKER};
use steadfast::dialogue::Refusal;
use steadfast::records::member::NOT_ALLOWED;

const ID: &str = "9.1760000000";

fn person(id: i64, name: &str, language: &str) -> Colleague {
    Colleague { id, name: name.to_owned(), language: language.to_owned() }
}

/// A conversation between these.
fn between(asks: Colleague, answers: Option<Colleague>) -> Conversation {
    Conversation {
        id: ID.to_owned(),
        person: asks,
        dispatcher: answers,
        is_open: true,
        opened_at: 1_760_000_000_000,
    }
}

fn me() -> Colleague {
    person(5001, "Anna", "en")
}

fn ivan() -> Colleague {
    person(6001, "Ivan", "ru")
}

/// Somebody who asks; two dispatchers hear it.
fn worker(bot: &Repertoire) -> TestChat<'_> {
    let mut chat = TestChat::new(bot, flows::edges());
    chat.is([WORKER])
        .knows(read("own_conversation", ""), json!(null))
        .knows(read("other_colleagues", DESK_ROLES), [ivan(), person(6002, "Dora", "en")]);
    // Nothing is known yet of what is asked in the second or third turn.
    for turn in ["2.1760000002000", "3.1760000003000"] {
        chat.knows(read("conversation", turn), json!(null));
    }
    chat
}

/// Somebody who answers; Olga has asked.
fn dispatcher(bot: &Repertoire) -> TestChat<'_> {
    let mut chat = worker(bot);
    chat.is([DISPATCHER]);
    let olgas = between(person(8001, "Olga", "ru"), None);
    chat.knows(read("conversation", ID), &olgas).knows(read("conversations", ""), [olgas]);
    chat
}

fn refusal(reason: &str, command: impl Serialize) -> Input {
    Input::Refused(Refusal {
        flow: "support".to_owned(),
        reason: reason.to_owned(),
        command: json!(command),
    })
}

fn claim(over: bool) -> Claim {
    Claim { conversation: ID.to_owned(), over }
}

#[test]
fn a_question_reaches_everybody_who_could_answer_with_a_button() {
    let bot = flows::all();
    let mut chat = worker(&bot);
    chat.types("/support").at("support/question").hears("to ask?");
    chat.does(Input::Other("voice")).at("support/question").hears("texts and photos");
    chat.types("Where is the key?").at("support/talking").hears("pass on");
    let conversation = "3.1760000003000".to_owned();
    chat.records(Ask { conversation });
    chat.tells(6001, "<b>Anna</b>: Where is the key?").tells(6002, "Where is the key?");
    assert_eq!(chat.button("↩️ Reply"), "lsupport.reply 3.1760000003000");
}

#[test]
fn a_question_is_asked_in_russian() {
    let bot = flows::all();
    let mut chat = worker(&bot).in_language("ru");
    chat.types("/support").hears("спросить").types("Где ключ?").hears("диспетчерам");
    chat.tells(6001, "Где ключ?");
}

#[test]
fn what_else_is_written_goes_to_the_one_who_answers() {
    let bot = flows::all();
    let mut chat = worker(&bot);
    chat.knows(read("own_conversation", ""), between(me(), Some(ivan())))
        .knows(read("conversation", ID), between(me(), Some(ivan())));
    chat.types("/support").at("support/talking").types("And the lamp?").at("support/talking");
    chat.tells(6001, "And the lamp?").records(Ask { conversation: ID.to_owned() });
    chat.sends_photo("p", None, Some("this one")).at("support/talking").tells(6001, "this one");
    chat.does(Input::Other("sticker")).hears("texts and photos");
    let told = &chat.played().unwrap().effects;
    assert_eq!(told.len(), 1, "nobody else is told");
}

#[test]
fn whoever_asked_may_end_it_or_leave_it() {
    let bot = flows::all();
    let mut chat = worker(&bot);
    chat.knows(read("own_conversation", ""), between(me(), Some(ivan())))
        .knows(read("conversation", ID), between(me(), Some(ivan())));
    chat.types("/support").presses("⏸ Leave it for now").at("idle").hears("stays open");
    chat.does(Input::Press(format!("lsupport.talk {ID}"))).at("support/talking");
    chat.presses("🏁 End the conversation").at("idle").hears("has ended");
    chat.records(EndConversation { conversation: ID.to_owned() }).tells(6001, "Anna");
}

/// The dispatcher has ended it: what is written next is a new question.
#[test]
fn what_is_written_after_the_end_is_a_new_question() {
    let bot = flows::all();
    let mut chat = worker(&bot);
    let ended = Conversation { is_open: false, ..between(me(), Some(ivan())) };
    chat.knows(read("own_conversation", ""), between(me(), Some(ivan())))
        .knows(read("conversation", ID), between(me(), Some(ivan())));
    chat.types("/support").knows(read("conversation", ID), &ended).types("Hello again");
    chat.at("support/talking").tells(6002, "Hello again");
    chat.types("/cancel").does(Input::Press(format!("lsupport.talk {ID}"))).at("support/question");
    chat.hears("has ended");
}

#[test]
fn where_nobody_can_answer_that_is_said() {
    let bot = flows::all();
    let mut chat = worker(&bot);
    chat.knows(read("other_colleagues", DESK_ROLES), json!([]));
    chat.types("/support").types("Anybody?").at("idle").hears("nobody to answer");
}

/// The only one who answered has lost the role, and nobody else is there: what is written is not passed on, and that is said.
#[test]
fn where_nobody_can_answer_any_more_that_is_said() {
    let bot = flows::all();
    let mut chat = worker(&bot);
    chat.knows(read("own_conversation", ""), between(me(), None))
        .knows(read("conversation", ID), between(me(), None))
        .knows(read("relayed", "77"), between(me(), None))
        .knows(read("other_colleagues", DESK_ROLES), json!([]));
    let says_so = |chat: &mut TestChat<'_>| {
        chat.at("idle").hears("nobody to answer");
        let effects = chat.played().unwrap().effects.len();
        assert_eq!(effects, 1, "nothing is recorded");
    };
    chat.types("/support").at("support/talking").types("Anybody?");
    says_so(&mut chat);
    chat.replies(77, "Anybody?");
    says_so(&mut chat);
}

#[test]
fn a_forged_link_does_not_enter_the_conversation_of_others() {
    let bot = flows::all();
    let mut chat = worker(&bot);
    let olgas = between(person(8001, "Olga", "ru"), Some(ivan()));
    chat.knows(read("conversation", ID), olgas);
    chat.does(Input::Press(format!("lsupport.talk {ID}"))).at("support/question");
}

#[test]
fn who_replies_first_answers_and_what_they_write_is_passed_on() {
    let bot = flows::all();
    let mut chat = dispatcher(&bot);
    chat.does(Input::Press(format!("lsupport.reply {ID}"))).at("support/answering").hears("Olga");
    chat.records(claim(false));
    chat.types("Under the mat").at("support/answering").records(claim(false));
    chat.tells(8001, "<b>Anna</b>: Under the mat");
    assert_eq!(chat.button("↩️ Написать"), format!("lsupport.talk {ID}"));
    chat.sends_photo("p", None, None).tells(8001, "Anna");
    chat.does(Input::Other("voice")).hears("texts and photos");
    chat.presses("🏁 End the conversation").at("idle").tells(8001, "окончен");
}

#[test]
fn who_was_not_first_is_told_who_was_and_may_take_over() {
    let bot = flows::all();
    let mut chat = dispatcher(&bot);
    chat.does(Input::Press(format!("lsupport.reply {ID}"))).at("support/answering");
    chat.does(refusal("claimed Ivan", claim(false))).at("idle").hears("Ivan is answering already");
    chat.knows(read("conversation", ID), between(person(8001, "Olga", "ru"), Some(ivan())));
    chat.presses("🙋 Take over").at("support/answering").records(claim(true));
    chat.tells(6001, "отвечает Anna");
    chat.does(refusal(ENDED, claim(false))).at("idle").hears("has ended");
    chat.does(refusal(NOT_ALLOWED, claim(false))).hears("for others");
    chat.does(refusal("", claim(false))).hears("could not be passed on");
}

#[test]
fn an_ended_conversation_cannot_be_gone_on_with() {
    let bot = flows::all();
    let mut chat = dispatcher(&bot);
    chat.does(Input::Press(format!("lsupport.reply {ID}"))).at("support/answering");
    let ended = Conversation { is_open: false, ..between(person(8001, "Olga", "ru"), None) };
    chat.knows(read("conversation", ID), &ended).types("Hello?").at("idle").hears("has ended");
    chat.does(Input::Press(format!("lsupport.reply {ID}"))).at("idle").hears("has ended");
    chat.knows(read("relayed", "77"), ended).replies(77, "Hello?").at("idle").hears("has ended");
}

/// A dispatcher is asked for an address, and answers a message of somebody who asked: that is no address.
#[test]
fn answering_a_message_goes_to_its_conversation_whatever_else_is_asked() {
    let bot = flows::all();
    let mut chat = dispatcher(&bot);
    chat.knows(read("relayed", "77"), between(person(8001, "Olga", "ru"), None))
        .knows(read("relayed", "78"), json!(null));
    chat.types("/order").replies(77, "Under the mat").at("order/equipment").hears("Passed on");
    chat.tells(8001, "Under the mat");
    chat.replies(78, "Lift").at("order/problem");
    assert!(chat.dialogue().parked.is_empty());
}

/// The records are not even asked which message it was.
#[test]
fn in_a_group_an_answer_is_for_whoever_was_answered() {
    let bot = flows::all();
    let mut chat = worker(&bot).in_group();
    chat.knows(read("unfinished_profile", ""), json!(null));
    chat.replies(77, "Thanks").at("idle").hears_nothing();
}

#[test]
fn whoever_asked_answers_a_message_as_well() {
    let bot = flows::all();
    let mut chat = worker(&bot);
    chat.knows(read("relayed", "77"), between(me(), Some(ivan())));
    chat.replies(77, "Thanks").at("idle").hears("Passed on").tells(6001, "Thanks");
}

#[test]
fn those_at_the_desk_find_who_waits() {
    let bot = flows::all();
    let mut chat = dispatcher(&bot);
    chat.types("/support").at("support/inbox").hears("One conversation waits");
    chat.types("Olga").at("support/inbox").hears("press a button");
    chat.presses("🆕 Olga").at("support/answering").records(claim(false));
    chat.types("/back").at("support/inbox");
    let olga = chat.button("🆕 Olga");
    let many: Vec<_> = (0..8)
        .map(|n| Conversation { id: n.to_string(), ..between(person(n, "Max", "en"), Some(me())) })
        .collect();
    chat.knows(read("conversations", ""), many).does(Input::Press(olga)).hears("has ended");
    chat.presses("▶️").edits("support-inbox").at("support/inbox").button("💬 Max");
}

/// They have left it for now; somebody else may take it over.
#[test]
fn what_a_colleague_answers_is_found_after_what_waits() {
    let bot = flows::all();
    let mut chat = dispatcher(&bot);
    let olgas = between(person(8001, "Olga", "ru"), Some(ivan()));
    chat.knows(read("conversations", ""), [olgas.clone()]).knows(read("conversation", ID), olgas);
    chat.types("/support")
        .hears("Nobody waits")
        .presses("👥 Olga · Ivan is answering")
        .records(claim(false));
    chat.does(refusal("claimed Ivan", claim(false)))
        .hears("Ivan is answering already")
        .button("🙋 Take over");
}

#[test]
fn who_answers_and_works_may_ask_too() {
    let bot = flows::all();
    let mut chat = dispatcher(&bot);
    chat.is([DISPATCHER, MASTER]).types("/support").presses("✍️ Ask something yourself");
    chat.at("support/question");
}

#[test]
fn a_conversation_that_pauses_goes_on_by_its_button() {
    let bot = flows::all();
    let mut chat = dispatcher(&bot);
    chat.does(Input::Press(format!("lsupport.reply {ID}")));
    chat.waits(Duration::from_secs(3601)).at("idle").hears("no longer pass on");
    chat.presses("↩️ Write").at("support/answering");
    chat.types("/cancel").types("/support").at("support/inbox");
    chat.waits(Duration::from_secs(3601)).at("idle").hears_nothing();
}

#[test]
fn who_has_not_asked_yet_is_reminded_once_and_then_let_go() {
    let bot = flows::all();
    for (language, words) in [("en", "not asked yet"), ("ru", "ещё ничего не спросили")]
    {
        let mut chat = worker(&bot).in_language(language);
        chat.types("/support").waits(Duration::from_secs(45 * 60));
        chat.at("support/question").hears(words);
        chat.waits(Duration::from_secs(15 * 60)).at("idle").hears_nothing();
    }
}

#[test]
fn a_worker_who_pauses_goes_on_by_the_button_too() {
    let bot = flows::all();
    let mut chat = worker(&bot);
    chat.knows(read("conversation", ID), between(me(), None));
    chat.does(Input::Press(format!("lsupport.talk {ID}"))).at("support/talking");
    chat.waits(Duration::from_secs(3601)).at("idle").presses("↩️ Write").at("support/talking");
    chat.does(refusal("", EndConversation { conversation: "8.1".to_owned() }))
        .at("support/talking");
}

#[test]
fn a_stranger_has_nobody_to_ask() {
    let bot = flows::all();
    let mut chat = worker(&bot);
    chat.is([]).types("/support").at("idle").hears("do not know you yet");
}

/// Their role is taken away while they answer, and while they look at who waits.
#[test]
fn who_is_not_at_the_desk_any_more_reads_and_answers_no_further() {
    let bot = flows::all();
    for roles in [&[WORKER][..], &[]] {
        let mut chat = dispatcher(&bot);
        chat.does(Input::Press(format!("lsupport.reply {ID}"))).at("support/answering");
        chat.is(roles.iter().copied()).types("Under the mat");
        chat.at("idle");
        let effects = &chat.played().unwrap().effects;
        assert_eq!(effects.len(), 1, "nothing but a refusal: {effects:?}");

        let mut chat = dispatcher(&bot);
        chat.types("/support").at("support/inbox");
        let olga = chat.button("🆕 Olga");
        chat.is(roles.iter().copied());
        chat.does(Input::Press(olga)).at("idle");
        let said = chat.played().unwrap().effects.len();
        assert_eq!(said, 1, "nothing but a refusal");
        for stale in ["reply", "take"] {
            chat.does(Input::Press(format!("lsupport.{stale} {ID}"))).at("idle");
            let effects = &chat.played().unwrap().effects;
            assert_eq!(effects.len(), 1, "nothing but a refusal: {effects:?}");
        }
    }
}

#[test]
fn who_is_not_at_the_desk_any_more_is_not_reminded_of_it() {
    let bot = flows::all();
    let mut chat = dispatcher(&bot);
    chat.does(Input::Press(format!("lsupport.reply {ID}")))
        .is([WORKER])
        .waits(Duration::from_secs(3601));
    chat.at("idle").hears_nothing();
}

/// Both have it open; the other one has taken it over.
#[test]
fn who_was_taken_over_from_is_told_who_answers_and_not_that_it_has_ended() {
    let bot = flows::all();
    let end = EndConversation { conversation: ID.to_owned() };
    for (reason, who) in [("claimed Ivan", "Ivan is"), ("claimed", "Somebody else is")] {
        let mut chat = dispatcher(&bot);
        chat.does(Input::Press(format!("lsupport.reply {ID}")))
            .presses("🏁 End the conversation")
            .records(&end);
        chat.does(refusal(reason, &end)).at("idle").hears(who);
        assert_eq!(chat.button("🙋 Take over"), format!("lsupport.take {ID}"));
    }
}

#[test]
fn a_question_is_answered_in_russian_too() {
    let bot = flows::all();
    let mut chat = dispatcher(&bot).in_language("ru");
    chat.types("/support").presses("🆕 Olga").hears("Olga");
    chat.types("Под ковриком").tells(8001, "Под ковриком");
    chat.presses("🏁 Закончить разговор").at("idle");
}
