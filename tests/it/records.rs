//! The suite that the records pass on every database: one list of cases, stamped for each.

use steadfast::records::{Database, Fault};

use crate::support::deaf_proxy::Loses;
use crate::support::ears::Ears;
use crate::support::ledger::Ledger;
use crate::support::port::Port;

mod flow;
mod once;
mod opening;
mod orders;
mod outages;
mod people;
mod races;
mod shifts;
mod tables;

/// Makes a module of the suite for a database, given as what makes its ledger.
macro_rules! suite {
    ($database:ident, $ledger:expr) => {
        suite! { $database, $ledger;
            once: [
                a_command_is_applied_once_however_often_it_is_repeated,
                what_was_refused_stays_refused,
                what_is_refused_has_written_nothing,
                an_unknown_command_is_told_from_none,
                a_command_of_another_shape_is_broken,
                a_violated_constraint_is_broken,
                what_is_broken_may_be_mended,
                old_outcomes_are_forgotten,
                reads_see_what_was_applied,
                an_unknown_read_is_not_answered,
            ]
            races: [
                one_of_two_people_gets_the_coupon,
                an_effect_that_races_with_itself_is_applied_once,
                many_people_are_served_at_once,
            ]
            outages: [
                a_database_that_is_away_is_waited_for,
                who_gives_up_leaves_nothing,
            ]
            tables: [
                migrations_run_twice_are_fine,
                many_may_migrate_at_once,
                a_newer_build_may_have_been_here,
                what_can_never_be_read_is_broken,
                connections_are_set_up,
            ]
            people: [
                a_person_is_noted_as_they_show_themselves,
                a_name_may_hold_anything,
                everybody_with_a_private_chat_is_paged_through_once,
                a_role_is_configured_or_given,
                who_is_forgotten_is_a_number,
                old_phone_numbers_go,
                the_number_of_a_profile_goes_in_its_time_whatever_is_said_anew,
                a_draft_is_gone_on_with_in_its_own_topic,
                what_cannot_be_blanked_keeps_nothing_else_from_it,
                what_is_said_anew_takes_the_place_of_a_profile_when_it_is_finished,
                old_photos_and_the_numbers_of_closed_orders_go,
                what_was_not_finished_goes_when_its_dialogue_would,
                the_language_that_was_chosen_is_kept_and_recalled,
                an_invitation_is_made_by_owners_alone_and_used_once,
                an_invitation_lasts_a_week_and_no_longer_than_its_makers_role,
            ]
            orders: [
                an_order_is_there_once_and_has_a_number_of_its_own,
                orders_are_listed_for_those_whom_they_concern,
                however_many_orders_are_open_all_are_listed,
                of_two_masters_one_gets_the_order,
                an_order_is_given_only_as_it_was_seen,
                an_order_is_closed_once_with_one_report,
                an_order_whose_report_is_rejected_stays_open,
                photos_are_kept_in_order,
                colleagues_are_those_with_a_role_who_can_be_written_to,
                who_has_no_other_role_is_a_colleague_by_default,
                who_asks_finds_somebody_else,
                who_has_invited_somebody_hears_what_they_say_of_themselves,
                who_created_an_order_hears_of_it_as_long_as_they_are_at_the_desk,
                a_stranger_opens_no_conversation,
                a_conversation_is_claimed_by_one_and_ended_by_either,
                conversations_of_others_are_found_those_that_wait_first,
                a_conversation_waits_for_anybody_when_its_dispatcher_cannot_answer_any_more,
                who_was_taken_over_from_does_not_end_a_conversation,
                a_refusal_tells_a_name_and_keeps_a_number,
            ]
            shifts: [
                a_shift_comes_to_the_pay_of_364,
                tasks_of_object_and_slot_come_together_everywhere,
                at_the_time_of_a_slot_a_shift_is_opened_for_one,
                whoever_loses_the_role_finishes_what_is_open_and_opens_no_more,
                a_worker_has_one_shift_at_a_time,
                shifts_opened_at_once_have_numbers_of_their_own,
                a_shift_is_closed_once,
                a_task_completed_while_the_shift_closes_counts_or_is_refused,
                what_was_not_seen_is_not_agreed_to,
                what_was_agreed_holds_whatever_is_changed_meanwhile,
                what_does_not_come_to_what_was_shown_is_not_closed,
                what_needs_a_photo_is_done_with_one,
                photos_are_due_until_they_are_kept_or_lost,
                a_photo_that_was_forgotten_or_kept_meanwhile_stays_so,
                a_photo_that_was_kept_is_overdue_when_its_time_is_over,
                everybody_does_only_what_is_theirs,
                only_owners_set_things_up,
                tasks_are_done_in_any_order,
                what_is_out_of_use_is_offered_to_nobody,
                the_last_day_of_an_export_is_whole_where_the_company_is,
                an_object_has_no_more_tasks_than_a_shift_can_carry,
                owners_who_add_tasks_at_once_stay_within_the_bound,
                orders_are_exported_with_their_reports,
            ]
            flow: [
                a_flow_reads_and_takes_a_coupon,
            ]
        }
    };
    ($database:ident, $ledger:expr; $($topic:ident: [$($case:ident,)*])*) => {
        mod $database {
            use super::*;
            $($(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $case() {
                    super::$topic::$case($ledger.await).await;
                }
            )*)*
        }
    };
}

suite!(sqlite, Ledger::sqlite());
suite!(postgres, Ledger::postgres());

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_connection_leaves_nothing() {
    outages::a_killed_connection_leaves_nothing(Ledger::postgres().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_answer_to_a_commit_is_repaired_by_the_repeat() {
    for loses in [Loses::Answer, Loses::Connection] {
        let ledger = Ledger::postgres().await;
        outages::a_lost_answer_to_a_commit_is_repaired_by_the_repeat(ledger, loses).await;
    }
}

#[tokio::test]
async fn a_database_that_is_not_there_is_told_and_its_password_is_not() {
    let (url, ears) = (
        format!("postgres://anna:hunter22@127.0.0.1:{}/shop", Port::hold_for_good()),
        Ears::prick(),
    );
    let fault = opening::gives_up(Database::Postgres(url.into())).await;
    assert!(matches!(fault, Fault::Unavailable(_)), "{fault:?}");
    assert!(!fault.to_string().contains("hunter22"), "{fault}");
    let lines = ears.lines();
    let told = lines.iter().filter(|line| line.contains("not reached yet"));
    assert_eq!(told.count(), 1, "it is not told at every try: {lines:#?}");
}

#[tokio::test]
async fn a_directory_that_cannot_be_made_is_told_by_its_variable() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let told = opening::of_the_server(&file.path().join("data")).await;
    assert!(told.contains("DATA_DIR"), "{told}");
}
