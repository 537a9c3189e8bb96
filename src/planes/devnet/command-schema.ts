/**
 * The commands of a transaction as forms need them: every message and enum that one of them can hold, with the comments of the
 * protocol's files.
 */
import { descriptionOf } from "../../wire/descriptions.ts";
import { enumDescriptor, type FieldDescriptor, messageDescriptor } from "../../wire/descriptors.ts";
import { COMMAND_KINDS, COMMANDS, type CommandKind } from "../../wire/transaction-commands.ts";
import { requiredMembers } from "./required-members.ts";

export interface CommandSchema {
  readonly commands: readonly CommandEntry[];
  /** Members of each message in declaration order, by its full name. */
  readonly messages: Readonly<Record<string, readonly CommandField[]>>;
  /** Names of each enum's values, by its full name. */
  readonly enums: Readonly<Record<string, readonly string[]>>;
}

interface CommandEntry {
  /** Member of the command's JSON. */
  readonly name: CommandKind;
  readonly title: string;
  /** Full name of its message. */
  readonly message: string;
  /** Sent by validators as part of their work. */
  readonly isOfValidators: boolean;
}

export interface CommandField {
  /** In JSON. */
  readonly name: string;
  readonly kind: FieldDescriptor["kind"];
  /** Full name of the message or enum. */
  readonly type?: string;
  readonly isList?: true;
  /** Absence differs from the zero value. */
  readonly isOptional?: true;
  /** Of several members with this word at most one is given. */
  readonly oneof?: string;
  /** A command without it, or without any of its choice, is refused. */
  readonly isRequired?: true;
  readonly meaning?: string;
}

const INPUT = "vega.commands.v1.InputData";

export function commandSchema(): CommandSchema {
  const typeOf = new Map(messageDescriptor(INPUT).fields.map((field) => [field.jsonName, field.typeName]));
  const commands = COMMAND_KINDS.map((name) => ({
    name,
    title: COMMANDS[name].displayName,
    message: typeOf.get(name)!,
    isOfValidators: COMMANDS[name].isValidatorCommand,
  }));
  const required = requiredMembers(commands);
  const messages: Record<string, CommandField[]> = {};
  const enums: Record<string, string[]> = {};
  // Grows while it is walked.
  const reached = new Set(commands.map(({ message }) => message));
  for (const message of reached) {
    const { fields } = messageDescriptor(message);
    messages[message] = fields.map((field) => fieldOf(message, field, required.get(message)));
    for (const { kind, typeName } of fields) {
      if (kind === "enum") enums[typeName] = [...enumDescriptor(typeName).numberOf.keys()];
      else if (typeName !== "") reached.add(typeName);
    }
  }
  return { commands, messages, enums };
}

function fieldOf(
  message: string,
  { name, jsonName, kind, typeName, repeated, optional, oneof }: FieldDescriptor,
  required: ReadonlySet<string> | undefined,
): CommandField {
  const meaning = descriptionOf(message, jsonName);
  return {
    name: jsonName,
    kind,
    ...(typeName !== "" && { type: typeName }),
    ...(repeated && { isList: true as const }),
    ...(optional && { isOptional: true as const }),
    ...(oneof !== "" && { oneof }),
    ...(required?.has(oneof || name) && { isRequired: true as const }),
    ...(meaning !== undefined && { meaning }),
  };
}
