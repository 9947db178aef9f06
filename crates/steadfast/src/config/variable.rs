//! The variables of every bot.

use std::borrow::Cow;

/// A variable of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// The name.
    pub name: Cow<'static, str>,
    /// The value when it is not set.
    pub default: Option<&'static str>,
    /// The meaning, in a line.
    pub meaning: Cow<'static, str>,
    /// True for a secret, which may also stand in the file that `<name>_FILE` names.
    pub is_secret: bool,
}

impl Variable {
    /// Creates a variable without a default.
    pub const fn new(name: &'static str, meaning: &'static str) -> Self {
        let (name, meaning) = (Cow::Borrowed(name), Cow::Borrowed(meaning));
        Self { name, default: None, meaning, is_secret: false }
    }

    /// Creates a variable with a default.
    pub const fn with_default(
        name: &'static str,
        default: &'static str,
        meaning: &'static str,
    ) -> Self {
        let (name, meaning) = (Cow::Borrowed(name), Cow::Borrowed(meaning));
        Self { name, default: Some(default), meaning, is_secret: false }
    }

    /// Creates a secret, which is never printed. See [`Env::secret`](super::Env::secret).
    pub const fn secret(name: &'static str, meaning: &'static str) -> Self {
        let (name, meaning) = (Cow::Borrowed(name), Cow::Borrowed(meaning));
        Self { name, default: None, meaning, is_secret: true }
    }

    /// Returns the variable, and the one that names its file if it is a secret.
    pub(super) fn and_file(self) -> Vec<Self> {
        if !self.is_secret {
            return vec![self];
        }
        let file = Self {
            name: format!("{}_FILE", self.name).into(),
            meaning: format!("A file that holds {}, instead of it.", self.name).into(),
            ..Self::new("", "")
        };
        vec![self, file]
    }
}

/// The variables of every bot, in the order of `.env.example`.
pub(super) const VARIABLES: &[Variable] = &[
    Variable::secret("BOT_TOKEN", "The bot's token from @BotFather. Required. Never printed."),
    Variable::with_default(
        "TELEGRAM_API_URL",
        "https://api.telegram.org",
        "Base address of the Bot API: Telegram's own, or a local Bot API server.",
    ),
    Variable::with_default(
        "TELEGRAM_LIMITS",
        "global=30/s,chat=1/s,group=20/m",
        "How fast all replicas together may send; off for a local Bot API server or a bench.",
    ),
    Variable::new(
        "WEBHOOK_URL",
        "The public https address of the webhook. When set, one replica registers it with Telegram.",
    ),
    Variable::with_default(
        "WEBHOOK_MAX_CONNECTIONS",
        "40",
        "How many connections Telegram may open at once; registered with WEBHOOK_URL.",
    ),
    Variable::secret(
        "WEBHOOK_SECRET",
        "What Telegram sends with every update (setWebhook's secret_token). Required. Several separated by commas while rotating: all are accepted.",
    ),
    Variable::with_default("WEBHOOK_PATH", "/webhook", "The path updates are posted to."),
    Variable::with_default(
        "LISTEN_ADDR",
        "0.0.0.0:8080",
        "Where the webhook listens. Port 0 takes a free one, which is logged.",
    ),
    Variable::with_default(
        "OPS_ADDR",
        "127.0.0.1:9100",
        "Where /health, /livez, /readyz, /servingz, /metrics and /dialogues listen.",
    ),
    Variable::secret(
        "OPS_TOKEN",
        "Opens all but /health, /livez, /readyz and /servingz (Authorization: Bearer) when OPS_ADDR is not loopback.",
    ),
    Variable::with_default(
        "MAX_IN_FLIGHT",
        "512",
        "How many updates may be worked on at once; beyond it 503 and Telegram comes again.",
    ),
    Variable::with_default(
        "WORKER_THREADS",
        "1",
        "How many threads the server works with. One bears thousands of updates a second, each for a sixth less than with two.",
    ),
    Variable::new(
        "STORE",
        "Where dialogues are kept: memory, embedded or redis. Not set: redis if REDIS_URL or REDIS_ENABLED says so, else embedded.",
    ),
    Variable::with_default(
        "DATA_DIR",
        "./data",
        "Where the embedded store keeps its file, and a replica its notes: that others were seen, which STORE_FALLBACK goes by. Must outlive the process.",
    ),
    Variable::new(
        "REDIS_URL",
        "redis:// or rediss://, with user, password and database where needed. Instead of the parts below.",
    ),
    Variable::new("REDIS_ENABLED", "Use Redis, at the address made of the parts below."),
    Variable::with_default("REDIS_HOST", "localhost", "Part of the address."),
    Variable::with_default("REDIS_PORT", "6379", "Part of the address."),
    Variable::secret("REDIS_PASSWORD", "Part of the address."),
    Variable::with_default(
        "REDIS_FSM_DB",
        "0",
        "Part of the address: the database of the dialogues.",
    ),
    Variable::new("REDIS_CACHE_DB", "Accepted and without effect: nothing is cached."),
    Variable::with_default(
        "REDIS_PREFIX",
        "sf",
        "The beginning of every key in Redis; the bot's id follows it.",
    ),
    Variable::with_default(
        "STORE_FALLBACK",
        "fail",
        "When Redis cannot be reached at the start: fail, or memory (starts degraded and says so; refused where DATA_DIR knows of other replicas).",
    ),
    Variable::with_default(
        "DIALOGUE_SCOPE",
        "chat",
        "Whether a person has one dialogue per chat or one per topic: chat, topic.",
    ),
    Variable::new(
        "STATE_TTL",
        "How long a question waits for its answer, such as 15m. Not set: as each flow says.",
    ),
    Variable::with_default("DATA_TTL", "24h", "How long a draft that was left alone is kept."),
    Variable::new("REDIS_FSM_STATE_TTL", "An older name of STATE_TTL."),
    Variable::new("REDIS_FSM_DATA_TTL", "An older name of DATA_TTL."),
    Variable::with_default(
        "DRAIN_DELAY",
        "5s",
        "How long to go on serving after a stop signal, until everyone has noticed.",
    ),
    Variable::with_default(
        "SHUTDOWN_DEADLINE",
        "45s",
        "The longest time from a stop signal to the exit.",
    ),
    Variable::with_default("LOG_FORMAT", "text", "text for people, json for programs."),
    Variable::with_default(
        "RUST_LOG",
        "info",
        "What to log, such as warn or info,steadfast=debug.",
    ),
    Variable::with_default("LOG_TEXTS", "false", "Whether message texts may appear in the log."),
];

/// The variables of a bot with records.
pub(super) const RECORDS: &[Variable] = &[Variable::secret(
    "DATABASE_URL",
    "Where business data is kept: postgres://user:password@host/database, or sqlite:///path/to/file. Not set: records.db in DATA_DIR.",
)];

/// Returns the text of `.env.example` for these variables.
pub fn env_example(variables: &[Variable]) -> String {
    let head = "# Every variable there is. A line in comment shows the default.\n";
    variables.iter().fold(head.to_owned(), |text, variable| {
        let default = variable.default.unwrap_or_default();
        format!("{text}\n# {}\n# {}={default}\n", variable.meaning, variable.name)
    })
}
