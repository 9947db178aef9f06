//! The business data of the company: a file for each kind of record, with its commands and lookups.

use super::Company;
use steadfast::records::{Migration, Schema};

pub mod colleague;
mod erasure;
pub mod export;
pub mod invitation;
pub mod object;
pub mod onboarding;
pub mod order;
pub mod photo;
pub mod proof;
pub mod report;
pub mod sample;
pub mod shift;
pub mod slot;
pub mod support;
pub mod task;

/// The migrations of the company.
const MIGRATIONS: &[Migration] = &[
    Migration::new(100, "orders", include_str!("records/migrations/0100_orders.sql")),
    Migration::new(101, "shifts", include_str!("records/migrations/0101_shifts.sql")),
    Migration::new(102, "joining", include_str!("records/migrations/0102_joining.sql")),
];

/// Everything that the records of this company consist of.
pub fn schema(company: &Company) -> Schema {
    let schema = Schema::new()
        .migrations(MIGRATIONS)
        .command::<order::CreateOrder>()
        .command::<order::TakeOrder>()
        .command::<order::AssignOrder>()
        .command::<report::CloseOrder>()
        .command::<photo::KeepPhotos>()
        .command::<photo::AddPhoto>()
        .command::<support::Ask>()
        .command::<support::Claim>()
        .command::<support::EndConversation>()
        .command::<support::NoteRelay>()
        .command::<object::SaveObject>()
        .command::<object::SetActive>()
        .command::<slot::SaveSlot>()
        .command::<task::SaveTask>()
        .command::<shift::OpenShift>()
        .command::<shift::CompleteTask>()
        .command::<shift::CloseShift>()
        .command::<invitation::Invite>()
        .command::<invitation::Join>()
        .command::<onboarding::KeepProfile>()
        .command::<onboarding::DropProfile>()
        .lookup::<colleague::Colleagues>()
        .lookup::<colleague::OtherColleagues>()
        .lookup::<colleague::Hosts>()
        .lookup::<order::ByNumber>()
        .lookup::<order::NextNumber>()
        .lookup::<order::OpenOrders>()
        .lookup::<order::OwnOrders>()
        .lookup::<support::ById>()
        .lookup::<support::OwnConversation>()
        .lookup::<support::OpenConversations>()
        .lookup::<support::Relayed>()
        .lookup::<object::Objects>()
        .lookup::<object::Object>()
        .lookup::<slot::Slots>()
        .lookup::<task::Tasks>()
        .lookup::<shift::Sites>()
        .lookup::<shift::Offer>()
        .lookup::<shift::Running>()
        .lookup::<invitation::Invitation>()
        .lookup::<onboarding::Unfinished>();
    erasure::add(schema, &company.retention)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_has_no_faults() {
        assert_eq!(schema(&Company::default()).faults(), [] as [&str; 0]);
    }
}
