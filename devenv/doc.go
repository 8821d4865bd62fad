// Package devenv starts a private PostgreSQL (with pgvector) and a private Temporal dev server, for `reverie dev` and
// for tests, on a machine where neither is running and perhaps neither is installed.
//
// What it needs it looks for on the machine first, then takes from the package manager, from a download or from source,
// once, behind file locks, below the user's cache folder; [Progress] hears about everything that takes longer than a
// moment. Where it cannot or may not install something, the error names the exact command for this platform.
//
// Rules that hold for both servers:
//   - They listen on loopback only, on free ports that stay the same while their folder is kept.
//   - They never touch a system cluster: their data stands in the folder that the caller names.
//   - They end with the process that started them, even when that one is killed with SIGKILL (on Linux by the kernel's
//     parent-death signal; elsewhere the next start on the same folder ends what was left over).
//   - A folder belongs to one process at a time; a second one gets an error that says so.
package devenv
