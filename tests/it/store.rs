//! The suite that every store passes: one list of cases, stamped for each backend, calm and under faults.
//!
//! A case is an `async fn` over a [`Bed`]: a fresh store and its clock. No case sleeps.

use steadfast::store::Limits;

use crate::support::bed::Bed;

mod ahead;
mod backlog;
mod broken;
mod chats;
mod counts;
mod dialogue;
mod file;
mod histories;
mod lanes;
mod moving;
mod pace;
mod races;
mod replicas;
mod settling;
mod timers;
mod tries;

/// Makes a module of the suite for a backend, given as what makes its bed at a pace.
macro_rules! suite {
    ($backend:ident, $bed:expr) => {
        suite! { $backend, $bed;
            dialogue: [
                an_unknown_dialogue_is_blank,
                a_commit_loads_back,
                a_body_comes_back_byte_for_byte,
                a_body_over_the_ceiling_is_refused,
                an_update_counts_once,
                a_stale_version_conflicts,
                a_conflict_changes_nothing,
                a_version_is_never_used_twice,
                a_turn_that_took_too_long_is_refused,
                the_same_turn_again_answers_the_same,
                the_same_turn_again_after_another_knows_its_lanes,
                a_number_in_the_middle_of_a_mark_was_not_seen,
                the_same_turn_again_after_another_is_a_duplicate,
                a_timer_or_an_order_is_never_marked_as_seen,
                an_idle_dialogue_is_forgotten,
                a_dialogue_in_use_is_never_forgotten,
                a_seen_update_is_remembered_for_two_days,
                the_oldest_of_too_many_marks_makes_room,
                an_old_mark_makes_room_uncounted,
                keys_of_all_shapes_are_apart,
                the_sequence_grows_with_every_commit,
                unfinished_jobs_of_the_home_are_pending,
            ]
            tries: [
                a_try_is_noted_once_per_turn,
                causes_that_alternate_are_each_counted,
                the_cause_noted_longest_ago_makes_room,
                a_commit_ends_the_tries_of_its_cause_alone,
                a_conflict_tells_the_tries_of_its_cause,
                a_cause_taken_back_to_nothing_leaves_its_place,
                a_commit_ends_the_tries,
                a_try_does_not_keep_an_idle_dialogue,
                blame_without_a_record_makes_one,
                a_commit_expects_the_version_that_blame_made,
                blame_is_noted_once_per_turn,
                a_try_is_taken_back_once,
                tries_side_by_side_are_each_taken_back,
                the_oldest_of_too_many_tries_stays_on_record,
                nobody_to_pardon_is_fine,
            ]
            timers: [
                timers_come_when_due_and_earliest_first,
                a_sweep_is_bounded_per_partition,
                timers_on_hold_are_left_alone,
                a_moved_timer_is_due_once,
                timers_that_were_put_off_hide_none_that_is_due,
                a_timer_put_off_beyond_a_hold_is_not_held,
                an_idle_dialogue_has_no_timer,
                a_dialogue_begun_anew_is_due_when_it_says,
                dialogues_that_are_over_hide_no_timer_that_is_due,
                what_is_due_does_not_wait_for_what_is_over,
                timers_that_move_among_others_double_none,
            ]
            counts: [
                every_label_is_counted,
                a_count_moves_with_its_dialogue,
                nobody_is_not_listed,
                an_unknown_dialogue_is_nobody,
                everybody_is_paged_through,
                people_are_found_by_label,
                who_has_finished_is_found_no_more,
                who_stays_is_found_however_others_move,
                every_dialogue_of_a_person_is_found_idle_or_not,
            ]
            lanes: [
                an_idle_lane_is_leased_to_the_committer,
                a_busy_lane_keeps_its_holder,
                a_lane_is_worked_in_order,
                done_again_answers_the_next_one,
                the_last_done_again_is_empty,
                a_lane_of_another_is_stale,
                an_expired_lease_is_claimed_once,
                an_expired_lease_is_still_its_holders_until_claimed,
                a_retried_lane_waits,
                a_lane_of_another_is_not_retried,
                a_renewed_lease_lasts,
                a_lost_lease_is_told,
                a_push_happens_once,
                a_push_is_forgotten_after_two_days,
                a_push_to_a_busy_lane_waits,
                lanes_of_a_chat_are_apart,
                a_buried_effect_leaves_a_letter,
                a_letter_is_buried_once,
                a_claim_nobody_heard_of_comes_back,
                a_lane_whose_lease_ran_out_is_told_from_one_whose_delay_is_over,
                a_clock_that_is_set_back_holds_up_no_lane,
                an_effect_is_the_same_however_it_counts,
                what_waits_is_seen_in_order_and_left_alone,
                what_waits_to_be_sent_can_be_dropped,
                who_held_a_dropped_lane_does_no_harm,
            ]
            ahead: [
                what_is_free_soon_is_granted_in_a_block,
            ]
            pace: [
                a_burst_goes_at_once_and_then_the_pace,
                a_head_is_reserved_once,
                a_head_that_went_late_counts_from_then_on,
                a_head_that_went_long_after_its_time_counts_all_the_same,
                what_goes_late_by_both_lanes_counts_twice,
                a_head_given_back_keeps_its_place,
                a_lapsed_lease_keeps_the_place_of_its_head,
                groups_obey_the_longer_wait,
                messages_and_broadcasts_share_the_pace,
                jobs_never_wait,
                a_pace_is_forgotten_after_a_rest,
                sendings_are_granted_up_to_the_burst,
                a_freeze_stops_all_grants,
                a_clock_that_is_set_back_holds_up_no_sending,
                a_clock_that_is_set_back_holds_up_no_broadcast,
                a_clock_that_is_set_back_makes_no_freeze_longer,
                a_clock_that_is_set_back_holds_up_no_chat,
                a_clock_that_is_set_back_makes_no_hold_longer,
                what_counts_as_several_waits_for_as_many,
                replies_go_before_broadcasts,
                a_hold_puts_off_messages_and_broadcasts,
                a_hold_puts_off_a_head_that_had_its_time,
            ]
            chats: [
                a_named_message_is_found,
                a_name_lasts_two_days_after_its_last_note,
                a_note_outlives_a_lost_answer,
                a_stale_holder_notes_nothing,
                a_note_that_comes_late_leaves_the_name_to_a_newer_message,
                a_note_is_kept_unless_the_lane_is_anothers,
                a_blocked_chat_is_pushed_nothing,
                a_blocked_home_gets_no_messages_but_its_jobs,
                the_same_turn_again_dropped_as_many,
                an_update_ends_a_block,
                without_limits_all_is_granted,
                without_limits_a_hold_puts_off_messages_and_broadcasts,
                a_block_can_be_asked_for,
                who_wrote_since_a_refusal_is_not_blocked,
            ]
            moving: [
                a_group_that_became_another_chat_is_known_by_both,
                a_dialogue_moves_with_all_it_has,
                what_was_seen_in_the_old_chat_stays_seen,
                nothing_to_move_is_fine,
                a_dialogue_that_is_there_already_stays,
                records_of_the_old_chat_are_waited_for,
                messages_to_the_old_chat_are_waited_for,
                a_move_that_broke_off_is_found_by_its_timer,
                a_move_that_breaks_off_anywhere_is_finished,
                many_who_move_a_dialogue_make_one,
                a_turn_and_a_move_do_not_both_win,
            ]
            settling: [
                settled_jobs_are_taken_off,
                what_is_left_stays_with_its_holder,
                new_jobs_follow_what_is_left,
                a_settled_lane_is_leased_anew,
                only_the_head_is_settled,
                only_the_holder_settles,
                the_same_turn_settles_once,
            ]
            backlog: [
                an_empty_store_has_no_backlog,
                lanes_with_work_are_counted_with_the_oldest,
                the_oldest_lane_is_told_of_each_kind,
                lanes_of_broadcasts_are_counted_apart,
                the_age_of_a_lane_outlives_its_holders,
                letters_are_counted_and_removed,
                letters_that_make_room_are_counted,
            ]
            replicas: [
                a_lease_has_one_holder,
                a_fence_grows_with_every_holder,
                a_lease_that_ran_out_is_taken,
                a_lease_of_another_is_not_released,
                a_clock_that_is_set_back_makes_no_lease_longer,
                a_clock_that_is_set_back_keeps_no_silent_replica_and_no_outage,
                replicas_hear_of_each_other,
                a_silent_replica_is_gone,
                a_silence_of_all_is_an_outage,
                a_silence_of_one_is_no_outage,
                signing_off_does_not_hide_an_outage,
                a_value_is_kept_under_its_name,
                a_value_is_kept_over_the_expected_one_only,
                of_racing_values_one_is_kept,
                letters_are_kept_newest_first,
                only_so_many_letters_are_kept,
                a_commit_may_leave_a_letter,
                a_store_that_is_there_can_be_pinged,
            ]
            races: [
                racing_commits_lose_nothing,
                racing_claims_have_one_winner,
                racing_turns_of_one_update_have_one_winner,
                racing_pushes_happen_once,
            ]
        }
    };
    ($backend:ident, $bed:expr; $($topic:ident: [$($case:ident,)*])*) => {
        mod $backend {
            use super::*;
            $($(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $case() {
                    let lay = $bed;
                    let bed = lay(limits(stringify!($topic))).await;
                    super::$topic::$case(&bed).await;
                }
            )*)*
        }
    };
}

suite!(memory, Bed::memory_with);
suite!(embedded, Bed::embedded_with);
suite!(redis, Bed::redis_with);
suite!(redis_by_slots, Bed::slots_with);
suite!(faulty_memory, |limits| faulty(Bed::memory_with(limits)));
suite!(faulty_embedded, |limits| faulty(Bed::embedded_with(limits)));
suite!(faulty_redis, |limits| faulty(Bed::redis_with(limits)));

/// Only where paces are the topic are there any.
fn limits(topic: &str) -> Limits {
    match topic {
        "ahead" => ahead::LIMITS,
        "pace" => pace::LIMITS,
        _ => Limits::default(),
    }
}

#[test]
fn embedded_agrees_with_memory() {
    histories::agrees_with_memory(Bed::embedded_with);
}

#[test]
fn redis_agrees_with_memory() {
    histories::agrees_with_memory(Bed::redis_with);
}

/// The bed with faults by a fresh seed, which is printed so that a failure can be repeated.
async fn faulty(bed: impl Future<Output = Bed>) -> Bed {
    let seed = std::env::var("STORE_SEED").ok();
    let seed = seed.map_or_else(rand::random, |seed| seed.parse().expect("a number"));
    println!("to repeat: STORE_SEED={seed}");
    bed.await.faulty(seed)
}
