//! A dialogue whose group became another chat: the turn goes to where it is.

use std::time::Duration;

use tower::Service;

use super::sitting::Sitting;
use super::{OutcomeKind, StateService, TurnError};
use crate::dialogue::{Played, Scene};
use crate::store::{Cause, DialogueKey, Millis, Store};
use crate::turn::Event;
use crate::turn::Unplayed;
use crate::turn::migration::{self, Move, Seal, Way};

/// How long somebody who writes in the new chat waits for what is still on its way to the old one.
const MOVE_PATIENCE: Duration = Duration::from_secs(60);

impl<S> StateService<S>
where
    S: Service<Scene, Response = Played, Error = Unplayed> + Clone + Send + Sync + 'static,
    S::Future: Send,
{
    /// Goes to where the dialogue is, if its group became another chat, or brings it here. Answers what it came to if that was
    /// all.
    pub(super) async fn move_along(
        &self,
        sitting: &mut Sitting,
    ) -> Result<Option<OutcomeKind>, TurnError> {
        let key = sitting.incoming.key;
        let is_readable = sitting.snapshot.unreadable.is_none();
        if key.chat >= 0 || sitting.incoming.settles.is_some() || !is_readable {
            return Ok(None);
        }
        let (from, to) = match (sitting.seal(), &sitting.snapshot.body) {
            (Some(seal), _) => (key.chat, seal.moved),
            (None, Some(_)) => return Ok(None),
            (None, None) => match migration::way(&*self.desk.store, key.chat).await? {
                Some(Way::From(from)) => (from, key.chat),
                Some(Way::To(to)) => (key.chat, to),
                None => return Ok(None),
            },
        };
        sitting.follow(&*self.desk.store, from, to).await?;
        if let Cause::Timer(_) = sitting.incoming.cause {
            return Ok(Some(OutcomeKind::Applied));
        }
        let is_fresh = self.load(sitting).await?;
        Ok((!is_fresh).then_some(OutcomeKind::Duplicate))
    }
}

impl Sitting {
    /// What lies in the place of a dialogue that moved to another chat.
    pub(super) fn seal(&self) -> Option<Seal> {
        Seal::read(self.snapshot.body.as_deref())
    }

    /// Sees to it that the dialogue is where its group is now, and goes there.
    async fn follow(&mut self, store: &dyn Store, from: i64, to: i64) -> Result<(), TurnError> {
        let Event { key, cause, sent, .. } = self.incoming;
        let is_young =
            |sent| self.snapshot.now.saturating_sub(sent) < MOVE_PATIENCE.as_millis() as Millis;
        let moving = Move {
            store,
            from: DialogueKey { chat: from, ..key },
            to: DialogueKey { chat: to, ..key },
            cause,
            turn: self.turn,
            is_patient: sent.is_none_or(is_young),
        };
        moving.finish().await?;
        self.incoming.key = moving.to;
        Ok(())
    }
}
