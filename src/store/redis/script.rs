//! The Lua scripts, and a call of one.

use std::sync::LazyLock;
use std::time::Duration;

use redis::{Arg, Cmd, ToRedisArgs};

use crate::store::{
    AHEAD, BEAT_FOR, CLOCK_NOTED, DEAD_MAX, LANE_LEASE, MAX_TURN_AGE, NAMED_FOR, OUTAGE_GAP,
    OUTAGE_GRACE, REPLIES_FIRST, SEEN_FOR, SEEN_MAX, SEEN_YOUNG, UNREADABLE,
};

/// A Lua script that Redis knows by its hash.
pub(super) struct Script {
    source: String,
    hash: String,
}

/// A script to be compiled at first use.
type Lazy = LazyLock<Script>;

macro_rules! scripts {
    ($($name:ident = $file:literal;)*) => {
        $(pub(super) static $name: Lazy = LazyLock::new(|| Script::new(include_str!($file)));)*
    };
}

scripts! {
    LOAD = "load.lua";
    PEEK = "peek.lua";
    PING = "ping.lua";
    BLAME = "blame.lua";
    COMMIT = "commit.lua";
    DUE = "due.lua";
    HEAD = "head.lua";
    DONE = "done.lua";
    RETRY = "retry.lua";
    RENEW = "renew.lua";
    PUSH = "push.lua";
    DROP = "drop.lua";
    GRANT = "grant.lua";
    FREEZE = "freeze.lua";
    HOLD = "hold.lua";
    BLOCK = "block.lua";
    BACKLOG = "backlog.lua";
    ENTOMB = "entomb.lua";
    LEASE = "lease.lua";
    RELEASE = "release.lua";
    BEAT = "beat.lua";
    KEEP = "keep.lua";
}

impl Script {
    /// The first line lets Redis refuse the whole script up front, rather than in the middle, when it is out of memory
    /// or a replica. The contract's constants are written into the script.
    fn new(body: &str) -> Self {
        let parts = PARTS.iter().filter(|(word, _)| body.contains(word));
        let parts: String = parts.map(|(_, part)| *part).collect();
        let reads_clock = body.contains("read_clock()");
        let clock = if reads_clock { "" } else { "read_clock()\n" };
        let source = ["#!lua\n", include_str!("time.lua"), clock, &parts, body].concat();
        let source = source.replace("UNREADABLE", &unreadable());
        let source = CONSTANTS.iter().fold(source, |source, (name, value)| {
            source.replace(name, &value.to_string())
        });
        let hash = redis::Script::new(&source).get_hash().to_owned();
        Self { source, hash }
    }
}

/// [`UNREADABLE`] as a packed number, in Lua.
fn unreadable() -> String {
    format!(
        "'{}'",
        UNREADABLE
            .to_be_bytes()
            .map(|byte| format!("\\{byte}"))
            .concat()
    )
}

/// What several scripts have in common, each part by a word of those who use it.
const PARTS: [(&str, &str); 8] = [
    (", owner", include_str!("owner.lua")),
    ("reserve(", include_str!("pacing.lua")),
    ("pacing_of(", include_str!("pacing.lua")),
    ("reserve(", include_str!("pace.lua")),
    ("bot_of(", include_str!("bot.lua")),
    ("record_of(", include_str!("record.lua")),
    ("tries(", include_str!("tries.lua")),
    ("keep_letter(", include_str!("letter.lua")),
];

/// As the scripts name them, in the units they count in.
const CONSTANTS: [(&str, u128); 13] = [
    ("LANE_LEASE", LANE_LEASE.as_millis()),
    ("SEEN_FOR", SEEN_FOR.as_secs() as u128),
    ("SEEN_YOUNG", SEEN_YOUNG.as_secs() as u128),
    ("SEEN_MAX", SEEN_MAX as u128),
    ("MAX_TURN_AGE", MAX_TURN_AGE.as_millis()),
    ("OUTAGE_GAP", OUTAGE_GAP.as_millis()),
    ("OUTAGE_GRACE", OUTAGE_GRACE.as_millis()),
    ("BEAT_FOR", BEAT_FOR.as_millis()),
    ("DEAD_MAX", DEAD_MAX as u128),
    ("NAMED_FOR", NAMED_FOR.as_millis()),
    ("REPLIES_FIRST", REPLIES_FIRST.as_micros()),
    ("AHEAD", AHEAD.as_micros()),
    ("CLOCK_NOTED", CLOCK_NOTED.as_millis()),
];

/// Room for the arguments of nearly every call: growing step by step costs more than filling.
const MOST_ARGS: usize = 40;
/// As many bytes as a call with a small state has.
const USUAL_BYTES: usize = 1536;

/// A script with its keys and arguments. All keys are of one slot, and repeating a call is safe.
pub(super) struct Call {
    script: &'static Script,
    cmd: Cmd,
}

impl Call {
    pub(super) fn new(script: &'static Script, keys: &[&str], offset: i64) -> Self {
        let mut cmd = Cmd::with_capacity(MOST_ARGS, USUAL_BYTES);
        cmd.arg("EVALSHA");
        cmd.arg(&script.hash).arg(keys.len()).arg(keys).arg(offset);
        Self { script, cmd }
    }

    pub(super) fn arg(mut self, arg: impl ToRedisArgs) -> Self {
        self.cmd.arg(arg);
        self
    }

    /// A number that is only compared, never counted with.
    pub(super) fn packed(self, number: u64) -> Self {
        self.arg(&number.to_be_bytes())
    }

    /// By the hash, the usual way.
    pub(super) fn by_hash(&self) -> &Cmd {
        &self.cmd
    }

    /// With the source, which Redis then keeps: for when it does not know the hash.
    pub(super) fn by_source(&self) -> Cmd {
        let mut cmd = redis::cmd("EVAL");
        cmd.arg(&self.script.source);
        for arg in self.cmd.args_iter().skip(2) {
            if let Arg::Simple(bytes) = arg {
                cmd.arg(bytes);
            }
        }
        cmd
    }
}

/// A duration as the scripts count it.
pub(super) fn millis(duration: Duration) -> u64 {
    // Beyond what Lua counts exactly; some 285 000 years.
    const MOST: u128 = 1 << 52;
    duration.as_millis().min(MOST) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constants_are_written_into_the_scripts() {
        for script in [&*LOAD, &*COMMIT, &*BEAT, &*DONE, &*PUSH] {
            assert!(script.source.starts_with("#!lua\n"));
            assert!(script.source.contains("redis.call('TIME')"));
            assert!(
                CONSTANTS
                    .iter()
                    .all(|(name, _)| !script.source.contains(name))
            );
        }
        assert!(COMMIT.source.contains("now + 5000"));
    }

    #[test]
    fn a_call_by_source_has_the_same_keys_and_arguments() {
        let call = Call::new(&RETRY, &["a", "b"], 0).arg("lane:5").arg(7);
        let args = |cmd: &Cmd| {
            cmd.args_iter()
                .skip(2)
                .map(|arg| bytes(&arg))
                .collect::<Vec<_>>()
        };
        assert_eq!(args(call.by_hash()), args(&call.by_source()));
        assert_eq!(
            args(call.by_hash()),
            [&b"2"[..], b"a", b"b", b"0", b"lane:5", b"7"]
        );
    }

    fn bytes(arg: &Arg<&[u8]>) -> Vec<u8> {
        match arg {
            Arg::Simple(bytes) => bytes.to_vec(),
            _ => Vec::new(),
        }
    }
}
