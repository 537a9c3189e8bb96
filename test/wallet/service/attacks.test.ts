// The service as an attacker meets it: bytes on its port, tokens of others, other machines' names, and texts that
// are made to break a parser. Each is refused in plain words, nothing of the inside comes out, and the service
// answers others afterwards.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { sendRaw } from "../../support/raw-http.ts";
import { expectNoLeak } from "../../support/scenario.ts";
import { KEY_1, ORIGIN, Rig, VOTE } from "./rig.ts";

const BODY_BYTES_MAX = 100_000;
const CHAIN = '{"jsonrpc":"2.0","method":"client.get_chain_id","id":"1"}';

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.start({ bodyBytesMax: BODY_BYTES_MAX });
});
afterAll(() => rig.stop());
afterEach(async () => {
  expect((await rig.call("client.get_chain_id")).status).toBe(200);
});

interface Parts {
  readonly line?: string;
  readonly host?: readonly string[];
  readonly headers?: readonly string[];
  readonly length?: string | undefined;
  readonly body?: string;
}

/** A request as bytes. */
function request({
  line = "POST /api/v2/requests HTTP/1.1",
  host = ["localhost:1789"],
  headers = [`Origin: ${ORIGIN}`],
  body = CHAIN,
  length = String(body.length),
}: Parts = {}): string {
  const all = [
    ...host.map((name) => `Host: ${name}`),
    ...headers,
    ...(length ? [`Content-Length: ${length}`] : []),
  ];
  return `${line}\r\n${all.join("\r\n")}\r\n\r\n${body}`;
}

async function raw(parts: Parts | string) {
  const answer = await sendRaw(rig.running.port, typeof parts === "string" ? parts : request(parts));
  expectNoLeak(answer.body);
  return answer;
}

describe("names of other machines", () => {
  const evil = "http://evil.example/api/v2/requests";
  const cases: readonly (readonly [name: string, parts: Parts, status: number])[] = [
    ["another machine's", { host: ["evil.example:1789"] }, 403],
    ["this machine's, with a dot", { host: ["127.0.0.1."] }, 200],
    ["something behind the port", { host: ["localhost:1789.evil"] }, 403],
    ["something behind the address", { host: ["127.0.0.1.evil.example"] }, 403],
    ["a user before it", { host: ["127.0.0.1@evil.example"] }, 403],
    ["a user before this machine's", { host: ["evil.example@127.0.0.1"] }, 403],
    ["an address that only some read", { host: ["0x7f.1"] }, 403],
    ["an address as a number", { host: ["2130706433"] }, 403],
    ["the other version's", { host: ["[::1]:1789"] }, 200],
    ["the other version's, and more", { host: ["[::1].evil.example"] }, 403],
    ["the other version's, of any machine", { host: ["[::]:1789"] }, 403],
    ["the other version's, with a zone", { host: ["[::1%25lo]"] }, 403],
    ["any machine's", { host: ["0.0.0.0:1789"] }, 403],
    ["two dots", { host: ["localhost.."] }, 403],
    ["two in one", { host: ["localhost, evil.example"] }, 400],
    ["none", { host: [""] }, 403],
    ["two, the good one first", { host: ["localhost", "evil.example"] }, 400],
    ["two, the good one last", { host: ["evil.example", "localhost"] }, 400],
    [
      "that of a proxy beside another's",
      { host: ["evil.example"], headers: [`Origin: ${ORIGIN}`, "X-Forwarded-Host: localhost"] },
      403,
    ],
    ["a whole address, and another's name", { line: `POST ${evil} HTTP/1.1`, host: ["evil.example"] }, 403],
    [
      "a whole address of this machine, and another's name",
      { line: "POST http://localhost:1789/api/v2/requests HTTP/1.1", host: ["evil.example"] },
      403,
    ],
    [
      "a preflight",
      {
        line: "OPTIONS /api/v2/requests HTTP/1.1",
        host: ["evil.example"],
        headers: [`Origin: ${ORIGIN}`, "Access-Control-Request-Method: POST"],
        body: "",
      },
      403,
    ],
  ];
  test.each(cases)("%s", async (_name, parts, status) => {
    const answer = await raw(parts);
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.body).toBe("the Host header names another machine\n");
  });

  test("no name at all", async () => {
    expect((await raw({ host: [] })).status).toBe(400);
    expect((await raw({ host: [], line: "POST /api/v2/requests HTTP/1.0" })).status).toBe(403);
  });
});

describe("bytes that are no proper request", () => {
  const chunked = (body: string): Parts => ({
    headers: [`Origin: ${ORIGIN}`, "Transfer-Encoding: chunked"],
    length: "",
    body,
  });
  const inOneChunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
  const cases: readonly (readonly [name: string, parts: Parts | string, status: number, has?: string])[] = [
    ["in chunks", chunked(inOneChunk(CHAIN)), 200],
    [
      "in chunks, longer than may be",
      chunked(inOneChunk(" ".repeat(BODY_BYTES_MAX + 1))),
      413,
      `the request body is longer than ${BODY_BYTES_MAX} bytes`,
    ],
    ["chunks of no length", chunked(`zz\r\n${CHAIN}`), 400],
    ["a chunk of exabytes", chunked(`ffffffffffffffff\r\n${CHAIN}`), 400],
    ["chunks and a length", { ...chunked(inOneChunk(CHAIN)), length: "10" }, 400],
    ["two lengths", { headers: [`Origin: ${ORIGIN}`, "Content-Length: 5"] }, 400],
    ["a negative length", { length: "-1" }, 400],
    ["a length that is not a number", { length: "0x39" }, 400],
    ["a length of exabytes", { length: "99999999999999999999" }, 400],
    ["a length beyond the limit, and nothing", { length: "150000" }, 413, "is longer than"],
    ["a length far beyond it, and nothing", { length: "5000000" }, 413],
    ["shorter than said: what is left is no request", { length: "5" }, 400, "not valid JSON"],
    ["a line break in the origin", { headers: ["Origin: http://a\r\n.example"] }, 400],
    ["a control character in the origin", { headers: ["Origin: http://a\x1b[2J.example"] }, 400],
    ["a NUL in the origin", { headers: ["Origin: http://a\x00.example"] }, 400],
    [
      "an origin that is too long",
      { headers: [`Origin: http://${"a".repeat(400)}`] },
      401,
      "longer than 300",
    ],
    ["two origins are neither", { headers: ["Origin: http://a.example", "Origin: http://b.example"] }, 200],
    ["headers without end", { headers: [`X: ${"a".repeat(100_000)}`] }, 431],
    ["another protocol", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400],
    ["a path with dots leads where it leads", { line: "POST /x/../api/v2/requests HTTP/1.1" }, 200],
    ["two slashes lead nowhere", { line: "POST //api/v2/requests HTTP/1.1" }, 404],
    ["an escaped slash leads nowhere", { line: "POST /api%2fv2/requests HTTP/1.1" }, 404],
    ["CONNECT", { line: "CONNECT evil.example:80 HTTP/1.1", body: "" }, 404],
    ["TRACE", { line: "TRACE /api/v2/requests HTTP/1.1", body: "" }, 405],
  ];
  test.each(cases)("%s", async (_name, parts, status, has = "") => {
    const answer = await raw(parts);
    expect([answer.status, answer.body]).toEqual([status, expect.stringContaining(has)]);
  });

  test("requests in one piece: the second one cannot do without its own name and token", async () => {
    const questions = rig.person.asked.length;
    const second = request({
      host: ["evil.example"],
      body: '{"jsonrpc":"2.0","method":"client.connect_wallet"}',
    });
    await raw(request() + second);
    expect(rig.person.asked.length).toBe(questions);
  });

  test("bytes that are no UTF-8 become what stands for such", async () => {
    const answer = await raw({ body: '{"jsonrpc":"2.0","method":"client.\xff","id":"\xfe"}' });
    const { error, id } = JSON.parse(Buffer.from(answer.body, "latin1").toString("utf8"));
    expect([answer.status, error.data, id]).toEqual([
      400,
      'method "client.\ufffd" is not supported',
      "\ufffd",
    ]);
  });
});

describe("JSON that is made to fool a parser", () => {
  const send = (transaction: string, id = '"1"') =>
    `{"jsonrpc":"2.0","method":"client.send_transaction","params":{"publicKey":"${KEY_1}","sendingMode":"TYPE_SYNC","transaction":${transaction}},"id":${id}}`;
  const BIG = "9007199254740993";
  const order = (size: string) =>
    `{"orderSubmission":{"marketId":"${"a".repeat(64)}","size":${size},"price":"1","side":1,"type":1,"timeInForce":2}}`;
  const transfer = (amount: string) =>
    `{"transfer":{"fromAccountType":4,"toAccountType":4,"to":"${"b".repeat(64)}","asset":"${"c".repeat(64)}","amount":${amount},"oneOff":{}}}`;
  const notCommand = "the transaction does not use a valid Vega command: ";
  const cases: readonly (readonly [name: string, body: string, code: number, data: string])[] = [
    ["a long number as id", CHAIN.replace('"1"', BIG), -32700, "the member id must be a text"],
    [
      "a long number as method",
      `{"jsonrpc":"2.0","method":${BIG},"id":"1"}`,
      -32700,
      "the member method must be a text",
    ],
    [
      "a long number as key",
      send(transfer('"1"')).replace(`"${KEY_1}"`, BIG),
      -32602,
      "the params do not match expected ones",
    ],
    [
      "a number, long or short, for a text",
      send(transfer("5")),
      -32602,
      `${notCommand}transfer.amount: must be a text, is a number`,
    ],
    [
      "a long number for a text",
      send(transfer(BIG)),
      -32602,
      `${notCommand}transfer.amount: must be a text, is a bigint`,
    ],
    [
      "a number that cannot be exact",
      send(order("9007199254740993.0")),
      -32602,
      `${notCommand}orderSubmission.size: must be a whole number, given as text above 2^53, is 9007199254740992`,
    ],
    [
      "a number that cannot be exact, with an exponent",
      send(order("9.007199254740993e15")),
      -32602,
      `${notCommand}orderSubmission.size: must be a whole number, given as text above 2^53, is 9007199254740992`,
    ],
    [
      "a number beyond 64 bits",
      send(order("18446744073709551616")),
      -32602,
      `${notCommand}orderSubmission.size: must be from 0 to 18446744073709551615, is 18446744073709551616`,
    ],
    [
      "a member of every object",
      send('{"__proto__":{"voteSubmission":{}}}'),
      -32602,
      `${notCommand}the transaction: has no field called "__proto__"`,
    ],
    [
      "the same member by both of its names",
      send(`{"voteSubmission":${JSON.stringify(VOTE.voteSubmission)},"vote_submission":{}}`),
      -32602,
      `${notCommand}voteSubmission: is given twice, in both spellings`,
    ],
    [
      "two commands",
      send(`{"voteSubmission":${JSON.stringify(VOTE.voteSubmission)},"orderCancellation":{}}`),
      -32602,
      `${notCommand}orderCancellation: cannot be set together with another member of command`,
    ],
    [
      "a method of every object",
      CHAIN.replace("client.get_chain_id", "__proto__"),
      -32601,
      'method "__proto__" is not supported',
    ],
    [
      "params by the name of every object's parent",
      '{"jsonrpc":"2.0","method":"client.send_transaction","__proto__":{"params":{}},"id":"1"}',
      -32602,
      "the params are required",
    ],
  ];
  test.each(cases)("%s", async (_name, body, code, data) => {
    const authorization = await rig.ready();
    const submissions = rig.node.submissions;
    const { status, body: answer, text } = await rig.post(body, { authorization });
    expect([status, answer.error.code, answer.error.data]).toEqual([400, code, data]);
    expectNoLeak(text);
    expect(rig.node.submissions).toBe(submissions);
    expect(({} as Record<string, unknown>).params).toBeUndefined();
  });

  test("a member that stands twice is refused, and nobody is asked", async () => {
    const authorization = await rig.ready();
    rig.node.block();
    const twice = transfer('"1"').replace('"amount":"1"', '"amount":"1","amount":"2"');
    const answer = await rig.post(send(twice), { authorization });
    expect(answer.body.error).toMatchObject({ code: -32700, data: "a member of the request is there twice" });
    expect(rig.person.asked.at(-1)!.kind).not.toBe("transaction");
  });

  test("an identifier of a request is given back as it came, whatever is in it", async () => {
    const id = '</script>\u2028"\\';
    const { text, body } = await rig.post(CHAIN.replace('"1"', JSON.stringify(id)));
    expect(body.id).toBe(id);
    expect(text).not.toMatch(/[<>\u2028]/);
  });

  test("a body as deep as it is long", async () => {
    for (const body of [
      "[".repeat(BODY_BYTES_MAX),
      '{"a":'.repeat(BODY_BYTES_MAX / 5),
      `"${"[".repeat(90_000)}"`,
    ]) {
      expect((await rig.post(body)).body.error.code).toBe(-32700);
    }
  });
});

describe("tokens of others", () => {
  test("guessed, stolen, and used again after their end: 401, nobody is asked, nothing is done", async () => {
    const authorization = await rig.ready();
    const old = authorization;
    const next = await rig.connect();
    const { asked: questions } = rig.person;
    const before = [questions.length, rig.node.submissions];
    const attempts = [
      { authorization: `VWT ${"a".repeat(64)}` },
      { authorization: old },
      { authorization: next, origin: "https://evil.example" },
      { authorization: next, origin: "https://dapp.example.evil.example" },
      { authorization: next, origin: "https://DAPP.example" },
      { authorization: next, origin: "https://dapp.example:8443" },
      { authorization: next, origin: "null" },
      { authorization: next, origin: undefined, referer: "https://evil.example/https://dapp.example" },
      { authorization: next.toLowerCase() },
      { authorization: `VWT ${next.slice(4).split("").reverse().join("")}` },
    ];
    for (const headers of attempts) {
      const answer = await rig.call(
        "client.send_transaction",
        { publicKey: KEY_1, sendingMode: "TYPE_SYNC", transaction: VOTE },
        headers,
      );
      expect([answer.status, answer.body.error.code, answer.token]).toEqual([401, -32003, null]);
      expect(answer.headers.get("www-authenticate")).toBe("VWT");
      expect(answer.text).not.toContain(next.slice(4));
    }
    expect([questions.length, rig.node.submissions]).toEqual(before);
    expect((await rig.call("client.list_keys", {}, { authorization: next })).status).toBe(200);
  });
});
