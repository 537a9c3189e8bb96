// npm start: `lyra devnet`, whose home is in the project unless the words behind `--` say where, or keep nothing.
const words = process.argv.slice(2);
const hasHome = words.some((word) => word === "--temporary" || /^--home(?:=|$)/.test(word));
process.argv.splice(2, words.length, "devnet", ...(hasHome ? [] : ["--home", ".lyra/devnet"]), ...words);
await import("../src/main.ts");

export {};
