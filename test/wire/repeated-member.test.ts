// A member that stands twice in an object of JSON that somebody handed in, and where.
import { expect, test } from "bun:test";
import { parseUniqueJson, RepeatedMember } from "../../src/wire/unique-json.ts";

test.each<[string, string | undefined]>([
  ['{"a": 1, "a": 1}', "a"],
  ['{"a": 1, "b": {"a": 1}, "c": [{"a": 1}, {"a": 1}]}', undefined],
  ['{"rules": [{}, {"name": 1, "name": 2}]}', "rules[1].name"],
  ['{"rules": [{"name": 1, "\\u006eame": 2}]}', "rules[0].name"],
  ['{"rules": [[1, "name", {"x y": {}, "}{\\"": ["name:"], "x y": 0}]]}', 'rules[0][2]["x y"]'],
  ['{"a": {"b": "a", "c": "b"}, "d": ["a", "a"]}', undefined],
  ['{"__proto__": 1, "__proto__": 2}', "__proto__"],
  ["[]", undefined],
  ['"a"', undefined],
])("%s: %p", (text, place) => {
  const read = () => parseUniqueJson(text);
  if (place === undefined) expect(read()).toEqual(JSON.parse(text));
  else expect(read).toThrow(new RepeatedMember(place));
});
