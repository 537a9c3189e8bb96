/**
 * Type declarations of the package: what the compiler emits for the entry points, without everything that these do not
 * reach. A declaration that stays in a file no entry point needs would ask its reader for the types of Bun and Elysia.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** A statement of a declaration file. */
interface Statement {
  readonly text: string;
  /** The same without comments and strings: what its references are looked for in. */
  readonly code: string;
  /** Declared by it. */
  readonly names: readonly string[];
}

/** A name that comes from another module; `*` is all of it. */
interface Origin {
  readonly module: string;
  readonly name: string;
  /** Known as a type alone. */
  readonly isType: boolean;
}

interface Module {
  /** Libraries of the language that it asks for. */
  readonly references: readonly string[];
  readonly statements: readonly Statement[];
  readonly imports: ReadonlyMap<string, Origin>;
  /** Exported under another name, or from another module. */
  readonly reexports: ReadonlyMap<string, Origin>;
  readonly stars: readonly string[];
  readonly used: Set<Statement>;
  readonly usedImports: Set<string>;
  readonly usedReexports: Set<string>;
  isWhole: boolean;
}

const COMMENT_OR_STRING =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`/g;
const DECLARATION =
  /^(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:class|interface|type|function|const|let|enum|const enum) ([\w$]+)/;
const FROM = /^(import|export) (type )?(?:\{([\s\S]*?)\}|\* as ([\w$]+)|(\*)|([\w$]+)) from "([^"]+)";$/;
const LOCAL_EXPORT = /^export (?:type )?\{([\s\S]*?)\};$/;
const INLINE_IMPORT = /import\("(\.[^"]+)"\)\.([\w$]+)/g;

/**
 * @param emitted folder of the compiler's declarations
 * @param entries paths below it
 * @param out folder of the package's declarations; emptied first
 * @throws Error for a declaration that reaches another package
 */
export function pruneDeclarations(emitted: string, entries: readonly string[], out: string): number {
  const pruning = new Pruning(emitted);
  for (const entry of entries) pruning.useAll(join(emitted, entry));
  rmSync(out, { recursive: true, force: true });
  return pruning.write(out);
}

class Pruning {
  private readonly modules = new Map<string, Module>();

  constructor(private readonly root: string) {}

  /** Everything that a module exports. */
  useAll(path: string): void {
    const module = this.module(path);
    if (module.isWhole) return;
    module.isWhole = true;
    for (const statement of module.statements) {
      if (statement.text.includes("export ")) this.useStatement(path, statement);
    }
    for (const name of module.reexports.keys()) this.use(path, name);
    for (const star of module.stars) this.useAll(resolveFrom(path, star));
  }

  write(out: string): number {
    let files = 0;
    for (const [path, module] of this.modules) {
      const lines = [...this.linesOf(module)];
      if (lines.length === 0) continue;
      const target = join(out, relative(this.root, path));
      mkdirSync(dirname(target), { recursive: true });
      const text = `${lines.join("\n")}\nexport {};\n`;
      writeFileSync(target, text.replace(/((?:from |import\()"\.[^"]+)\.ts"/g, '$1.js"'));
      files++;
    }
    return files;
  }

  private *linesOf(module: Module): Iterable<string> {
    yield* module.references;
    for (const local of module.usedImports) yield clause("import", local, module.imports.get(local)!);
    for (const exported of module.usedReexports) {
      const origin = module.reexports.get(exported)!;
      if (origin.module !== "") yield clause("export", exported, origin);
      else yield `export { ${origin.name}${origin.name === exported ? "" : ` as ${exported}`} };`;
    }
    if (module.isWhole) for (const star of module.stars) yield `export * from "${star}";`;
    for (const statement of module.statements) if (module.used.has(statement)) yield statement.text.trim();
  }

  /** A name of a module: declared there, or handed on. */
  private use(path: string, name: string): void {
    const module = this.module(path);
    const statements = module.statements.filter(({ names }) => names.includes(name));
    for (const statement of statements) this.useStatement(path, statement);
    if (statements.length > 0) return;
    const origin = module.reexports.get(name);
    if (origin !== undefined) {
      if (module.usedReexports.has(name)) return;
      module.usedReexports.add(name);
      if (origin.module === "") this.useLocal(path, origin.name);
      else this.follow(path, origin);
      return;
    }
    for (const star of module.stars) this.useAll(resolveFrom(path, star));
    if (module.stars.length > 0) module.isWhole = true;
  }

  private useLocal(path: string, name: string): void {
    const module = this.module(path);
    const origin = module.imports.get(name);
    if (origin === undefined) {
      for (const statement of module.statements)
        if (statement.names.includes(name)) this.useStatement(path, statement);
    } else if (!module.usedImports.has(name)) {
      module.usedImports.add(name);
      this.follow(path, origin);
    }
  }

  private follow(path: string, { module, name }: Origin): void {
    if (!module.startsWith(".")) {
      throw new Error(`the package's types reach ${module} from ${relative(this.root, path)}`);
    }
    const target = resolveFrom(path, module);
    if (name === "*") this.useAll(target);
    else this.use(target, name);
  }

  private useStatement(path: string, statement: Statement): void {
    const module = this.module(path);
    if (module.used.has(statement)) return;
    module.used.add(statement);
    for (const name of new Set(statement.code.match(/[\w$]+/g))) this.useLocal(path, name);
    for (const [, from, name] of statement.text.matchAll(INLINE_IMPORT))
      this.use(resolveFrom(path, from!), name!);
  }

  private module(path: string): Module {
    let module = this.modules.get(path);
    if (module === undefined) {
      module = readModule(readFileSync(path, "utf8"));
      this.modules.set(path, module);
    }
    return module;
  }
}

function readModule(text: string): Module {
  const statements: Statement[] = [];
  const imports = new Map<string, Origin>();
  const reexports = new Map<string, Origin>();
  const stars: string[] = [];
  for (const statement of statementsOf(text)) {
    const bare = statement.replace(/^(?:\s*\/\*[\s\S]*?\*\/|\s*\/\/[^\n]*\n)*\s*/, "");
    const from = FROM.exec(bare);
    const local = LOCAL_EXPORT.exec(bare);
    if (from) {
      const [, kind, type, list, namespace, star, fallback, module] = from;
      const target = kind === "import" ? imports : reexports;
      if (star) stars.push(module!);
      else if (namespace) target.set(namespace, { module: module!, name: "*", isType: false });
      else if (fallback) target.set(fallback, { module: module!, name: "default", isType: false });
      // `import { name as local }` and `export { name as exported }`: the second is the one known here.
      for (const { name, other, isType } of namesIn(list)) {
        target.set(other, { module: module!, name, isType: isType || type !== undefined });
      }
    } else if (local) {
      for (const { name, other, isType } of namesIn(local[1]))
        reexports.set(other, { module: "", name, isType });
    } else if (!/^import "/.test(bare)) {
      const code = bare.replace(COMMENT_OR_STRING, (part) => (part.startsWith("`") ? part : " "));
      const first = DECLARATION.exec(bare)?.[1];
      if (first === undefined) throw new Error(`a declaration cannot be read: ${bare.slice(0, 80)}`);
      statements.push({ text: statement, code, names: [first] });
    }
  }
  return {
    references: text.match(/^\/\/\/ <reference lib=.*$/gm) ?? [],
    statements,
    imports,
    reexports,
    stars,
    used: new Set(),
    usedImports: new Set(),
    usedReexports: new Set(),
    isWhole: false,
  };
}

interface Named {
  readonly name: string;
  /** The name behind `as`. */
  readonly other: string;
  readonly isType: boolean;
}

function namesIn(list = ""): Named[] {
  return list
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")
    .map((one) => {
      const [name = "", other = name] = one.replace(/^type /, "").split(" as ");
      return { name, other, isType: one.startsWith("type ") };
    });
}

/** Statements that end with a brace; all others end with a semicolon. */
const BRACED = /^\s*(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:class|interface|enum|const enum) /;

/** Cut at the ends of lines that end a statement, outside of every bracket. */
function* statementsOf(text: string): Iterable<string> {
  const blank = text.replace(COMMENT_OR_STRING, (part) => part.replace(/[^\n]/g, " "));
  let depth = 0;
  let start = 0;
  for (let at = 0; at < blank.length; at++) {
    const sign = blank[at]!;
    if ("{([".includes(sign)) depth++;
    else if ("})]".includes(sign)) depth--;
    const isEndOfLine = depth === 0 && (at + 1 >= blank.length || blank[at + 1] === "\n");
    const isEnd = sign === ";" || (sign === "}" && BRACED.test(blank.slice(start)));
    if (!isEndOfLine || !isEnd) continue;
    yield text.slice(start, at + 1);
    start = at + 1;
  }
}

function clause(kind: "import" | "export", localName: string, { module, name, isType }: Origin): string {
  if (name === "*") return `${kind} * as ${localName} from "${module}";`;
  return `${kind} ${isType ? "type " : ""}{ ${name}${name === localName ? "" : ` as ${localName}`} } from "${module}";`;
}

function resolveFrom(path: string, specifier: string): string {
  const target = join(dirname(path), specifier.replace(/\.ts$/, ".d.ts"));
  if (existsSync(target)) return target;
  throw new Error(`${path} names ${specifier}, which was not emitted`);
}
