//! The Lua scripts, and a call of one.

use std::sync::LazyLock;
use std::time::Duration;

use redis::{Arg, Cmd, ToRedisArgs};

use crate::{
    AHEAD, BEAT_FOR, CLOCK_NOTED, DEAD_MAX, LANE_LEASE, LaneKind, MAX_TURN_AGE, NAMED_FOR,
    OUTAGE_GAP, OUTAGE_GRACE, REPLIES_FIRST, SEEN_FOR, SEEN_MAX, SEEN_YOUNG, UNREADABLE,
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
        #[cfg(test)]
        const ALL: &[&Lazy] = &[$(&$name),*];
    };
}

scripts! {
    LOAD = "load.lua";
    PEEK = "peek.lua";
    MEMBER = "member.lua";
    PING = "ping.lua";
    REHEARSE = "rehearse.lua";
    BLAME = "blame.lua";
    COMMIT = "commit.lua";
    DUE = "due.lua";
    HEAD = "head.lua";
    DONE = "done.lua";
    RETRY = "retry.lua";
    WAITING = "waiting.lua";
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
        let in_front = PARTS.iter().filter(|part| part.stands_in_front_of(body));
        let in_front: String = in_front.map(|part| part.source).collect();
        let source = ["#!lua\n", &with_parts(&in_front), &with_parts(body)].concat();
        let source =
            TEXTS.iter().fold(source, |source, (name, text)| source.replace(name, &text()));
        let source = NUMBERS
            .iter()
            .fold(source, |source, (name, value)| source.replace(name, &value.to_string()));
        let hash = redis::Script::new(&source).get_hash().to_owned();
        Self { source, hash }
    }
}

/// What several scripts have in common.
struct Part {
    /// The file's name.
    name: &'static str,
    /// A word of those who use it; none for what everybody uses.
    word: &'static str,
    source: &'static str,
}

macro_rules! parts {
    ($($name:literal for $word:literal;)*) => {
        &[$(Part { name: $name, word: $word, source: include_str!($name) },)*]
    };
}

/// Each stands in front of a script that uses it, unless the script says where: after `-- here:`, in a branch that is rarely taken,
/// since every function costs something each time its definition is come by.
const PARTS: &[Part] = parts! {
    "time.lua" for "";
    "lane.lua" for "(lane";
    "put.lua" for "put(";
    "take.lua" for "take(";
    "paced.lua" for "is_paced(";
    "pace.lua" for "reserve(";
    "pacing.lua" for "pacing_of(";
    "bot.lua" for "bot_of(";
    "record.lua" for "record_of(";
    "tries.lua" for "tries(";
    "letter.lua" for "keep_letter(";
};

impl Part {
    fn stands_in_front_of(&self, body: &str) -> bool {
        body.contains(self.word) && !body.contains(&format!("{HERE}{}\n", self.name))
    }
}

/// What stands in front of the name of a part where that is to stand.
const HERE: &str = "-- here: ";

/// With the parts where it says they are to stand.
fn with_parts(source: &str) -> String {
    let part = |line: &str| {
        let name = line.trim().strip_prefix(HERE)?;
        let part = PARTS.iter().find(|part| part.name == name);
        Some(with_parts(part.expect("a part of that name").source))
    };
    let lines = source.split_inclusive('\n');
    lines.map(|line| part(line).unwrap_or_else(|| line.to_owned())).collect()
}

/// A constant that is a text, or bytes, in Lua.
type Text = fn() -> String;

/// As the scripts name them.
const TEXTS: [(&str, Text); 7] = [
    ("NOBODY", || zeros(8)),
    ("NO_LIMITS", || zeros(32)),
    ("NO_CAUSES", || zeros(14)),
    ("NO_TRIES", || zeros(41)),
    ("MESSAGES", || LaneKind::Messages.name().to_owned()),
    ("JOBS", || LaneKind::Jobs.name().to_owned()),
    ("ANSWER", || "'>BI8I4I4I4I8I8I4'".to_owned()),
];

/// So many zero bytes, in Lua.
fn zeros(count: usize) -> String {
    format!("'{}'", "\\0".repeat(count))
}

/// As the scripts name them, in the units they count in.
const NUMBERS: [(&str, u128); 16] = [
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
    ("UNREADABLE", UNREADABLE as u128),
    ("BARE", b'B' as u128),
    ("MORE", b'+' as u128),
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
            assert!(!script.source.contains(HERE));
            let texts = TEXTS.iter().map(|(name, _)| name);
            let mut names = NUMBERS.iter().map(|(name, _)| name).chain(texts);
            assert!(names.all(|name| !script.source.contains(name)));
        }
        assert!(COMMIT.source.contains("now + 5000"));
    }

    /// Else a user of Redis who may not give one of them would be noticed in the middle of a commit.
    #[test]
    fn every_command_of_a_script_is_rehearsed() {
        for script in ALL {
            for call in script.source.split("redis.call('").skip(1) {
                let command = call.split('\'').next().unwrap_or_default();
                let rehearsed = format!("{{'{command}'");
                assert!(REHEARSE.source.contains(&rehearsed), "{command}");
            }
        }
    }

    #[test]
    fn a_call_by_source_has_the_same_keys_and_arguments() {
        let call = Call::new(&RETRY, &["a", "b"], 0).arg("lane:5").arg(7);
        let args = |cmd: &Cmd| cmd.args_iter().skip(2).map(|arg| bytes(&arg)).collect::<Vec<_>>();
        assert_eq!(args(call.by_hash()), args(&call.by_source()));
        assert_eq!(args(call.by_hash()), [&b"2"[..], b"a", b"b", b"0", b"lane:5", b"7"]);
    }

    fn bytes(arg: &Arg<&[u8]>) -> Vec<u8> {
        match arg {
            Arg::Simple(bytes) => bytes.to_vec(),
            _ => Vec::new(),
        }
    }
}
