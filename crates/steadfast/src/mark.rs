//! Marks: what tells something secret or long from anything else, without saying it.

use sha2::{Digest as _, Sha256};

/// The mark of this content, in hexadecimal digits for so many bytes.
pub(crate) fn of(content: impl AsRef<[u8]>, bytes: usize) -> String {
    let digest = Sha256::digest(content);
    let kept = digest.iter().take(bytes);
    kept.map(|byte| format!("{byte:02x}")).collect()
}
