//! What the bot is deployed with: the proxy before it, the programs that watch over it, and the files that name its parts.

mod container;
mod edge;
mod names;
mod signals;
mod supervisor;
mod upstream;
mod vitals;
