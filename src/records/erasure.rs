//! Personal data in the tables of the company: what goes when a person is forgotten, and what goes with age.
//!
//! What the books need stays: amounts, times, and who did what by number alone.

use crate::settings::Retention;
use steadfast::records::{PerDatabase, Schema};

const FORGET_ONBOARDING: &str = "DELETE FROM onboarding WHERE user_id = $1";

const FORGET_PHOTOS: &str = "UPDATE photos SET file_id = '', caption = NULL WHERE owner = $1 AND (file_id <> '' OR caption IS NOT NULL)";

/// An open conversation ends with the person who asked. Without the person who answered it waits for another dispatcher.
const FORGET_CONVERSATIONS: &str = "UPDATE conversations SET closed_at = CASE WHEN person = $1 THEN opened_at END, \
     dispatcher = CASE WHEN dispatcher <> $1 THEN dispatcher END \
     WHERE closed_at IS NULL AND (person = $1 OR dispatcher = $1)";

const FORGET_RELAYS: &str = "DELETE FROM relays WHERE chat = $1 OR conversation IN (SELECT id FROM conversations WHERE person = $1)";

/// A downloaded photo stays in its file as long as photos are kept: it is a proof of work.
const FORGET_PROOFS: &str = "UPDATE shift_media SET file_id = '', lost = CASE WHEN path IS NULL THEN COALESCE(lost, 'forgotten') ELSE lost END \
     WHERE file_id <> '' AND shift IN (SELECT id FROM shifts WHERE worker = $1)";

const ERASE_NEWCOMERS: &str = "DELETE FROM onboarding WHERE user_id IN \
     (SELECT user_id FROM onboarding WHERE changed_at < $1 AND profile IS NULL LIMIT 500)";

const ERASE_DRAFTS: &str = "UPDATE onboarding SET draft = NULL WHERE user_id IN \
     (SELECT user_id FROM onboarding WHERE changed_at < $1 AND draft IS NOT NULL LIMIT 500)";

/// The age of a profile counts from when it was finished, whatever is said anew since.
const ERASE_PROFILE_PHONES: PerDatabase = PerDatabase {
    sqlite: "UPDATE onboarding SET \
             profile = CASE WHEN COALESCE(finished_at, changed_at) < $1 THEN json_remove(profile, '$.phone') ELSE profile END, \
             draft = CASE WHEN changed_at < $1 THEN json_remove(draft, '$.phone') ELSE draft END \
             WHERE user_id IN (SELECT user_id FROM onboarding \
             WHERE (COALESCE(finished_at, changed_at) < $1 AND profile LIKE '%\"phone\":%') \
             OR (changed_at < $1 AND draft LIKE '%\"phone\":%') LIMIT 500)",
    postgres: "UPDATE onboarding SET profile = CASE WHEN COALESCE(finished_at, changed_at) < $1 \
               THEN (profile::jsonb - 'phone')::text ELSE profile END, \
               draft = CASE WHEN changed_at < $1 THEN (draft::jsonb - 'phone')::text ELSE draft END \
               WHERE user_id IN (SELECT user_id FROM onboarding \
               WHERE (COALESCE(finished_at, changed_at) < $1 AND profile LIKE '%\"phone\":%') \
               OR (changed_at < $1 AND draft LIKE '%\"phone\":%') LIMIT 500)",
};

/// The number of a client stays while the order is open, because somebody has to call.
const ERASE_CLIENT_PHONES: &str = "UPDATE orders SET phone = '' WHERE id IN \
     (SELECT id FROM orders WHERE closed_at < $1 AND phone <> '' LIMIT 500)";

const ERASE_PHOTOS: &str = "UPDATE photos SET file_id = '', caption = NULL WHERE (id, place) IN (SELECT id, place FROM photos \
     WHERE created_at < $1 AND (file_id <> '' OR caption IS NOT NULL) LIMIT 500)";

const ERASE_PROOFS: &str = "UPDATE shift_media SET file_id = '', lost = CASE WHEN path IS NULL THEN COALESCE(lost, 'expired') ELSE lost END \
     WHERE (shift, task, place) IN (SELECT shift, task, place FROM shift_media \
     WHERE added_at < $1 AND file_id <> '' LIMIT 500)";

/// Adds the statements that remove personal data.
pub(super) fn add(schema: Schema, retention: &Retention) -> Schema {
    let mut schema = schema
        .forget("onboarding", FORGET_ONBOARDING)
        .forget("photos", FORGET_PHOTOS)
        .forget("conversations", FORGET_CONVERSATIONS)
        .forget("relays", FORGET_RELAYS)
        .forget("shift_media", FORGET_PROOFS);
    if let Some(age) = retention.drafts {
        schema = schema.erase_after("onboarding", age, ERASE_NEWCOMERS).erase_after(
            "onboarding",
            age,
            ERASE_DRAFTS,
        );
    }
    if let Some(age) = retention.phones {
        schema = schema.erase_after("onboarding", age, ERASE_PROFILE_PHONES).erase_after(
            "orders",
            age,
            ERASE_CLIENT_PHONES,
        );
    }
    if let Some(age) = retention.photos {
        schema = schema.erase_after("photos", age, ERASE_PHOTOS).erase_after(
            "shift_media",
            age,
            ERASE_PROOFS,
        );
    }
    schema
}
