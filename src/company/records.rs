//! The business data of the company: a file for each kind of record, with its commands and lookups.

use crate::records::{Commands, Lookups, member, person};

pub mod colleague;
pub mod coupon;
pub mod export;
pub mod invitation;
pub mod object;
pub mod onboarding;
pub mod order;
pub mod photo;
pub mod proof;
pub mod report;
mod sample;
pub mod shift;
pub mod slot;
pub mod support;
pub mod task;

/// Every command of this bot.
pub fn commands() -> Commands {
    Commands::default()
        .with::<coupon::TakeCoupon>()
        .with::<person::ChooseLanguage>()
        .with::<person::Meet>()
        .with::<order::CreateOrder>()
        .with::<order::TakeOrder>()
        .with::<order::AssignOrder>()
        .with::<report::CloseOrder>()
        .with::<photo::KeepPhotos>()
        .with::<photo::AddPhoto>()
        .with::<support::Ask>()
        .with::<support::Claim>()
        .with::<support::EndConversation>()
        .with::<support::NoteRelay>()
        .with::<object::SaveObject>()
        .with::<object::SetActive>()
        .with::<slot::SaveSlot>()
        .with::<task::SaveTask>()
        .with::<shift::OpenShift>()
        .with::<shift::CompleteTask>()
        .with::<shift::CloseShift>()
        .with::<invitation::Invite>()
        .with::<invitation::Join>()
        .with::<onboarding::KeepProfile>()
        .with::<onboarding::DropProfile>()
}

/// Everything that this bot's flows can read.
pub fn lookups() -> Lookups {
    Lookups::default()
        .with::<coupon::Coupon>()
        .with::<person::Language>()
        .with::<member::Known>()
        .with::<colleague::Colleagues>()
        .with::<colleague::OtherColleagues>()
        .with::<colleague::Hosts>()
        .with::<order::ByNumber>()
        .with::<order::NextNumber>()
        .with::<order::OpenOrders>()
        .with::<order::OwnOrders>()
        .with::<support::ById>()
        .with::<support::OwnConversation>()
        .with::<support::OpenConversations>()
        .with::<support::Relayed>()
        .with::<object::Objects>()
        .with::<object::Object>()
        .with::<slot::Slots>()
        .with::<task::Tasks>()
        .with::<shift::Sites>()
        .with::<shift::Offer>()
        .with::<shift::Running>()
        .with::<invitation::Invitation>()
        .with::<onboarding::Unfinished>()
}
