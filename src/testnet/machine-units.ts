/**
 * Systemd units and a Compose file, which start a validator's processes on its machine. Both run the same words over the same
 * folder at the same path. Either process is started again whenever it ends: the engine ends with exit code 0 when it loses
 * the chain.
 */

/** Words that start each process of a validator; the first is the program. */
export interface MachineWords {
  readonly chain: readonly string[];
  readonly engine: readonly string[];
  /** On one machine of the network. */
  readonly ethereum?: readonly string[];
  /** Whether the chain answers. */
  readonly health: readonly string[];
}

interface UnitsOptions {
  /** Of the validator. */
  readonly name: string;
  readonly chainId: string;
  /** The validator's folder on its machine. */
  readonly place: string;
  readonly words: MachineWords;
}

/** Name of a unit's file. */
const unitOf = (name: string, role: keyof Omit<MachineWords, "health">) =>
  role === "chain" ? `lyra-${name}.service` : `lyra-${name}-${role}.service`;

const HARDENING = `NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
ProtectProc=invisible
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM`;

const STOP = "TimeoutStopSec=30";
/** An engine that hangs is killed. */
const ENGINE_STOP = "TimeoutStopSec=10";

/** Units by the names of their files. */
export function systemdUnits({ name, chainId, place, words }: UnitsOptions): ReadonlyMap<string, string> {
  const chain = unitOf(name, "chain");
  const unit = (
    title: string,
    order: string,
    own: string,
    command: readonly string[],
  ) => `# Written by lyra testnet files.
[Unit]
Description=${title} of ${name} in ${chainId}
${order}
# It is tried for as long as it takes.
StartLimitIntervalSec=0

[Service]
Type=exec
User=lyra
Group=lyra
ExecStart=${command.join(" ")}
# Also after exit code 0.
Restart=always
RestartSec=2
${own}
LimitNOFILE=65536
LimitCORE=0
UMask=0077
ReadWritePaths=${place}

${HARDENING}

[Install]
WantedBy=multi-user.target
`;
  const network = "After=network-online.target";
  const units = new Map([
    [
      chain,
      unit(
        "Chain",
        `${network}\nWants=network-online.target ${unitOf(name, "engine")}`,
        // A wrong flag, or keys that are not this chain's, do not mend themselves.
        `RestartPreventExitStatus=2 5\n${STOP}`,
        words.chain,
      ),
    ],
    [
      unitOf(name, "engine"),
      // Bound: an engine that lost the chain may hang, and neither end nor dial again (docs/validators.md). Stopped first.
      unit(
        "Consensus engine",
        `${network} ${chain}\nWants=network-online.target\nBindsTo=${chain}`,
        ENGINE_STOP,
        words.engine,
      ),
    ],
  ]);
  if (words.ethereum)
    units.set(
      unitOf(name, "ethereum"),
      unit(
        "Simulated Ethereum",
        `${network}\nWants=network-online.target\nBefore=${chain}`,
        "",
        words.ethereum,
      ),
    );
  return new Map([...units].map(([file, text]) => [file, text.replace(/\n{3,}/g, "\n\n")]));
}

const LYRA_IMAGE = `\${LYRA_IMAGE:-lyra}`;
const ENGINE_IMAGE = `\${COMETBFT_IMAGE:-cometbft/cometbft:v0.38.26}`;

/** A service with what all have in common. */
function service(image: string, words: readonly string[], place: string, more: string): string {
  const [program, ...rest] = words;
  const list = (each: readonly string[]) => each.map((word) => `\n      - ${JSON.stringify(word)}`).join("");
  return `    image: ${image}
    entrypoint: [${JSON.stringify(program)}]
    command:${list(rest)}
    # The owner of this folder: id -u, id -g.
    user: \${LYRA_USER:-1000:1000}
    # Addresses and ports are those of the settings, which are the same without containers.
    network_mode: host
    volumes:
      - .:${place}
    read_only: true
    tmpfs: [/tmp]
    cap_drop: [ALL]
    security_opt: ["no-new-privileges:true"]
    ulimits:
      nofile: 65536
      core: 0
    # Also after exit code 0.
    restart: always
    stop_grace_period: 30s
${more}`;
}

/** The programs' names inside their images. */
const IN_IMAGE = { lyra: "/usr/local/bin/lyra", engine: "cometbft" };

/** The Compose file. */
export function composeFile({ name, chainId, place, words }: UnitsOptions): string {
  const inImage = (program: string, [, ...rest]: readonly string[]) => [program, ...rest];
  const health = JSON.stringify(["CMD", ...inImage(IN_IMAGE.lyra, words.health)]);
  const chain = `  chain:
${service(
  LYRA_IMAGE,
  inImage(IN_IMAGE.lyra, words.chain),
  place,
  `    healthcheck:
      test: ${health}
      interval: 15s
      timeout: 6s
      start_period: 60s
`,
)}`;
  const engine = `  # Started behind the chain, and stopped before it.
  engine:
${service(
  ENGINE_IMAGE,
  inImage(IN_IMAGE.engine, words.engine),
  place,
  `    depends_on:
      chain:
        condition: service_started
`,
)}`;
  const ethereum =
    words.ethereum &&
    `  ethereum:
${service(LYRA_IMAGE, inImage(IN_IMAGE.lyra, words.ethereum), place, "")}`;
  const services = [chain, engine, ...(ethereum ? [ethereum] : [])].join("\n");
  return `# The validator ${name} of ${chainId}, from this folder: docker compose up -d. Written by lyra testnet files.
name: lyra-${name}
services:
${services}`;
}
