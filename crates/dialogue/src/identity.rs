//! Who the bot is: its name, and what only it knows.

use std::fmt;
use std::sync::{Arc, OnceLock};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

/// How many characters an unguessable word has: 120 bits.
const WORD: usize = 20;

/// Who the bot is.
#[derive(Clone, Default)]
pub struct Identity {
    /// The name by which people find it, once that is known.
    pub username: Arc<OnceLock<String>>,
    /// What only the bot knows.
    key: [u8; 32],
}

impl Identity {
    /// A bot that knows this secret, of which nothing can be told from what is made of it.
    pub fn new(secret: &str) -> Self {
        let key = Sha256::new().chain_update(b"steadfast").chain_update(secret);
        Self { username: Arc::default(), key: key.finalize().into() }
    }

    /// A word that differs from cause to cause, is the same when a turn is played again, and that nobody else can guess.
    pub(super) fn word(&self, stamp: &str) -> String {
        // Twice, as an HMAC does, so that nobody can go on from one word to another.
        let inner = Sha256::new().chain_update(self.key).chain_update(stamp);
        let outer = Sha256::new().chain_update(self.key).chain_update(inner.finalize());
        let mut word = URL_SAFE_NO_PAD.encode(outer.finalize());
        word.truncate(WORD);
        word
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").field("username", &self.username).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_the_same_again_and_another_for_each_cause_and_bot() {
        let bot = Identity::new("123:abc");
        assert_eq!(bot.word("7.1760"), bot.word("7.1760"));
        assert_ne!(bot.word("7.1760"), bot.word("8.1760"));
        assert_ne!(bot.word("7.1760"), Identity::new("123:abd").word("7.1760"));
        assert_eq!(bot.word("7.1760").len(), WORD);
    }

    #[test]
    fn what_only_the_bot_knows_is_not_shown() {
        let shown = format!("{:?}", Identity::new("123:abc"));
        assert!(!shown.contains("key") && !shown.contains("abc"), "{shown}");
    }
}
