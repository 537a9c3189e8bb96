/**
 * Members that a command is refused without. The protocol's files declare none as required: the checks of a transaction say it,
 * by the errors that they find in an empty message.
 */
import { messageDescriptor } from "../../wire/descriptors.ts";
import type { InputData } from "../../wire/generated/commands.ts";
import { fromJson } from "../../wire/json.ts";
import { COMMANDS, type CommandKind } from "../../wire/transaction-commands.ts";
import { checkCommand } from "../../wire/validate/commands.ts";

/** Members and choices of each message, as declared, that are required wherever a command holds it; of a command, in itself. */
type RequiredMembers = ReadonlyMap<string, ReadonlySet<string>>;

interface Place {
  readonly message: string;
  /** Messages on the way to it. */
  readonly around: readonly string[];
  /** The command with this message in it, which is empty. */
  readonly wrap: (message: object) => object;
  /** As errors write the place: `transfer.one_off`. */
  readonly prefix: string;
  /** Errors of the command while the message is left out. */
  readonly before: ReadonlySet<string>;
}

/** @param commands with their messages */
export function requiredMembers(
  commands: readonly { readonly name: CommandKind; readonly message: string }[],
): RequiredMembers {
  const required = new Map<string, ReadonlySet<string>>();
  const ofCommands = new Set(commands.map(({ message }) => message));
  for (const { name, message } of commands) {
    const prefix = COMMANDS[name].field;
    const places: Place[] = [{ message, around: [], wrap: (inner) => inner, prefix, before: new Set() }];
    // Grows while it is walked.
    for (const place of places) {
      places.push(...placesIn(place, errorsOf(name, place.wrap({}))));
      // A batch leaves the checks of its instructions to their execution.
      if (place !== places[0] && ofCommands.has(place.message)) continue;
      const members = membersOf(name, place);
      required.set(place.message, required.get(place.message)?.intersection(members) ?? members);
    }
  }
  return required;
}

/** Required whatever is chosen, where the message has a choice. */
function membersOf(name: CommandKind, place: Place): Set<string> {
  const membersIn = (message: object) =>
    new Set([...errorsOf(name, place.wrap(message))].flatMap((error) => memberIn(error, place)));
  const { fields } = messageDescriptor(place.message);
  const choices = new Set(fields.map(({ oneof }) => oneof));
  const chosen = fields
    .filter(({ oneof, kind }) => oneof !== "" && kind === "message")
    .map(({ jsonName }) => membersIn({ [jsonName]: {} }));
  const members = [...membersIn({})];
  return new Set(members.filter((each) => choices.has(each) || chosen.every((others) => others.has(each))));
}

/** Refused members, without those that only do not go with another member. */
function errorsOf(name: CommandKind, payload: object): Set<string> {
  const input = fromJson<InputData>("vega.commands.v1.InputData", { [name]: payload });
  const errors = Object.entries(checkCommand(name, input[name] as never).toJSON());
  const isOfOther = (text: string) => text.startsWith("cannot be ");
  return new Set(errors.filter(([, texts]) => !texts.every(isOfOther)).map(([member]) => member));
}

/** The member of a place's message that an error is about. */
function memberIn(error: string, { prefix, before }: Place): string[] {
  if (error.startsWith(`${prefix}.`)) return [error.slice(prefix.length + 1).split(".")[0]!];
  // Some errors have the names of choices on their way, others not.
  return before.has(error) ? [] : [error.slice(error.lastIndexOf(".") + 1)];
}

function placesIn({ message, around, wrap, prefix }: Place, before: ReadonlySet<string>): Place[] {
  return messageDescriptor(message).fields.flatMap(({ kind, typeName, name, jsonName, repeated }) =>
    kind !== "message" || typeName === message || around.includes(typeName)
      ? []
      : {
          message: typeName,
          around: [...around, message],
          wrap: (inner: object) => wrap({ [jsonName]: repeated ? [inner] : inner }),
          prefix: `${prefix}.${name}${repeated ? ".0" : ""}`,
          before,
        },
  );
}
