/**
 * Commands as callers write them: `{ transfer: { ... } }` in the protocol's JSON, with enums by name, or `{ kind, payload }`
 * with the members of the message. Unknown members are refused in both: an encoder would leave them out.
 */
import { didYouMean } from "../errors/nearest.ts";
import { messageDescriptor } from "./descriptors.ts";
import { fromJson } from "./json.ts";
import { type CommandInit, encodeCommand } from "./transaction.ts";
import { COMMAND_KINDS, type CommandKind } from "./transaction-commands.ts";

/** A command in the protocol's JSON: one member, named as the command. */
export type CommandJson = { readonly [K in CommandKind]?: object };

/** A command that cannot be sent; the message names the member. */
export class CommandFault extends Error {
  override readonly name = "CommandFault";
}

/** @throws CommandFault */
export function readCommand(command: CommandInit | CommandJson): CommandInit {
  if (!isObject(command)) throw new CommandFault("a command must be an object");
  if ("kind" in command) return checkedInit(command as CommandInit);
  const [name, ...others] = Object.keys(command);
  if (name === undefined || others.length > 0) throw new CommandFault("a command has one member, its kind");
  const kind = kindNamed(name);
  const payload = payloadOf(kind, command[kind as keyof typeof command]);
  try {
    return { kind, payload: fromJson(typeOf(kind), payload) } as CommandInit;
  } catch (error) {
    const text = (error as Error).message.replace(`${typeOf(kind)}`, kind);
    throw new CommandFault(text);
  }
}

function checkedInit(command: CommandInit): CommandInit {
  const kind = kindNamed(String(command.kind));
  const payload = payloadOf(kind, command.payload);
  if (isEncoded(kind, payload)) return command;
  const member = Object.entries(payload).find(([name, value]) => !isEncoded(kind, { [name]: value }));
  throw new CommandFault(`the ${kind} cannot be encoded${member ? `: '${member[0]}' has another type` : ""}`);
}

function kindNamed(name: string): CommandKind {
  if (COMMAND_KINDS.includes(name as CommandKind)) return name as CommandKind;
  const shown = name.slice(0, 60);
  throw new CommandFault(`there is no command '${shown}'${didYouMean(shown, COMMAND_KINDS)}`);
}

function payloadOf(kind: CommandKind, payload: unknown): object {
  if (!isObject(payload)) throw new CommandFault(`the ${kind} has no payload`);
  checkNames(kind, typeOf(kind), payload, "");
  return payload;
}

const typeOf = (kind: CommandKind) =>
  messageDescriptor("vega.commands.v1.InputData").fields.find(({ jsonName }) => jsonName === kind)!.typeName;

/** @param path of the value, with a dot behind it @throws CommandFault for a name that the message does not have */
function checkNames(kind: CommandKind, type: string, value: object, path: string): void {
  const { fields } = messageDescriptor(type);
  for (const [name, member] of Object.entries(value)) {
    const field = fields.find((one) => one.jsonName === name || one.name === name);
    if (field === undefined) {
      const names = fields.map(({ jsonName }) => path + jsonName);
      const shown = (path + name).slice(0, 100);
      throw new CommandFault(`the ${kind} has no member '${shown}'${didYouMean(shown, names)}`);
    }
    if (field.kind !== "message" && field.kind !== "map") continue;
    const messages = field.kind === "map" ? mapValues(member) : field.repeated ? listOf(member) : [member];
    for (const one of messages) if (isObject(one)) checkNames(kind, field.typeName, one, `${path}${name}.`);
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const mapValues = (value: unknown): Iterable<unknown> =>
  value instanceof Map ? value.values() : Object.values(value ?? {});

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isEncoded(kind: CommandKind, payload: object): boolean {
  try {
    encodeCommand({ kind, payload } as CommandInit, 1n, 1n);
    return true;
  } catch {
    return false;
  }
}
