//! The partition of a chat.

use super::PARTITIONS;

/// Returns the partition that holds everything of this chat.
pub fn partition(chat: i64) -> u8 {
    (xxhash_rust::xxh3::xxh3_64(&chat.to_be_bytes()) % u64::from(PARTITIONS)) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partition_of_a_chat_never_changes() {
        // Stored data is addressed by these numbers.
        assert_eq!([5_i64, -1_001_234_567_890, 0].map(partition), [6, 18, 25]);
        assert!((0..1000).map(partition).all(|p| p < PARTITIONS));
    }
}
