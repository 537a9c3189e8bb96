// The alarms of a node, once: `bun scripts/alarms.ts` writes the table of docs/operations.md and the alert rules for
// Prometheus (data/prometheus-alerts.rules.yml).
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");
export const RULES_FILE = join(ROOT, "data", "prometheus-alerts.rules.yml");
export const PAGE_FILE = join(ROOT, "docs", "operations.md");

interface Rule {
  /** Name of the alert. */
  readonly alert: string;
  /** PromQL: each series that it gives is an alarm. */
  readonly expr: string;
  /** For so long it must be so. */
  readonly for: string;
  readonly severity: "critical" | "warning";
}

interface Alarm extends Rule {
  /** The symptom, in the documents' words. */
  readonly sign: string;
  readonly meaning: string;
  readonly remedy: string;
}

export const ALARMS: readonly Alarm[] = [
  {
    alert: "LyraDown",
    expr: "up == 0 and on (job, instance) last_over_time(lyra_uptime_seconds[6h])",
    for: "2m",
    severity: "critical",
    sign: "the process is gone, or `/healthz` is silent",
    meaning: "it is started again within a minute",
    remedy: "nothing; the second time, the last lines of the log",
  },
  {
    alert: "LyraRestarts",
    expr: "resets(lyra_uptime_seconds[30m]) >= 2",
    for: "0m",
    severity: "warning",
    sign: "the process begins again and again",
    meaning: "something ends it each time",
    remedy: "`journalctl -u lyra-sidecar`: the last lines before each start",
  },
  {
    alert: "LyraNotReady",
    expr: "lyra_ready == 0",
    for: "2m",
    severity: "critical",
    sign: "`/readyz` is 503, `lyra_ready` 0",
    meaning: "the sentence says why: behind, a source stopped, or a code of the table below",
    remedy: "balancers have taken it out already; look at the sources",
  },
  {
    alert: "LyraSourceStopped",
    expr: 'lyra_source_state{state="stopped"} == 1',
    for: "1m",
    severity: "critical",
    sign: "`lyra_source_state` is `stopped`",
    meaning: "a source cannot go on by itself",
    remedy: "its code in `/status`, in the table below",
  },
  {
    alert: "LyraSourceWaits",
    expr: 'lyra_source_state{state=~"waiting|paused"} == 1',
    for: "5m",
    severity: "warning",
    sign: "`lyra_source_state` is `waiting` or `paused` for minutes",
    meaning: "nothing is connected, or it waits for room here",
    remedy: "the table of states below",
  },
  {
    alert: "LyraBehind",
    expr: "lyra_lag_blocks > 10 or lyra_behind_seconds > 60",
    for: "5m",
    severity: "warning",
    sign: "`lyra_lag_blocks` or `lyra_behind_seconds` grow",
    meaning: "it stores more slowly than blocks come, or none come",
    remedy:
      "is a source `waiting` or `paused`? is the disk busy (`iostat`)? after a restart it catches up by itself",
  },
  {
    alert: "LyraFollowerBehind",
    expr: "lyra_block_height - lyra_follower_height > 20",
    for: "5m",
    severity: "warning",
    sign: "`lyra_follower_height` stays behind `lyra_block_height`",
    meaning: "the node API's figures for proof of work and spam are old",
    remedy: "the source `comet` in `/status`: does its RPC answer?",
  },
  {
    alert: "LyraDisagrees",
    expr: "increase(lyra_follower_disagreements_total[10m]) > 0",
    for: "0m",
    severity: "warning",
    sign: "`lyra_follower_disagreements_total` rises",
    meaning: "the chain took or refused transactions otherwise than the rules here do",
    remedy: "the log explains each; are `--rules` those of the network's release?",
  },
  {
    alert: "LyraClock",
    expr: "abs(lyra_clock_skew_seconds) > 10",
    for: "5m",
    severity: "warning",
    sign: "`lyra_clock_skew_seconds` above 10 or below -10",
    meaning: "this machine's clock is ahead of the chain's, or behind it",
    remedy:
      "check `timedatectl`; nothing in the store depends on it, and readiness goes by heights. A validator's votes do depend on it",
  },
  {
    alert: "LyraEngineAway",
    expr: "lyra_engine_connected == 0",
    for: "1m",
    severity: "critical",
    sign: "`lyra_engine_connected` 0",
    meaning: "a validator's consensus engine does not run, or does not reach the chain",
    remedy: "the last lines of the engine's log; [validators](validators.md#when-something-is-wrong)",
  },
  {
    alert: "LyraNoBlocks",
    expr: "lyra_block_age_seconds > 60",
    for: "1m",
    severity: "critical",
    sign: "`lyra_block_age_seconds` above 60",
    meaning: "a validator gets no blocks: a third of the power is away, or it is cut off or stalled",
    remedy: "`/readyz` says which; on a network whose blocks are a minute apart raise the number",
  },
  {
    alert: "LyraFewPeers",
    expr: "lyra_engine_peers < 0.5 * (lyra_consensus_validators - 1) and lyra_engine_connected == 1",
    for: "5m",
    severity: "warning",
    sign: "`lyra_engine_peers` below half of the other validators",
    meaning: "a validator's engine has few connections; a few more losses cut it off",
    remedy: "addresses in `persistent_peers`, firewall, the others' machines",
  },
  {
    alert: "LyraDoubleSigning",
    expr: "increase(lyra_double_signed_total[1h]) > 0",
    for: "0m",
    severity: "critical",
    sign: "`lyra_double_signed_total` rises",
    meaning: "a validator signed twice for one height; the log names it (`signed_twice`)",
    remedy: "its operator stops one of the two machines that have its key, at once",
  },
  {
    alert: "LyraStoreDamaged",
    expr: "lyra_store_damaged == 1",
    for: "0m",
    severity: "critical",
    sign: "`lyra_store_damaged` 1",
    meaning: "see `store_damaged`",
    remedy: "see there",
  },
  {
    alert: "LyraUnchecked",
    expr: "time() - lyra_scrub_time_seconds > 172800",
    for: "1h",
    severity: "warning",
    sign: "`lyra_scrub_time_seconds` is days ago",
    meaning: "the background check of the store has not come to its end since",
    remedy: "a very large store takes long; else `lyra doctor --deep`",
  },
  {
    alert: "LyraFaults",
    expr: "increase(lyra_faults_total[10m]) > 0",
    for: "0m",
    severity: "warning",
    sign: "`lyra_faults_total` rises",
    meaning: "answers fail inside",
    remedy: "the log has a line for each; report it",
  },
  {
    alert: "LyraEventLogFills",
    expr: "lyra_event_log_unread_bytes > 0.5 * lyra_event_log_max_bytes",
    for: "1m",
    severity: "critical",
    sign: "`lyra_event_log_unread_bytes` nears `lyra_event_log_max_bytes`",
    meaning: "events come faster than they are stored; when the log is full the core waits",
    remedy: "disk and load of this machine; `--event-log SIZE`",
  },
  {
    alert: "LyraLogGrows",
    expr: "lyra_log_bytes > 268435456 and lyra_log_bytes > 0.5 * lyra_store_bytes",
    for: "15m",
    severity: "warning",
    sign: "`lyra_log_bytes` grows",
    meaning: "a reader holds the log: a backup, an export to a slow client, `doctor --deep`",
    remedy: "wait for it, or end it",
  },
  {
    alert: "LyraDiskFills",
    expr: "lyra_disk_full_days < 7 unless lyra_disk_budget_bytes",
    for: "1h",
    severity: "warning",
    sign: 'free space, or "full in N days" in `/status`',
    meaning: "see [A disk budget](#a-disk-budget)",
    remedy: "`--disk SIZE`, or a larger disk",
  },
  {
    alert: "LyraBudgetExceeded",
    expr: "lyra_home_bytes > 1.1 * lyra_disk_budget_bytes",
    for: "30m",
    severity: "warning",
    sign: "`lyra_home_bytes` stays above `lyra_disk_budget_bytes`",
    meaning: "old rows are not removed as fast as blocks come, or something else lies in the home",
    remedy: "`du -sh` of the home's folders; `lyra prune --dry-run`",
  },
];

const HEAD = "| alarm | meaning | what to do | alert |";

/** The table of the documents. */
export function alarmTable(): string {
  const rows = ALARMS.map(
    ({ sign, meaning, remedy, alert }) => `| ${sign} | ${meaning} | ${remedy} | \`${alert}\` |`,
  );
  return [HEAD, "|---|---|---|---|", ...rows].join("\n");
}

/** A page with the table in the place of the one that it has. */
export function withTable(page: string): string {
  return page.replace(/\| alarm \|(?:.*\n)+?(?=\n)/, () => `${alarmTable()}\n`);
}

/** Rules as `rule_files` of Prometheus reads them. A text in JSON is one in YAML. */
export function alertRules(): string {
  const text = (value: string) => JSON.stringify(value);
  const rules = ALARMS.flatMap(({ alert, expr, for: duration, severity, sign, meaning, remedy }) => [
    `      - alert: ${alert}`,
    `        expr: ${text(expr)}`,
    `        for: ${duration}`,
    "        labels:",
    `          severity: ${severity}`,
    "        annotations:",
    `          summary: ${text(`{{ $labels.instance }}: ${plain(sign)}`)}`,
    `          description: ${text(`${plain(meaning)}. What to do: ${plain(remedy)}`)}`,
  ]);
  return `# Made by scripts/alarms.ts from the alarms of docs/operations.md.\ngroups:\n  - name: lyra\n    rules:\n${rules.join("\n")}\n`;
}

/** Without the marks of the documents. */
function plain(text: string): string {
  return text.replaceAll("`", "").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
}

if (import.meta.main) {
  writeFileSync(RULES_FILE, alertRules());
  writeFileSync(PAGE_FILE, withTable(readFileSync(PAGE_FILE, "utf8")));
  console.log(`wrote ${RULES_FILE} and the table of ${PAGE_FILE}`);
}
