//! The secrets that open the webhook.

use std::fmt;

use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use subtle::{Choice, ConstantTimeEq};

/// The secrets that are accepted: one, or several while they are rotated. Kept as digests, so that a comparison takes
/// the same time whatever is compared, however long it is.
#[derive(Clone)]
pub struct Secrets(Vec<[u8; 32]>);

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({})", self.0.len())
    }
}

impl Secrets {
    /// Accepts each of these.
    pub fn new(secrets: &[SecretString]) -> Self {
        let digest = |secret: &SecretString| digest(secret.expose_secret().as_bytes());
        Self(secrets.iter().map(digest).collect())
    }

    /// Whether this is one of them. Always compares with all.
    pub fn accept(&self, given: &[u8]) -> bool {
        let given = digest(given);
        let equal = |one: &[u8; 32]| one.ct_eq(&given);
        self.0.iter().map(equal).fold(Choice::from(0), |any, one| any | one).into()
    }
}

fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_secret_of_a_rotation_opens_and_nothing_else_does() {
        let secrets = Secrets::new(&["new".into(), "old".into()]);
        assert!(secrets.accept(b"new") && secrets.accept(b"old"));
        for wrong in ["", "ne", "newer", "NEW", "new,old"] {
            assert!(!secrets.accept(wrong.as_bytes()), "{wrong}");
        }
        assert!(!Secrets::new(&[]).accept(b""));
    }

    #[test]
    fn secrets_are_not_shown() {
        let shown = format!("{:?}", Secrets::new(&["hunter2".into()]));
        assert_eq!(shown, "Secrets(1)");
    }
}
